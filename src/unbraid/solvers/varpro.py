"""Variable projection in function space: exact where an exact decoupling exists.

Branches are functions of z in a basis, coefficients are eliminated, and Levenberg-Marquardt works
on W and V (``joint``, ``levenberg``). Many starts are tried on few points with polynomial branches,
the best are polished in the basis asked for, and the best of those is carried to all points.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ..bases import Basis, BSpline, Polynomial
from ..errors import DegenerateBranch, InvalidOption
from ..factors import HasWV, disagreement
from ..samples import Samples
from ..tensor import Array
from .base import Candidate, Run, Solution
from .joint import Data, Fit, branch_values, evaluate, make_data
from .levenberg import EXACT, Descent, Patience, minimise, unit
from .problem import Problem, make_problem
from .smoothing import cross_validated
from .stack import make_stack
from .starts import Options, generators

SCREEN_DEGREE = 7
MOST_COEFFICIENTS = 96  # of all branches together, where they are few
COARSE, FINER = 500, 8  # points that starts are compared on, and how many times more a level
BATCHES = (4, 8, 12, 24)  # starts at a time
N_POLISHED = 3  # of each batch
ANNEALING = (1e-11,)  # weights of the penalty while a start is polished
GOOD = 1e-16  # loss at which no further start can be better by anything that matters
SAME, EQUAL = 0.05, 1.05  # rad and ratio of losses: two ends that are one


@dataclass(frozen=True, kw_only=True)
class VarPro(Options):
    """Variable projection on W and V, branches as functions of z.

    Parameters
    ----------
    n_starts : int or None
        Most starts to be tried; fewer are when one is exact or several agree. None: 24, fewer
        where W and V are large.
    max_iterations : int
        Levenberg-Marquardt steps a start and level.
    basis : Basis or None
        What branches are made of while W and V are sought; quintic B-splines for None.
        ``decouple`` passes its own here.
    jacobian_weight, value_weight : float
        How much the Jacobians and the values count, each relative to its own size.
    smoothing : float or None
        Weight of a penalty on g'''; None lets generalised cross-validation choose it, which
        leaves none on exact data.
    known : sequence of anything with W and V
        Decouplings to start from; one with too few branches gets new ones where it fits worst.
    random_state, callback, weights
        As for every method; ``workers`` is not used, since all starts run as one.
    """

    n_starts: int | None = None  # type: ignore[assignment]
    max_iterations: int = 100
    basis: Basis | None = None
    jacobian_weight: float = 1.0
    value_weight: float = 1.0
    smoothing: float | None = None
    known: Sequence[HasWV] = ()

    def prepared(self) -> Self:
        for name in ("jacobian_weight", "value_weight", "smoothing"):
            value = getattr(self, name)
            if value is None and name == "smoothing":
                continue
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not 0 <= value < np.inf:
                raise InvalidOption(f"{name} must be a finite number >= 0, got {value!r}")
        if self.jacobian_weight + self.value_weight == 0:
            raise InvalidOption("jacobian_weight and value_weight are both 0: nothing to fit")
        counted = replace(self, n_starts=1) if self.n_starts is None else self
        checked = super(VarPro, counted).prepared()
        return replace(checked, n_starts=self.n_starts)

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Find W and V, from many starts."""
        began = time.perf_counter()
        method = self.prepared()
        problem = make_problem(samples, n_branches, self.weights)
        found = _search(problem, method)
        if found.polynomial is not None:
            method = replace(method, basis=found.polynomial)
        last = _carried(problem, method, found)
        candidate = _candidate(problem, method, last, found)
        return Solution(
            method="varpro",
            factors=candidate.factors,
            objective=candidate.run.objective,
            start_objectives=found.residuals,
            candidates=(candidate,),
            stop_reason=candidate.run.stop_reason,
            converged=candidate.run.converged,
            seconds=time.perf_counter() - began,
            diagnosis=found.agreement(last.fit),
            details=candidate.details,
        )


@dataclass(frozen=True)
class _End:
    """Where a polished start ended."""

    W: Array
    V: Array
    loss: float


@dataclass
class _Found:
    """Ends of the starts that were polished, best first, and the residuals of all starts."""

    ends: list[_End] = field(default_factory=list)
    residuals: tuple[float, ...] = ()
    history: tuple[float, ...] = ()
    stopped: bool = False
    polynomial: Basis | None = None  # in which the starts are exact already

    def add(self, ends: Sequence[_End], residuals: Array) -> None:
        self.ends = sorted([*self.ends, *ends], key=lambda end: end.loss)
        self.residuals = tuple(sorted([*self.residuals, *map(float, residuals)]))

    @property
    def n_agreeing(self) -> tuple[int, int]:
        """Of the ends as good as the best: how many there are, and how many have its W and V."""
        best = self.ends[0]
        equal = [end for end in self.ends if end.loss <= EQUAL * best.loss + GOOD]
        return len(equal), sum(disagreement(best, end) < SAME for end in equal)

    def agreement(self, fit: Fit) -> str:
        equal, agree = self.n_agreeing
        n_starts = len(self.residuals)
        verdict = "" if agree == equal else "W and V are not unique: "
        return (
            f"{verdict}{n_starts} starts, {len(self.ends)} polished, {equal} of these equally good, "
            f"{agree} agree on W and V"
        )


def _search(problem: Problem, method: VarPro) -> _Found:
    """Batches of starts on few points, until one is exact or the best are found again."""
    coarse = _coarse(problem, method)
    data = make_data(coarse, method.jacobian_weight, method.value_weight)
    plain = make_data(coarse, 1.0, 0.0) if method.jacobian_weight else data
    found = _Found()
    for index, rngs in enumerate(_batches(problem, method)):
        screened = data if index % 2 == 0 and method.known else plain
        if index % 2 == 1 and method.jacobian_weight:
            screened = make_data(coarse, 1.0, 0.0, _levelling(coarse))
        W, V = _begin(coarse, method, rngs, index)
        report = method.reporter("screen", index, len(BATCHES))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            screen = _descend(screened, W, V, _screen_basis(coarse, method), 0.0, Patience(40), report)
            order = np.argsort(screen.fit.loss, kind="stable")[:N_POLISHED]
            if method.basis is None and float(screen.fit.loss.min()) < GOOD:
                found.polynomial = _screen_basis(coarse, method)
                method = replace(method, basis=found.polynomial)
            ends, history, stopped = _polished(data, coarse, method, screen.fit, order, index)
        found.add(ends, np.sqrt(screen.fit.loss))
        found.history = found.history or history
        found.stopped = found.stopped or stopped or screen.stopped
        if not found.ends:
            raise DegenerateBranch(
                "no start survived: spread the points over all inputs, or use fewer branches"
            )
        equal, agree = found.n_agreeing
        if found.stopped or found.ends[0].loss < GOOD or (index >= 1 and agree >= 2):
            break
    return found


def _polished(
    data: Data, problem: Problem, method: VarPro, fit: Fit, order: Array, index: int
) -> tuple[list[_End], tuple[float, ...], bool]:
    """The best starts of a batch in the basis asked for, less and less penalised."""
    W, V = fit.W[order], fit.V[order]
    basis = _basis(problem, method)
    history: tuple[float, ...] = ()
    stopped = False
    for weight in _annealing(method, basis):
        report = method.reporter("polish", index, len(BATCHES))
        descent = _descend(
            data, W, V, basis, weight, Patience(method.max_iterations, 1e-3, 4), report
        )
        W, V = descent.fit.W, descent.fit.V
        history += descent.history
        stopped = stopped or descent.stopped
        if stopped:
            break
    loss = descent.fit.jacobian_loss + descent.fit.value_loss
    ends = [_End(W[s], V[s], float(loss[s])) for s in range(len(W)) if np.isfinite(loss[s])]
    return ends, history, stopped


def _annealing(method: VarPro, basis: Basis) -> tuple[float, ...]:
    """Weights of the penalty, one after the other; polynomials are smooth enough without."""
    if method.smoothing is not None:
        return (method.smoothing,)
    return (0.0,) if isinstance(basis, Polynomial) else ANNEALING


def _descend(data, W, V, basis, weight, patience, report=None) -> Descent:
    stack = make_stack(basis, data.points @ V, margin=0.05)
    return minimise(data, evaluate(data, stack, W, V, stack.penalty(weight)), patience, report)


def _levelling(problem: Problem) -> Array:
    """Weights under which every point's Jacobian counts alike: no steep corner hides the rest."""
    size = np.sum(problem.jacobians**2, axis=(1, 2))
    return np.asarray(1 / (size / size.mean() + 1e-6))


def _batches(problem: Problem, method: VarPro) -> list[list[np.random.Generator]]:
    _, n, m = problem.shape
    outer = problem.n_branches * (n + m)
    most = method.n_starts or max(4, int(24 * min(1.0, (300 / outer) ** 2)))
    rngs = generators(method.random_state, most)
    batches = []
    for size in (*BATCHES, most):
        batches.append(rngs[:size])
        rngs = rngs[size:]
        if not rngs:
            break
    return batches


def _begin(problem: Problem, method: VarPro, rngs: Sequence[np.random.Generator], index: int):
    _, n, m = problem.shape
    r = problem.n_branches
    W = np.stack([rng.standard_normal((n, r)) for rng in rngs])
    V = np.stack([rng.standard_normal((m, r)) for rng in rngs])
    if index == 0:
        for s, known in enumerate(method.known[: len(rngs)]):
            begin_W, begin_V = problem.from_user(known.W, known.V)
            shared = min(r, begin_W.shape[1])
            W[s, :, :shared], V[s, :, :shared] = begin_W[:, :shared], begin_V[:, :shared]
    return unit(W), unit(V)


def _coarse(problem: Problem, method: VarPro) -> Problem:
    return problem.subset(_rows(problem, max(COARSE, _needed(problem, method))))


def _needed(problem: Problem, method: VarPro) -> int:
    """Points that determine all unknowns four times over."""
    _, n, m = problem.shape
    unknowns = problem.n_branches * (n + m + _basis(problem, method).n_functions)
    return 4 * unknowns // (n * m)


def _rows(problem: Problem, size: int):
    n_points = problem.points.shape[0]
    return np.unique(np.linspace(0, n_points - 1, min(size, n_points)).astype(np.intp))


def _screen_basis(problem: Problem, method: VarPro) -> Basis:
    basis = _basis(problem, method)
    degree = min(SCREEN_DEGREE, basis.degree if isinstance(basis, Polynomial) else SCREEN_DEGREE)
    n_points, n, m = problem.shape
    return Polynomial(max(1, min(degree, n_points * n * m // (2 * problem.n_branches))))


def _basis(problem: Problem, method: VarPro) -> Basis:
    """The basis asked for where it is smooth enough, else quintic splines."""
    if method.basis is not None and method.basis.smoothness >= 2:
        return method.basis.reduced(problem.shape[0])
    n_points, n, m = problem.shape
    r = problem.n_branches
    count = int(np.clip(n_points * n * (m + 1) // (4 * r), 8, max(MOST_COEFFICIENTS // r, 32)))
    return BSpline(min(count, max(n_points // 2, 6)), degree=5)


@dataclass(frozen=True)
class _Last:
    fit: Fit
    descent: Descent
    smoothing: float


def _carried(problem: Problem, method: VarPro, found: _Found) -> _Last:
    """The best end on ever more points, last on all of them; smoothing chosen there."""
    basis = _basis(problem, method)
    best = found.ends[0]
    W, V = best.W[None], best.V[None]
    smoothing = method.smoothing or 0.0
    size = max(COARSE, _needed(problem, method)) * FINER
    levels = []
    while 2 * size < problem.points.shape[0]:
        levels.append(problem.subset(_rows(problem, size)))
        size *= FINER
    for index, level in enumerate([*levels, problem]):
        data = make_data(level, method.jacobian_weight, method.value_weight)
        report = method.reporter("refine", index, len(levels) + 1)
        patience = Patience(method.max_iterations, 1e-2 if index else 1e-3, 2)
        weight = _annealing(method, basis)[-1]
        descent = _descend(data, W, V, basis, weight, patience, report)
        W, V = descent.fit.W, descent.fit.V
    if method.smoothing is None:
        smoothing = cross_validated(data, descent.fit)
    if smoothing != weight:
        descent = _descend(data, W, V, basis, smoothing, Patience(method.max_iterations, 1e-4, 3), report)
        W, V = descent.fit.W, descent.fit.V
    z = problem.points @ V
    if np.any(np.ptp(z, axis=1) == 0):
        raise DegenerateBranch(
            "a branch ended on a direction in which the points do not vary; spread the points over "
            "all inputs, or use fewer branches"
        )
    stack = make_stack(basis, z)
    return _Last(evaluate(data, stack, W, V, stack.penalty(smoothing)), descent, smoothing)


def _candidate(problem: Problem, method: VarPro, last: _Last, found: _Found) -> Candidate:
    fit = last.fit
    G, derivatives = branch_values(fit, problem.points)
    factors, _ = problem.factors(fit.W[0], fit.V[0], G, derivatives)
    equal, agree = found.n_agreeing
    settled = bool(last.descent.settled[0])
    if found.stopped or last.descent.stopped:
        reason, settled = "stopped by the callback", False
    elif fit.loss[0] < EXACT * 100:
        reason, settled = "the decomposition is exact to rounding", True
    elif settled:
        reason = "the objective fell by less than 0.1 % in several steps"
    else:
        reason = f"max_iterations = {method.max_iterations} reached while still improving"
    objective = (*found.history, *last.descent.history)
    details = {
        "smoothing": last.smoothing,
        "basis": _basis(problem, method),
        "jacobian_residual": float(np.sqrt(fit.jacobian_loss[0])),
        "value_residual": float(np.sqrt(fit.value_loss[0])),
        "n_equal": equal,
        "n_agreeing": agree,
    }
    return Candidate(factors, Run(None, objective, reason, settled), found.residuals, details)
