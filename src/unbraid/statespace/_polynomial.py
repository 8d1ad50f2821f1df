"""Coupled polynomial state-space models (PNLSS)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .._typing import Array, Mask
from .._util.progress import show_progress
from .._util.validation import check_integer
from ..dynamics._levenberg_marquardt import DescentSettings
from ..dynamics._records import check_sampling_time
from ..dynamics._static_map import PolynomialMap
from ..errors import InvalidOptionError, InvalidSamplesError
from ..sources._hermite import HermitePolynomial, HermiteTerms
from ._coordinates import find_state_coordinates
from ._descent import EstimationResult, descend
from ._estimation import EstimationData, describe_descent, prepare
from ._identification import choose_states
from ._linear import fit_linear_equations
from ._model import StateSpace
from ._simulation import StateRun

POLYNOMIAL_ITERATIONS = 60
POLYNOMIAL_SAMPLES = 8192  # on which the first steps are taken
FINAL_POLYNOMIAL_ITERATIONS = 20


@dataclass(frozen=True, eq=False)
class PolynomialParameters:
    """Coefficients of Hermite products of [x; u], for every equation."""

    terms: HermiteTerms
    coefficients: Array  # (n_x + n_y, terms)
    free: Mask  # of the coefficients, row by row

    @property
    def size(self) -> int:
        return int(self.coefficients.size)

    def pack(self) -> Array:
        return self.coefficients.ravel()

    def unpack(self, parameters: Array) -> PolynomialMap:
        """The map with these coefficients."""
        m = self.terms.n_inputs
        table = parameters.reshape(self.coefficients.shape)
        return PolynomialMap(HermitePolynomial(table, self.terms, np.zeros(m), np.eye(m)))

    def sensitivities(self, system: PolynomialMap, table: Array, n_more: int = 0) -> Array:
        """Derivatives of [next x; y] by the coefficients, (N, n_x + n_y, q + n_more)."""
        n, n_terms = self.coefficients.shape
        values = self.terms.table(table).T
        result = np.zeros((len(table), n, self.size + n_more))
        for o in range(n):
            result[:, o, o * n_terms : (o + 1) * n_terms] = values
        return result


def fit_polynomial(
    u: Any,
    y: Any,
    n_states: int | Literal["auto"] = "auto",
    degree: int | Sequence[int] = 3,
    *,
    variables: Sequence[int] | None = None,
    output_terms: bool = False,
    feedthrough: bool = True,
    held_out: float = 0.2,
    max_iterations: int = POLYNOMIAL_ITERATIONS,
    weights: Any = None,
    sampling_time: Any = None,
    progress: bool | None = None,
) -> StateSpace:
    """Fit a state-space model with all monomials of states and inputs.

    It starts at the linear model, and Levenberg-Marquardt minimises the simulation error. Decouple
    it with ``model.decouple(n_branches)``.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
    n_states : int or "auto"
        As for ``fit_linear``.
    degree : int or sequence of int
        Total degrees of the monomials: all from 2 to ``degree``, or only those given.
    variables : sequence of int, optional
        Entries of [x; u] that the monomials contain; all by default.
    output_terms : bool
        Whether the output equation has monomials, too.
    feedthrough, held_out, weights, sampling_time
        As for ``fit_linear``.
    max_iterations : int
    """
    degrees = _check_degrees(degree)
    data, time = prepare(u, y, weights), check_sampling_time(sampling_time)
    with show_progress("Identifying", progress):
        states = choose_states(data, n_states, feedthrough, held_out)
        linear = fit_linear_equations(data.problem, states.n_states, feedthrough)
        form = _make_parameters(linear, degrees, variables, output_terms, feedthrough)
        _check_size(form, data)
        found = _descend(data, form, linear, check_integer("max_iterations", max_iterations))
    fields = _to_polynomial_fields(data, found, states.n_states, time)
    return StateSpace(**fields, order_errors=states.errors)


def _check_degrees(degree: Any) -> tuple[int, ...]:
    if isinstance(degree, (int, np.integer)):
        return tuple(range(2, check_integer("degree", degree, 2) + 1))
    degrees = tuple(check_integer("degree", d, 2) for d in degree)
    if not degrees:
        raise InvalidOptionError("degree is empty: pass the degrees of the monomials, say 3")
    return degrees


def _make_parameters(
    linear: EstimationResult,
    degrees: tuple[int, ...],
    variables: Sequence[int] | None,
    output_terms: bool,
    feedthrough: bool,
) -> PolynomialParameters:
    """The linear model with monomials of coefficient zero."""
    e = linear.system
    m, n = e.linear.shape[1], e.n_states
    used = np.zeros(m, dtype=bool)
    try:
        used[list(range(m)) if variables is None else list(variables)] = True
    except (IndexError, TypeError):
        raise InvalidOptionError(
            f"variables are {variables!r}: pass indices of [x; u], from 0 to {m - 1}"
        ) from None
    terms = HermiteTerms(m, max(degrees))
    total = terms.exponents.sum(axis=1)
    allowed = np.isin(total, degrees) & ~np.any(terms.exponents[:, ~used] > 0, axis=1)
    free = np.tile(allowed | (total <= 1), (len(e.linear), 1))
    if not output_terms:
        free[n:, total > 1] = False
    coefficients = np.zeros((len(e.linear), len(terms)))
    coefficients[:, total == 0] = e.offset[:, None]
    lines = np.argmax(terms.exponents[total == 1], axis=1)
    coefficients[:, total == 1] = e.linear[:, lines]
    if not feedthrough:
        free[n:, (terms.exponents[:, n:] > 0).any(axis=1)] = False
    return PolynomialParameters(terms, coefficients, free.ravel())


def _check_size(form: PolynomialParameters, data: EstimationData) -> None:
    n_unknowns = int(np.count_nonzero(form.free))
    if n_unknowns > data.problem.n_values:
        raise InvalidSamplesError(
            f"{data.problem.n_values} values of the outputs are too few for {n_unknowns} "
            f"coefficients: use a lower degree or fewer states"
        )


def _descend(
    data: EstimationData, form: PolynomialParameters, linear: EstimationResult, iterations: int
) -> EstimationResult:
    """First on a short part of the records, then on all samples."""
    problem, initial = data.problem, linear.initial
    if sum(map(len, problem.records)) > POLYNOMIAL_SAMPLES:
        short = problem.shorten(POLYNOMIAL_SAMPLES)
        settings = DescentSettings(max_iterations=iterations, tolerance=1e-3)
        first = descend(short, form, initial[: len(short.records)], settings)
        trial = problem.simulate(first.system, initial, thorough=True)
        if trial is not None and problem.loss(trial) < linear.loss:
            form = replace(form, coefficients=first.system.function.coefficients)
        iterations = min(iterations, FINAL_POLYNOMIAL_ITERATIONS)
    return descend(problem, form, initial, DescentSettings(max_iterations=iterations))


def _to_polynomial_fields(
    data: EstimationData, found: EstimationResult, n_states: int, sampling_time: float | None
) -> dict[str, Any]:
    """Fields of the model in the user's units and in standard states."""
    polynomial = found.system.function
    terms, coefficients = polynomial.terms, polynomial.coefficients
    total = terms.exponents.sum(axis=1)
    slopes = np.zeros((len(coefficients), terms.n_inputs))
    slopes[:, np.argmax(terms.exponents[total == 1], axis=1)] = coefficients[:, total == 1]
    A, C = slopes[:n_states, :n_states], slopes[n_states:, :n_states]
    runs: Sequence[StateRun] = found.runs
    matrix, centre = find_state_coordinates(A, C, runs)
    inverse = np.linalg.inv(matrix)
    scaling = data.scaling
    whiten = np.zeros((terms.n_inputs, terms.n_inputs))
    whiten[:n_states, :n_states] = matrix.T
    whiten[n_states:, n_states:] = np.diag(1 / scaling.u_spread)
    middle = np.concatenate([-inverse @ centre, scaling.u_mean])
    outer = np.zeros((len(coefficients),) * 2)
    outer[:n_states, :n_states] = inverse
    outer[n_states:, n_states:] = np.diag(scaling.y_spread)
    level = np.concatenate([-inverse @ centre, scaling.y_mean])
    linear = outer @ slopes @ whiten.T
    offset = outer @ coefficients[:, total == 0].sum(axis=1) + level - linear @ middle
    rest = (outer @ coefficients) * (total > 1)
    return {
        "function": HermitePolynomial(rest, terms, middle, whiten),
        "n_states": n_states,
        "linear": linear,
        "offset": offset,
        "initial_states": (found.initial - centre) @ inverse.T,
        **describe_descent(data, found, sampling_time),
    }
