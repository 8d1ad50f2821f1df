"""Linear state-space models of least simulation error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from .._util.deadline import is_time_up
from .._util.progress import report_progress
from ..dynamics._levenberg_marquardt import DescentSettings
from ..dynamics._records import Record
from ..errors import InvalidSamplesError
from ._coordinates import standardise_states
from ._descent import EstimationResult, descend
from ._equations import Equations, make_linear_equations
from ._frequency import estimate_frequency_response, find_spectral_observability
from ._integrators import add_integrators, select_others, take_increments
from ._parameters import EquationParameters
from ._problem import StateSpaceProblem
from ._realisation import (
    MAX_POLE_RADIUS,
    RESPONSE_LENGTH,
    find_observability,
    fit_arx,
    impulse_response,
    realise,
    reflect_poles,
    spectral_radius,
    split_observability,
)


@dataclass(frozen=True)
class LinearSettings:
    """How candidates for a linear model are made and refined."""

    arx_orders: tuple[int, ...] = (10, 20, 40)  # at least twice the number of states
    horizon: int = 15  # block rows of the subspace method
    frequency_horizons: tuple[int, ...] = (10, 60)  # the same for frequency responses
    short_samples: int = 8192  # on which candidates are compared
    n_refined: int = 2  # best candidates that are refined on these samples
    short_iterations: int = 30
    long_iterations: int = 20  # on all samples
    samples_per_parameter: float = 2.0  # at least
    max_states: int = 10  # of an automatic choice
    knee: float = 1.05  # held-out error over the least one that a smaller order may have
    exact_error: float = 1e-6  # held-out error in spreads of the outputs; less is rounding


def fit_linear_equations(
    problem: StateSpaceProblem,
    n_states: int,
    feedthrough: bool = True,
    settings: LinearSettings | None = None,
    all_samples: bool = True,
    integrating: bool = False,
) -> EstimationResult:
    """The linear model of least simulation error among refined candidates.

    Its states have zero mean and unit covariance over the fitted samples. With ``integrating`` its
    outputs are integrators.
    """
    settings = LinearSettings() if settings is None else settings
    short = problem.shorten(settings.short_samples)
    candidates = []
    propose = _propose_integrators if integrating else _propose
    for matrices in propose(problem, n_states, settings):
        candidate = _solve_inputs(matrices, short, feedthrough)
        if candidate is not None:
            candidates.append(candidate)
    if not candidates:
        raise InvalidSamplesError(
            f"no stable linear model with {n_states} states simulates these records: use fewer "
            f"states, or check the records for outliers and drift"
        )
    candidates.sort(key=lambda pair: pair[2])
    refined = []
    for equations, initial, _ in candidates[: settings.n_refined]:
        report_progress("linear model")
        refined.append(_refine(short, equations, initial, feedthrough, settings.short_iterations))
    best = min(refined, key=lambda descent: descent.loss)
    if all_samples and sum(map(len, problem.records)) > settings.short_samples:
        best = extend(problem, best, feedthrough, settings.long_iterations)
    equations, initial = standardise_states(best.system, best.runs, best.initial)
    runs = problem.simulate(equations, initial, thorough=True) if all_samples else None
    return replace(best, system=equations, initial=initial, runs=runs or best.runs)


def extend(
    problem: StateSpaceProblem, start: EstimationResult, feedthrough: bool, iterations: int
) -> EstimationResult:
    """Refine on all samples what was refined on the first ones."""
    missing = len(problem.records) - len(start.initial)
    initial = np.concatenate([start.initial, np.zeros((missing, start.initial.shape[1]))])
    return _refine(problem, start.system, initial, feedthrough, iterations)


def _refine(
    problem: StateSpaceProblem,
    equations: Equations,
    initial: Array,
    feedthrough: bool,
    iterations: int,
) -> EstimationResult:
    return descend(
        problem,
        EquationParameters(equations, feedthrough),
        initial,
        DescentSettings(max_iterations=iterations, first_damping=1e-3),
        is_acceptable=_is_stable,
    )


def _is_stable(e: Equations) -> bool:
    """Whether all poles but integrators are inside the unit circle."""
    others = select_others(e)
    return spectral_radius(e.A[np.ix_(others, others)]) <= MAX_POLE_RADIUS


def _propose(
    problem: StateSpaceProblem, n_states: int, settings: LinearSettings
) -> list[tuple[Array, Array]]:
    """Pairs of A and C, with stable A."""
    records = problem.records
    n_u, n_y = records[0].u.shape[1], records[0].y.shape[1]
    n_samples, shortest = sum(map(len, records)), min(map(len, records))
    found = []
    for order in settings.arx_orders:
        order = max(order, -(-(2 * n_states + 2) // min(n_u, n_y)))
        unknowns = (order + 1) * n_u + order * n_y
        if 2 * unknowns > n_samples or 2 * order > shortest:
            continue
        response = impulse_response(*fit_arx(records, order), RESPONSE_LENGTH * order)
        if np.all(np.isfinite(response)) and np.abs(response).max() < 1e6:
            (A, _, C, _), _ = realise(response, n_states)
            found.append((A, C))
    matrices = [find_observability(records, n_states, max(settings.horizon, n_states + 1))]
    frequency_response = estimate_frequency_response(records)
    if frequency_response is not None:
        for horizon in settings.frequency_horizons:
            horizon = max(horizon, n_states + 1)
            matrices.append(find_spectral_observability(frequency_response, n_states, horizon))
    found += [split_observability(matrix, n_y) for matrix in matrices if matrix is not None]
    found.append(_make_delay_line(n_states, n_y))
    return [(reflect_poles(A), C) for A, C in found]


def _propose_integrators(
    problem: StateSpaceProblem, n_states: int, settings: LinearSettings
) -> list[tuple[Array, Array]]:
    """Pairs of A and C of models of the increments, with their outputs summed up."""
    if n_states <= problem.n_outputs:
        return []
    pairs = [take_increments(record) for record in problem.records]
    increments = replace(problem, records=[record for record, _ in pairs], held_out=())
    spread = np.mean([s for _, s in pairs], axis=0)[:, None]
    found = _propose(increments, n_states - problem.n_outputs, settings)
    return [add_integrators(A, spread * C) for A, C in found]


def _make_delay_line(n_states: int, n_outputs: int) -> tuple[Array, Array]:
    """Slow, evenly spaced real poles: a start for records too short for the others."""
    poles = np.linspace(0.95, 0.5, n_states)
    return np.diag(poles), np.ones((n_outputs, n_states))


def _solve_inputs(
    matrices: tuple[Array, Array], problem: StateSpaceProblem, feedthrough: bool
) -> tuple[Equations, Array, float] | None:
    """B, D, offset and initial states by least squares, and the loss.

    The simulated outputs are linear in these, so that one Gauss-Newton step is exact.
    """
    A, C = matrices
    n, n_u, n_y = len(A), problem.records[0].u.shape[1], problem.n_outputs
    e = make_linear_equations(A, np.zeros((n, n_u)), C, np.zeros((n_y, n_u)))
    form = EquationParameters(e, feedthrough)
    initial = np.zeros((len(problem.records), n))
    runs = problem.simulate(e, initial)
    if runs is None:
        return None
    matrix, gradient = problem.normal_equations(form, e, runs)
    unknown = np.zeros(e.linear.shape, dtype=bool)
    unknown[:, n:] = True
    chosen = np.ones(gradient.size, dtype=bool)
    chosen[: unknown.size] = unknown.ravel()
    chosen[: form.size] &= form.free
    matrix, gradient = matrix[np.ix_(chosen, chosen)], gradient[chosen]
    scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    if not np.all(np.isfinite(scale)):
        return None
    solved = np.linalg.lstsq(matrix / scale[:, None] / scale, -gradient / scale, rcond=1e-12)[0]
    unknowns = np.concatenate([form.pack(), initial.ravel()])
    unknowns[chosen] += solved / scale
    e, initial = form.unpack(unknowns[: form.size]), unknowns[form.size :].reshape(initial.shape)
    runs = problem.simulate(e, initial)
    if runs is None:
        return None
    return *standardise_states(e, runs, initial), problem.loss(runs)


@dataclass(frozen=True, eq=False)
class OrderChoice:
    """The chosen order, and the rms held-out errors of all orders from 1 on.

    ``found`` is the linear model of the chosen order.
    """

    n_states: int
    errors: list[float]
    found: EstimationResult


def choose_order(
    problem: StateSpaceProblem, feedthrough: bool, settings: LinearSettings | None = None
) -> OrderChoice:
    """The order at the knee of the held-out error."""
    settings = LinearSettings() if settings is None else settings
    results: list[EstimationResult] = []
    errors: list[float] = []
    for n_states in range(1, settings.max_states + 1):
        if results and is_time_up():
            break
        try:
            check_samples(problem.records, n_states, settings)
            found = fit_linear_equations(problem, n_states, feedthrough, settings)
        except InvalidSamplesError:
            break
        results.append(found)
        errors.append(float(np.sqrt(found.held_out_loss)))
        if len(errors) >= 4 and min(errors[-3:]) > min(errors[:-3]) / settings.knee:
            break
    if not errors:
        raise InvalidSamplesError("the records are too short for a model with one state")
    least = max(min(errors), settings.exact_error)
    chosen = next(k for k, error in enumerate(errors) if error <= settings.knee * least)
    return OrderChoice(chosen + 1, errors, results[chosen])


def check_samples(records: Sequence[Record], n_states: int, settings: LinearSettings) -> None:
    """Refuse records that are too short for a model with so many states."""
    n_u, n_y = records[0].u.shape[1], records[0].y.shape[1]
    n_unknowns = n_states * (n_u + n_y) + n_u * n_y + n_y + n_states * len(records)
    n_values = sum(map(len, records)) * n_y
    if n_values < settings.samples_per_parameter * n_unknowns:
        raise InvalidSamplesError(
            f"{n_values} values of the outputs are too few for {n_unknowns} unknowns of a linear "
            f"model with {n_states} states: use longer records or fewer states"
        )
