"""Variable projection: exact where an exact decoupling exists.

Branches are functions of z in a basis, their coefficients are eliminated (``_joint``), and
Levenberg-Marquardt works on W and V (``_levenberg``). Many starts are tried on few points
(``_search``), and the best is refined on all of them.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..._util.validation import check_non_negative, finite_array
from ...bases import Basis, BSpline
from ...data._samples import Samples
from ...errors import DegenerateBranchError, InvalidOptionError
from .._base import Candidate, Capabilities, Run, Solution, StopCriteria
from .._factors import HasWV
from .._problem import (
    REFINEMENT_FACTOR,
    Problem,
    check_n_branches,
    make_problem,
    max_input_directions,
)
from .._status import Status
from ._data import make_data
from ._joint import Fit, evaluate, evaluate_branches
from ._levenberg import EXACT_FIT_LOSS, Descent
from ._search import (
    SearchResult,
    VarProOptions,
    choose_polishing_weight,
    count_screening_points,
    descend,
    search,
)
from ._smoothing import choose_smoothing
from ._stack import make_stack

MAX_WORKING_COEFFICIENTS = 96  # of all branches together, where these are few


@dataclass(frozen=True, kw_only=True)
class VarPro(VarProOptions):
    """Variable projection on W and V, branches as functions of z.

    Parameters
    ----------
    n_starts : int or None
        Number of starts, unless an earlier one is exact. None: up to 24, fewer where W and V are
        large or several starts agree.
    max_iterations : int
        Levenberg-Marquardt steps per start and level.
    basis : Basis or None
        Basis of the branches while W and V are sought; quintic B-splines for None.
        ``decouple`` passes its own here.
    jacobian_weight, value_weight : float
        Weights of the Jacobians and of the values, each relative to its own size.
    smoothing : float or None
        Weight of a penalty on the third derivative of the branches (1e-10 is little, 1e-4 much);
        None lets generalised cross-validation choose it, which leaves none on exact data.
    known : sequence of anything with W and V
        Decouplings to start from; one with too few branches gets another where it fits worst.
    random_state, callback, weights
        As for every method; ``n_jobs`` is not used, since all starts run as one.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        supports_warm_start=True, postprocess=True, default_held_out=0.2, default_refine=True
    )

    def validate(self) -> Self:
        for name in ("jacobian_weight", "value_weight", "smoothing"):
            value = getattr(self, name)
            if value is not None or name != "smoothing":
                check_non_negative(name, value)
        if self.basis is not None and not isinstance(self.basis, Basis):
            raise InvalidOptionError(
                f"basis is {self.basis!r}: pass a Basis, or None for B-splines"
            )
        if not isinstance(self.known, Sequence) or not all(
            hasattr(k, "W") and hasattr(k, "V") for k in self.known
        ):
            raise InvalidOptionError("known must be a list of decouplings, each with W and V")
        if self.jacobian_weight + self.value_weight == 0:
            raise InvalidOptionError("jacobian_weight and value_weight are both 0: nothing to fit")
        counted = replace(self, n_starts=1) if self.n_starts is None else self
        return replace(super(VarPro, counted).validate(), n_starts=self.n_starts)

    def with_warm_start(self, basis: Basis | None, known: Sequence[HasWV]) -> Self:
        """Return a copy that starts from functions, in a basis unless it has one."""
        return replace(self, basis=self.basis or basis, known=(*known, *self.known))

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Find W and V, from many starts."""
        began = time.perf_counter()
        method = self.validate()
        check_n_branches(samples, n_branches)
        most = max_input_directions(n_branches)
        compress = self.jacobian_weight > 0
        problem = make_problem(
            samples, n_branches, self.weights, max_inputs=most, compress=compress
        )
        _check_known(self.known, samples)
        basis = _choose_working_basis(problem, self.basis)
        found = search(problem.thin(count_screening_points(problem, basis)), basis, method)
        last = _refine(problem, method, found)
        candidate = _candidate(problem, last, found)
        equal, agree = found.agreeing
        return Solution(
            method="varpro",
            factors=candidate.factors,
            objective=candidate.run.objective,
            start_objectives=found.residuals,
            candidates=(candidate,),
            status=candidate.run.status,
            seconds=time.perf_counter() - began,
            unique=equal == agree,
            remark=found.sentence,
            basis=found.basis,
            smoothing=last.smoothing,
            details=candidate.details,
        )


def _check_known(known: Sequence[HasWV], samples: Samples) -> None:
    """Reject known decouplings whose W and V do not match each other or the samples."""
    for function in known:
        W, V = finite_array("W of known", function.W, 2), finite_array("V of known", function.V, 2)
        if (len(W), len(V)) != (samples.n_outputs, samples.n_inputs):
            raise InvalidOptionError("known holds a decoupling of other inputs or outputs")
        if W.shape[1] != V.shape[1]:
            raise InvalidOptionError("known holds W and V of different numbers of branches")


def _choose_working_basis(problem: Problem, basis: Basis | None) -> Basis:
    """Return the basis asked for where it is smooth enough, else quintic splines."""
    n_points, n, m = problem.shape
    if basis is not None and basis.smoothness >= 2:
        basis.check_size(n_points)
        return basis.reduced(n_points)
    r = problem.n_branches
    most = max(MAX_WORKING_COEFFICIENTS // r, 32)
    count = int(np.clip(n_points * n * (m + 1) // (4 * r), 8, most))
    return BSpline(min(count, max(n_points // 2, 6)), degree=5)


@dataclass(frozen=True)
class _Last:
    """The fit on all points, the descent that led to it, and its smoothing."""

    fit: Fit
    descent: Descent
    smoothing: float


def _refine(problem: Problem, method: VarPro, found: SearchResult) -> _Last:
    """Refine the best optimum on ever more points, and choose the smoothing."""
    basis, best = found.basis, found.optima[0]
    W, V = best.W[None], best.V[None]
    weight = choose_polishing_weight(basis, method)
    levels = problem.levels(REFINEMENT_FACTOR * count_screening_points(problem, basis))
    for index, level in enumerate(levels):
        data = make_data(level, method.jacobian_weight, method.value_weight)
        report = method.make_reporter("refine", index, len(levels))
        stop = StopCriteria(method.max_iterations, 1e-2 if index else 1e-3, patience=2)
        descent = descend(data, W, V, basis, weight, stop, report)
        W, V = descent.W, descent.V
    smoothing = weight
    if method.smoothing is None:
        smoothing = float(choose_smoothing(data, descent.fit)[0])
    if smoothing != weight:
        stop = StopCriteria(method.max_iterations, 1e-4)
        descent = descend(data, W, V, basis, smoothing, stop, report)
        W, V = descent.W, descent.V
    z = problem.points @ V
    if np.any(np.ptp(z, axis=1) == 0):
        raise DegenerateBranchError(
            "a branch ended on a direction in which the points do not vary; spread the points over "
            "all inputs, or use fewer branches"
        )
    stack = make_stack(basis, z)
    return _Last(evaluate(data, stack, W, V, stack.penalty(smoothing)), descent, smoothing)


def _candidate(problem: Problem, last: _Last, found: SearchResult) -> Candidate:
    fit = last.fit
    factors, _ = problem.factors(fit.W[0], fit.V[0], *evaluate_branches(fit, problem.points))
    equal, agree = found.agreeing
    details = {
        "jacobian_residual": float(np.sqrt(fit.jacobian_loss[0])),
        "value_residual": float(np.sqrt(fit.value_loss[0])),
        "n_equal": equal,
        "n_agreeing": agree,
    }
    run = Run(None, last.descent.history, _status(last, found))
    return Candidate(factors, run, found.residuals, details)


def _status(last: _Last, found: SearchResult) -> Status:
    if found.stopped or last.descent.stopped:
        return Status.STOPPED
    if last.fit.loss[0] < 100 * EXACT_FIT_LOSS:
        return Status.EXACT
    return Status.CONVERGED if last.descent.settled[0] else Status.MAX_ITERATIONS
