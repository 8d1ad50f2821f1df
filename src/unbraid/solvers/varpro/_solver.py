"""Variable projection in function space: exact where an exact decoupling exists.

Branches are functions of z in a basis, their coefficients are eliminated (``joint``), and
Levenberg-Marquardt works on W and V (``levenberg``). Many starts are tried on few points
(``search``), and the best is carried to all of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..._util.validation import finite_array, non_negative
from ...bases import Basis, BSpline
from ...data._samples import Samples
from ...errors import DegenerateBranch, InvalidOption
from .._base import STOPPED, Candidate, Run, Solution
from .._factors import HasWV
from .._problem import Problem, check_count, make_problem, most_directions
from .._starts import Options
from ._joint import Fit, branch_values, evaluate, make_data
from ._levenberg import EXACT, Descent, Patience
from ._search import Found, Hunt, annealing, coarse, descend, enough_points, search, spread_rows
from ._smoothing import cross_validated
from ._stack import make_stack

FINER = 8  # times more points a level
MOST_COEFFICIENTS = 96  # of all branches together, where they are few


@dataclass(frozen=True, kw_only=True)
class VarPro(Options):
    """Variable projection on W and V, branches as functions of z.

    Parameters
    ----------
    n_starts : int or None
        Starts to be tried, unless one is exact before. None: up to 24, fewer where W and V are
        large or several starts agree.
    max_iterations : int
        Levenberg-Marquardt steps a start and level.
    basis : Basis or None
        What branches are made of while W and V are sought; quintic B-splines for None.
        ``decouple`` passes its own here.
    jacobian_weight, value_weight : float
        How much the Jacobians and the values count, each relative to its own size.
    smoothing : float or None
        Weight of a penalty on the third derivative of the branches (1e-10 is little, 1e-4 much);
        None lets generalised cross-validation choose it, which leaves none on exact data.
    known : sequence of anything with W and V
        Decouplings to start from; one with too few branches gets another where it fits worst.
    random_state, callback, weights
        As for every method; ``n_jobs`` is not used, since all starts run as one.
    """

    n_starts: int | None = None  # type: ignore[assignment]
    max_iterations: int = 100
    basis: Basis | None = None
    jacobian_weight: float = 0.1
    value_weight: float = 1.0
    smoothing: float | None = None
    known: Sequence[HasWV] = ()

    def prepared(self) -> Self:
        for name in ("jacobian_weight", "value_weight", "smoothing"):
            value = getattr(self, name)
            if value is not None or name != "smoothing":
                non_negative(name, value)
        if self.basis is not None and not isinstance(self.basis, Basis):
            raise InvalidOption(f"basis is {self.basis!r}: pass a Basis, or None for B-splines")
        if not isinstance(self.known, Sequence) or not all(
            hasattr(k, "W") and hasattr(k, "V") for k in self.known
        ):
            raise InvalidOption("known must be a list of decouplings, each with W and V")
        if self.jacobian_weight + self.value_weight == 0:
            raise InvalidOption("jacobian_weight and value_weight are both 0: nothing to fit")
        counted = replace(self, n_starts=1) if self.n_starts is None else self
        return replace(super(VarPro, counted).prepared(), n_starts=self.n_starts)

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Find W and V, from many starts."""
        began = time.perf_counter()
        method = self.prepared()
        check_count(samples, n_branches)
        most = most_directions(n_branches)
        compress = self.jacobian_weight > 0
        problem = make_problem(
            samples, n_branches, self.weights, most_inputs=most, compress=compress
        )
        for known in self.known:
            W, V = finite_array("W of known", known.W, 2), finite_array("V of known", known.V, 2)
            if (len(W), len(V)) != (samples.n_outputs, samples.n_inputs):
                raise InvalidOption("known holds a decoupling of other inputs or outputs")
            if W.shape[1] != V.shape[1]:
                raise InvalidOption("known holds W and V of different numbers of branches")
        basis = _working_basis(problem, self.basis)
        found = search(_hunt(coarse(problem, basis), method, basis))
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
            diagnosis=found.sentence,
            details=candidate.details,
        )


