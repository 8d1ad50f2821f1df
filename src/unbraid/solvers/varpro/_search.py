"""The search for W and V: many cheap starts on few points, the best polished.

Starts come in batches and are screened with polynomial branches, which need neither knots nor
smoothing. In the first batch large Jacobians dominate; in later ones every point's Jacobian has the
same weight, so that a steep corner of f does not hide the rest of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..._typing import Array, Index
from ...bases import Basis, BSpline, Polynomial
from ...errors import DegenerateBranchError
from .._base import StopCriteria
from .._factors import HasWV, disagreement, unit_columns
from .._problem import Problem
from .._starts import SCREENING_POINTS, SolverOptions, spawn_generators
from ._data import Data, make_data
from ._joint import Fit, compute_jacobian_residual, evaluate
from ._levenberg import Descent, Report, minimise
from ._stack import make_stack


@dataclass(frozen=True, kw_only=True)
class VarProOptions(SolverOptions):
    """Options of variable projection; ``VarPro`` explains them."""

    n_starts: int | None = None  # type: ignore[assignment]
    max_iterations: int = 100
    basis: Basis | None = None
    jacobian_weight: float = 0.1
    value_weight: float = 1.0
    smoothing: float | None = None
    known: Sequence[HasWV] = ()


@dataclass(frozen=True)
class SearchSettings:
    """Numbers of the search that the user does not choose."""

    # degrees of the polynomials that screen one batch after the other
    screening_degrees: tuple[int, ...] = (7, 9, 12)
    # Levenberg-Marquardt steps of the screening
    screening_iterations: int = 40
    # starts per batch
    batch_sizes: tuple[int, ...] = (4, 8, 12, 24)
    # starts in all, where W and V have at most `ordinary_size` entries; fewer where they have more
    n_starts: int = 24
    # starts in all, where a known decoupling is one of them
    n_starts_warm: int = 12
    ordinary_size: int = 300
    # starts of each batch that are polished, and small steps in a row after which one ends
    n_polished: int = 3
    polishing_patience: int = 4
    # coefficients of all branches together while starts are polished, and the fewest per branch;
    # the best start is refined with all coefficients
    max_polishing_coefficients: int = 480
    min_polishing_splines: int = 12
    # weight of the penalty while spline branches are polished
    polishing_penalty: float = 1e-11
    # two screened starts have met up to this ratio of their losses and this angle (rad)
    met_loss_ratio: float = 1.01
    met_angle: float = 0.01
    # loss at which no other start can be noticeably better
    exact_loss: float = 1e-16
    # two optima count as equally good up to this ratio of their losses
    equal_loss_ratio: float = 1.05
    # they count as one up to this angle between their W and V (rad) and this ratio of their losses:
    # polishing ends before they are the same
    same_optimum_angle: float = 0.05
    same_loss_ratio: float = 2.0
    # margin around the range of z, as a share of it, for V to move in
    z_margin: float = 0.05


SEARCH = SearchSettings()


@dataclass(frozen=True, eq=False)
class LocalOptimum:
    """W, V and loss of a polished start."""

    W: Array
    V: Array
    loss: float


@dataclass
class SearchResult:
    """Polished starts, best first, their basis, and the residuals of all starts."""

    basis: Basis
    optima: list[LocalOptimum] = field(default_factory=list)
    residuals: tuple[float, ...] = ()
    stopped: bool = False

    def add(self, screened: Descent, polished: Descent) -> None:
        """Add another batch."""
        optima = [*self.optima, *_list_optima(polished.fit)]
        self.optima = sorted(optima, key=lambda optimum: optimum.loss)
        residuals = np.sqrt(screened.loss[np.isfinite(screened.loss)])
        self.residuals = tuple(sorted([*self.residuals, *map(float, residuals)]))
        self.stopped = self.stopped or screened.stopped or polished.stopped

    @property
    def agreeing(self) -> tuple[int, int]:
        """How many optima equal the best, and how many of these have its W and V."""
        best, ratios = self.optima[0], (SEARCH.equal_loss_ratio, SEARCH.same_loss_ratio)
        equal, similar = (ratio * best.loss + SEARCH.exact_loss for ratio in ratios)
        n_equal = n_same = 0
        for optimum in self.optima:
            same = (
                optimum.loss <= similar and disagreement(best, optimum) < SEARCH.same_optimum_angle
            )
            n_same += same
            n_equal += same or optimum.loss <= equal
        return n_equal, n_same

    @property
    def sentence(self) -> str:
        """How far the starts agree, in words."""
        equal, agree = self.agreeing
        verdict = "" if agree == equal else "W and V are not unique: "
        return (
            f"{verdict}{len(self.residuals)} starts, {len(self.optima)} polished, {equal} of these "
            f"equally good, {agree} agree on W and V"
        )


def _list_optima(fit: Fit) -> list[LocalOptimum]:
    """Return the starts of a fit whose loss is finite."""
    loss = fit.jacobian_loss + fit.value_loss
    finite = np.flatnonzero(np.isfinite(loss))
    return [LocalOptimum(fit.W[s], fit.V[s], float(loss[s])) for s in finite]


def search(problem: Problem, basis: Basis, options: VarProOptions) -> SearchResult:
    """Try batches of starts until one is exact or the best is found again.

    Where the user has chosen no basis, a polynomial that fits exactly replaces ``basis``.
    """
    result = SearchResult(basis)
    data = make_data(problem, options.jacobian_weight, options.value_weight)
    batches = _draw_batches(problem, options)
    for index, rngs in enumerate(batches):
        known = options.known if index == 0 else ()
        W, V = _make_starts(problem, basis, data, rngs, known)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            screening_basis = _choose_screening_basis(problem, basis, index)
            weighted = _weight_for_screening(problem, options, data, index)
            stop = StopCriteria(SEARCH.screening_iterations, n_wanted=SEARCH.n_polished)
            report = options.make_reporter("screen", index, len(batches))
            screened = descend(weighted, W, V, screening_basis, 0.0, stop, report)
            if options.basis is None and np.nanmin(screened.loss) < SEARCH.exact_loss:
                result.basis = screening_basis
            report = options.make_reporter("polish", index, len(batches))
            polished = _polish(data, options, result.basis, screened, report)
        result.add(screened, polished)
        if not result.optima:
            raise DegenerateBranchError(
                "no start survived, its numbers overflowed: spread the points over all inputs, "
                "or use fewer branches"
            )
        again = index >= 1 and options.n_starts is None and result.agreeing[1] >= 2
        if result.stopped or result.optima[0].loss < SEARCH.exact_loss or again:
            break
    return result


def _choose_screening_basis(problem: Problem, basis: Basis, batch: int = 0) -> Polynomial:
    """Return polynomials of a degree that the basis, the points and the batch allow."""
    usual = SEARCH.screening_degrees[batch % len(SEARCH.screening_degrees)]
    n_points, n, m = problem.shape
    room = n_points * n * m // (2 * problem.n_branches)
    wanted = basis.degree if isinstance(basis, Polynomial) else usual
    return Polynomial(max(1, min(usual, wanted, room, n_points - 1)))


def _weight_for_screening(problem: Problem, options: VarProOptions, data: Data, batch: int) -> Data:
    """Return the Jacobians alone; from the second batch on, points have equal weight.

    The third batch, and all where the Jacobians have no weight, see the data as they are.
    """
    if not options.jacobian_weight or batch == 2:
        return data
    size = np.sum(problem.jacobians**2, axis=(1, 2))
    point_weights = None if batch == 0 else 1 / (size / size.mean() + 1e-6)
    return make_data(problem, 1.0, 0.0, point_weights)


def _polish(
    data: Data, options: VarProOptions, basis: Basis, screened: Descent, report: Report | None
) -> Descent:
    """Polish the best starts of a batch in a basis; those that met are polished once."""
    order = np.argsort(screened.loss, kind="stable")[: SEARCH.n_polished]
    stop = StopCriteria(options.max_iterations, patience=SEARCH.polishing_patience, n_wanted=1)
    weight = choose_polishing_weight(basis, options)
    if options.basis is None and isinstance(basis, BSpline):
        most = max(
            SEARCH.max_polishing_coefficients // screened.W.shape[2], SEARCH.min_polishing_splines
        )
        basis = replace(basis, n_coefficients=min(basis.n_coefficients, most))
    first = _find_first_met(screened.select(order))
    distinct, place = np.unique(first, return_inverse=True)
    kept = order[distinct]
    descent = descend(data, screened.W[kept], screened.V[kept], basis, weight, stop, report)
    return descent.select(place)


def _find_first_met(ended: Descent) -> Index:
    """For every start, the first one that is at the same W, V and loss."""
    starts = [LocalOptimum(*end) for end in zip(ended.W, ended.V, ended.loss, strict=True)]
    first = np.arange(len(starts))
    for k, start in enumerate(starts):
        for earlier in range(k):
            limit = SEARCH.met_loss_ratio * starts[earlier].loss + SEARCH.exact_loss
            near = start.loss <= limit and first[earlier] == earlier
            if near and disagreement(start, starts[earlier]) < SEARCH.met_angle:
                first[k] = earlier
                break
    return first


def choose_polishing_weight(basis: Basis, options: VarProOptions) -> float:
    """Return the weight of the penalty while W and V are polished in a basis."""
    if options.smoothing is not None:
        return options.smoothing
    return 0.0 if isinstance(basis, Polynomial) else SEARCH.polishing_penalty


def descend(
    data: Data,
    W: Array,
    V: Array,
    basis: Basis,
    smoothing: float,
    stop: StopCriteria,
    report: Report | None = None,
) -> Descent:
    """Bind the basis to the range of z at V, and minimise from there."""
    stack = make_stack(basis, data.points @ V, SEARCH.z_margin)
    return minimise(data, evaluate(data, stack, W, V, stack.penalty(smoothing)), stop, report)


def _draw_batches(problem: Problem, options: VarProOptions) -> list[list[np.random.Generator]]:
    """Return the generators of all starts, batch by batch."""
    _, n, m = problem.shape
    share = min(1.0, (SEARCH.ordinary_size / (problem.n_branches * (n + m))) ** 2)
    most = max(SEARCH.batch_sizes[0], round(SEARCH.n_starts * share))
    if options.known:  # which the first start continues
        most = min(most, SEARCH.n_starts_warm)
    most = options.n_starts or most
    rngs = spawn_generators(options.random_state, most)
    batches = []
    for size in (*SEARCH.batch_sizes, most):
        batches.append(rngs[:size])
        rngs = rngs[size:]
        if not rngs:
            break
    return batches


def _make_starts(
    problem: Problem,
    basis: Basis,
    data: Data,
    rngs: Sequence[np.random.Generator],
    known: Sequence[HasWV],
) -> tuple[Array, Array]:
    """Draw W and V; known columns replace the first of them.

    Where more branches are needed than are known, one more begins where these fit worst.
    """
    drawn = [problem.draw_factors(rng) for rng in rngs]
    W, V = (unit_columns(np.stack(matrices)) for matrices in zip(*drawn, strict=True))
    for s, function in enumerate(known[: len(rngs)]):
        pair = problem.from_user(function.W, function.V)
        known_W, known_V = (unit_columns(matrix[None]) for matrix in pair)
        shared = min(W.shape[2], known_W.shape[2])
        W[s, :, :shared], V[s, :, :shared] = known_W[0, :, :shared], known_V[0, :, :shared]
        if shared < W.shape[2]:
            stack = make_stack(_choose_screening_basis(problem, basis), data.points @ known_V)
            rest = compute_jacobian_residual(data, evaluate(data, stack, known_W, known_V))
            W[s, :, shared] = _find_principal_direction(rest.transpose(0, 2, 1))
            V[s, :, shared] = _find_principal_direction(rest)
    return W, V


def _find_principal_direction(table: Array) -> Array:
    rows = table.reshape(-1, table.shape[-1])
    return np.asarray(np.linalg.eigh(rows.T @ rows)[1][:, -1])


def count_screening_points(problem: Problem, basis: Basis) -> int:
    """Return the number of points that determine all unknowns at least four times."""
    _, n, m = problem.shape
    n_unknowns = problem.n_branches * (n + m + basis.n_functions)
    return max(SCREENING_POINTS, 4 * n_unknowns // (n * m))
