"""Refinement of a decoupled or linear model on records."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_non_negative
from ..bases import Basis
from ..errors import DivergenceError, InvalidOptionError, InvalidSamplesError
from ..model._branch import Extrapolate
from ._branches import BranchKind, separate_linear_parts, trajectory, with_new_basis
from ._coordinates import standardise_states
from ._descent import EstimationResult
from ._equations import Equations
from ._estimation import prepare, to_fields
from ._initial_state import estimate_initial_state
from ._problem import StateSpaceProblem
from ._segments import refine_on_segments
from ._simulation import StateRun
from ._starts import ModelForm, refine_equations

SHORT_REFINEMENT = 8192  # samples on which long records are refined first
MAX_LONG_ITERATIONS = 20  # on all samples of long records
FIRST_SAMPLES = 200  # from which the initial state is estimated before a refinement
POOR_START_ERROR = 0.3  # rms, in spreads of the outputs, from which segments are tried
REFINEMENT_TOLERANCE = 1e-4  # relative decrease of the loss that counts as progress


def refine_model(
    model: Any,
    u: Any,
    y: Any,
    max_iterations: int,
    *,
    basis: Basis | None = None,
    extrapolate: Extrapolate = "linear",
    feedthrough: bool = True,
    ridge: float = 1.0,
    weights: Any = None,
) -> dict[str, Any]:
    """Fields of the model with parameters of least simulation error on the records."""
    equations = model.equations()
    data = prepare(u, y, weights)
    if data.records.channels != (model.n_inputs, model.n_outputs):
        raise InvalidSamplesError(
            f"the model has {model.n_inputs} inputs and {model.n_outputs} outputs, the records "
            f"{data.records.n_inputs} and {data.records.n_outputs}"
        )
    if basis is not None and not isinstance(basis, Basis):
        raise InvalidOptionError(f"basis is {basis!r}: pass a basis such as BSpline(8)")
    check_non_negative("ridge", ridge)
    problem = data.problem
    e = data.scaling.from_user(equations)
    form = ModelForm(basis, extrapolate, feedthrough, ridge)  # type: ignore[arg-type]
    e, initial, runs = _find_start(problem, e, form)
    table = trajectory(problem.records, runs)
    e = separate_linear_parts(e, table)
    if basis is not None and e.branches:
        e = with_new_basis(e, table, BranchKind(basis, extrapolate=extrapolate))
    e, initial = standardise_states(e, runs, initial)
    found = _refine_in_stages(problem, e, initial, form, max_iterations)
    return to_fields(data, found, model.sampling_time, "Refined on the simulation error.")


def _find_start(
    problem: StateSpaceProblem, e: Equations, form: ModelForm
) -> tuple[Equations, Array, list[StateRun]]:
    """Equations to start a refinement from, with initial states and simulation.

    Where the simulation diverges or is poor, these are refined on short segments if that is better.
    """
    simulated = _simulate(problem, e)
    if simulated is None or problem.loss(simulated[1]) > POOR_START_ERROR**2:
        led = refine_on_segments(problem, e, form)
        other = _simulate(problem, led)
        if other is not None and (
            simulated is None or problem.loss(other[1]) < problem.loss(simulated[1])
        ):
            e, simulated = led, other
    if simulated is None:
        raise DivergenceError(
            "the simulation of these records diverges, also after a refinement on short segments: "
            "decouple with more branches, or identify the model anew",
            0,
        )
    return e, *simulated


def _simulate(problem: StateSpaceProblem, e: Equations) -> tuple[Array, list[StateRun]] | None:
    """Initial states from the first samples, and the simulation; None if it diverges."""
    start = np.zeros((1, e.n_states))
    try:
        initial = [
            estimate_initial_state(
                e, r.u[:FIRST_SAMPLES], r.y[:FIRST_SAMPLES], start, problem.bounds
            )
            for r in problem.records
        ]
    except DivergenceError:
        return None
    runs = problem.simulate(e, np.array(initial), thorough=True)
    return None if runs is None else (np.array(initial), runs)


def _refine_in_stages(
    problem: StateSpaceProblem, e: Equations, initial: Array, form: ModelForm, iterations: int
) -> EstimationResult:
    """Refine long records on their first samples, then on all."""
    if sum(map(len, problem.records)) > SHORT_REFINEMENT:
        short = problem.shorten(SHORT_REFINEMENT)
        part = initial[: len(short.records)]
        found = refine_equations(short, e, part, form, iterations, REFINEMENT_TOLERANCE)
        started = np.concatenate([found.initial, initial[len(short.records) :]])
        runs = problem.simulate(found.system, started, thorough=True)
        before = problem.simulate(e, initial, thorough=True)
        assert before is not None
        if runs is not None and problem.loss(runs) < problem.loss(before):
            e, initial = found.system, started
        iterations = min(iterations, MAX_LONG_ITERATIONS)
    return refine_equations(problem, e, initial, form, iterations, REFINEMENT_TOLERANCE)