def _hunt(problem: Problem, method: VarPro, basis: Basis) -> Hunt:
    return Hunt(
        problem,
        basis,
        method.smoothing,
        method.jacobian_weight,
        method.value_weight,
        method.max_iterations,
        method.basis is None,
        method,
        method.known,
    )


def _working_basis(problem: Problem, basis: Basis | None) -> Basis:
    """The basis asked for where it is smooth enough, else quintic splines."""
    n_points, n, m = problem.shape
    if basis is not None and basis.smoothness >= 2:
        return basis.reduced(n_points)
    r = problem.n_branches
    count = int(np.clip(n_points * n * (m + 1) // (4 * r), 8, max(MOST_COEFFICIENTS // r, 32)))
    return BSpline(min(count, max(n_points // 2, 6)), degree=5)


@dataclass(frozen=True)
class _Last:
    """The fit on all points, the descent that led to it, and its smoothing."""

    fit: Fit
    descent: Descent
    smoothing: float


def _carried(problem: Problem, method: VarPro, found: Found) -> _Last:
    """The best end on ever more points, last on all of them; smoothing chosen there."""
    basis, best = found.basis, found.ends[0]
    W, V = best.W[None], best.V[None]
    weight = annealing(basis, method.smoothing)[-1]
    levels = _levels(problem, basis)
    for index, level in enumerate(levels):
        data = make_data(level, method.jacobian_weight, method.value_weight)
        report = method.reporter("refine", index, len(levels))
        patience = Patience(method.max_iterations, 1e-2 if index else 1e-3, 2)
        descent = descend(data, W, V, basis, weight, patience, report)
        W, V = descent.fit.W, descent.fit.V
    smoothing = weight if method.smoothing is not None else cross_validated(data, descent.fit)
    if smoothing != weight:
        patience = Patience(method.max_iterations, 1e-4, 3)
        descent = descend(data, W, V, basis, smoothing, patience, report)
        W, V = descent.fit.W, descent.fit.V
    z = problem.points @ V
    if np.any(np.ptp(z, axis=1) == 0):
        raise DegenerateBranch(
            "a branch ended on a direction in which the points do not vary; spread the points over "
            "all inputs, or use fewer branches"
        )
    stack = make_stack(basis, z)
    return _Last(evaluate(data, stack, W, V, stack.penalty(smoothing)), descent, smoothing)


def _levels(problem: Problem, basis: Basis) -> list[Problem]:
    """The problem on ever more of its points, last on all."""
    levels = []
    size = FINER * enough_points(problem, basis)
    while 2 * size < problem.points.shape[0]:
        levels.append(problem.subset(spread_rows(problem, size)))
        size *= FINER
    return [*levels, problem]


def _candidate(problem: Problem, method: VarPro, last: _Last, found: Found) -> Candidate:
    fit = last.fit
    factors, _ = problem.factors(fit.W[0], fit.V[0], *branch_values(fit, problem.points))
    equal, agree = found.agreeing
    reason, converged = _ending(method, last, found)
    details = {
        "basis": found.basis,
        "smoothing": last.smoothing,
        "jacobian_residual": float(np.sqrt(fit.jacobian_loss[0])),
        "value_residual": float(np.sqrt(fit.value_loss[0])),
        "n_equal": equal,
        "n_agreeing": agree,
    }
    objective = (*found.history, *last.descent.history)
    return Candidate(factors, Run(None, objective, reason, converged), found.residuals, details)


def _ending(method: VarPro, last: _Last, found: Found) -> tuple[str, bool]:
    """Why the work ended, and whether it was at its end."""
    if found.stopped or last.descent.stopped:
        return STOPPED, False
    if last.fit.loss[0] < 100 * EXACT:
        return "the decomposition is exact to rounding", True
    if last.descent.settled[0]:
        return "the objective has settled", True
    return f"max_iterations = {method.max_iterations} reached while still improving", False
