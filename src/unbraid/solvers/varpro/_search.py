"""Where to start: many cheap starts on few points, the best of each batch polished.

Starts are screened with polynomial branches, which need neither knots nor smoothing. A batch in
which every point's Jacobian counts alike follows one in which the large ones rule: a steep corner
of f hides the rest of it from the one, and nothing from the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..._typing import Array, Index
from ...bases import Basis, Polynomial
from ...errors import DegenerateBranch
from .._base import NOT_UNIQUE
from .._factors import HasWV, disagreement
from .._problem import Problem
from .._starts import Options, generators
from ._joint import Data, Fit, evaluate, jacobian_residual, make_data
from ._levenberg import Descent, Patience, Report, minimise, unit
from ._stack import make_stack

SCREEN_DEGREES = (7, 9, 12)  # of one batch after the other: what one cannot see, the next may
SCREENING = Patience(40)
COARSE = 500  # points on which starts are compared
BATCHES = (4, 8, 12, 24)  # starts at a time
FULL_SEARCH = 24  # starts where W and V are of ordinary size ...
ORDINARY = 300  # ... that is, have no more entries than this
ANNEALING = (1e-11,)  # weights of the penalty while a start is polished
N_POLISHED = 3  # of each batch
GOOD = 1e-16  # loss at which no further start can be better by anything that matters
SAME, EQUAL = 0.05, 1.05  # rad and ratio of losses: two ends that are one
MARGIN = 0.05  # of the range of z, for V to move in


@dataclass(frozen=True)
class Hunt:
    """What the starts are tried on and with."""

    problem: Problem
    basis: Basis
    smoothing: float | None
    jacobian_weight: float
    value_weight: float
    max_iterations: int
    may_be_polynomial: bool
    options: Options
    known: Sequence[HasWV]

    def screen(self, batch: int = 0) -> Polynomial:
        """Polynomials as high as the basis asked for, the points, and good sense allow."""
        usual = SCREEN_DEGREES[batch % len(SCREEN_DEGREES)]
        n_points, n, m = self.problem.shape
        room = n_points * n * m // (2 * self.problem.n_branches)
        wanted = self.basis.degree if isinstance(self.basis, Polynomial) else usual
        return Polynomial(max(1, min(usual, wanted, room, n_points - 1)))


@dataclass(frozen=True, eq=False)
class End:
    """Where a polished start ended."""

    W: Array
    V: Array
    loss: float


@dataclass
class Found:
    """Ends of the starts that were polished, best first, and the residuals of all starts."""

    basis: Basis
    ends: list[End] = field(default_factory=list)
    residuals: tuple[float, ...] = ()
    history: tuple[float, ...] = ()
    stopped: bool = False

    def add(self, ends: Sequence[End], screened: Descent) -> None:
        """Take in another batch."""
        self.ends = sorted([*self.ends, *ends], key=lambda end: end.loss)
        residuals = np.sqrt(screened.fit.loss[np.isfinite(screened.fit.loss)])
        self.residuals = tuple(sorted([*self.residuals, *map(float, residuals)]))
        self.stopped = self.stopped or screened.stopped

    @property
    def agreeing(self) -> tuple[int, int]:
        """Of the ends as good as the best: how many there are, and how many have its W and V."""
        best = self.ends[0]
        equal = [end for end in self.ends if end.loss <= EQUAL * best.loss + GOOD]
        return len(equal), sum(disagreement(best, end) < SAME for end in equal)

    @property
    def sentence(self) -> str:
        """How far the starts agree, in words."""
        equal, agree = self.agreeing
        verdict = "" if agree == equal else f"{NOT_UNIQUE}: "
        return (
            f"{verdict}{len(self.residuals)} starts, {len(self.ends)} polished, {equal} of these "
            f"equally good, {agree} agree on W and V"
        )


def search(hunt: Hunt) -> Found:
    """Batches of starts, until one is exact or the best end has been found again."""
    found = Found(hunt.basis)
    data = make_data(hunt.problem, hunt.jacobian_weight, hunt.value_weight)
    batches = _batches(hunt)
    for index, rngs in enumerate(batches):
        W, V = _begin(hunt, rngs, index, data)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            report = hunt.options.reporter("screen", index, len(batches))
            screen = hunt.screen(index)
            screened = descend(
                _screening_data(hunt, data, index), W, V, screen, 0.0, SCREENING, report
            )
            if hunt.may_be_polynomial and np.nanmin(screened.fit.loss) < GOOD:
                found.basis = screen
            report = hunt.options.reporter("polish", index, len(batches))
            ends, history = _polished(hunt, data, found, screened.fit, report)
        found.add(ends, screened)
        found.history = found.history or history
        if not found.ends:
            raise DegenerateBranch(
                "no start survived, its numbers overflowed: spread the points over all inputs, or "
                "use fewer branches"
            )
        again = index >= 1 and hunt.options.n_starts is None and found.agreeing[1] >= 2
        if found.stopped or found.ends[0].loss < GOOD or again:
            break
    return found


def _screening_data(hunt: Hunt, data: Data, index: int) -> Data:
    """Jacobians alone, plain or levelled in turn, then both parts; values alone if asked for."""
    if not hunt.jacobian_weight or index == 2:
        return data
    size = np.sum(hunt.problem.jacobians**2, axis=(1, 2))
    levelling = None if index == 0 else 1 / (size / size.mean() + 1e-6)
    return make_data(hunt.problem, 1.0, 0.0, levelling)


def _polished(
    hunt: Hunt, data: Data, found: Found, fit: Fit, report: Report | None
) -> tuple[list[End], tuple[float, ...]]:
    """The best starts of a batch in the basis asked for, less and less penalised."""
    order = np.argsort(fit.loss, kind="stable")[:N_POLISHED]
    W, V = fit.W[order], fit.V[order]
    patience = Patience(hunt.max_iterations, 1e-3, 4)
    history: tuple[float, ...] = ()
    for weight in annealing(found.basis, hunt.smoothing):
        descent = descend(data, W, V, found.basis, weight, patience, report)
        W, V = descent.fit.W, descent.fit.V
        history += descent.history
        found.stopped = found.stopped or descent.stopped
    loss = descent.fit.jacobian_loss + descent.fit.value_loss
    return [End(W[s], V[s], float(loss[s])) for s in np.flatnonzero(np.isfinite(loss))], history


def annealing(basis: Basis, smoothing: float | None) -> tuple[float, ...]:
    """Weights of the penalty, one after the other; polynomials are smooth enough without."""
    if smoothing is not None:
        return (smoothing,)
    return (0.0,) if isinstance(basis, Polynomial) else ANNEALING


def descend(
    data: Data,
    W: Array,
    V: Array,
    basis: Basis,
    smoothing: float,
    patience: Patience,
    report: Report | None = None,
) -> Descent:
    """Bind the basis where V is, and go down from there."""
    stack = make_stack(basis, data.points @ V, MARGIN)
    return minimise(data, evaluate(data, stack, W, V, stack.penalty(smoothing)), patience, report)


def _batches(hunt: Hunt) -> list[list[np.random.Generator]]:
    _, n, m = hunt.problem.shape
    share = min(1.0, (ORDINARY / (hunt.problem.n_branches * (n + m))) ** 2)
    most = hunt.options.n_starts or max(BATCHES[0], round(FULL_SEARCH * share))
    rngs = generators(hunt.options.random_state, most)
    batches = []
    for size in (*BATCHES, most):
        batches.append(rngs[:size])
        rngs = rngs[size:]
        if not rngs:
            break
    return batches


def _begin(
    hunt: Hunt, rngs: Sequence[np.random.Generator], index: int, data: Data
) -> tuple[Array, Array]:
    """Random W and V; in the first batch also what is known, completed."""
    _, n, m = hunt.problem.shape
    r = hunt.problem.n_branches
    W = unit(np.stack([rng.standard_normal((n, r)) for rng in rngs]))
    V = unit(np.stack([rng.standard_normal((m, r)) for rng in rngs]))
    for s, known in enumerate(hunt.known[: len(rngs)] if index == 0 else ()):
        W[s], V[s] = _completed(hunt, data, known, W[s], V[s])
    return W, V


def _completed(hunt: Hunt, data: Data, known: HasWV, W: Array, V: Array) -> tuple[Array, Array]:
    """What is known, a further branch where it fits worst, and as given for the rest."""
    known_W, known_V = (unit(x[None]) for x in hunt.problem.from_user(known.W, known.V))
    shared = min(W.shape[1], known_W.shape[2])
    W, V = W.copy(), V.copy()
    W[:, :shared], V[:, :shared] = known_W[0, :, :shared], known_V[0, :, :shared]
    if shared < W.shape[1]:
        stack = make_stack(hunt.screen(), data.points @ known_V)
        rest = jacobian_residual(data, evaluate(data, stack, known_W, known_V))
        W[:, shared] = _principal(rest.transpose(0, 2, 1))
        V[:, shared] = _principal(rest)
    return W, V


def _principal(table: Array) -> Array:
    """The direction of the last axis that holds most of a table."""
    rows = table.reshape(-1, table.shape[-1])
    return np.asarray(np.linalg.eigh(rows.T @ rows)[1][:, -1])


def coarse(problem: Problem, basis: Basis) -> Problem:
    """The problem on enough points to compare starts on: all unknowns determined four times."""
    return problem.subset(spread_rows(problem, enough_points(problem, basis)))


def enough_points(problem: Problem, basis: Basis) -> int:
    """Points on which W and V can be sought."""
    _, n, m = problem.shape
    unknowns = problem.n_branches * (n + m + basis.n_functions)
    return max(COARSE, 4 * unknowns // (n * m))


def spread_rows(problem: Problem, size: int) -> Index:
    """So many rows, evenly over the record, which is in order of place."""
    n_points = problem.points.shape[0]
    return np.unique(np.linspace(0, n_points - 1, min(size, n_points)).astype(np.intp))
