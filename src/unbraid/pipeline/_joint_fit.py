"""Fit all parameters of functions to samples at once, from where they are.

The numerics are those of ``solvers.varpro``: here they work in the basis of the branches, begin
with the function's own W and V, and return a function.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis
from ..data._samples import Samples
from ..errors import InvalidOptionError
from ..model._curves import Expansion
from ..model._function import DecoupledFunction
from ..solvers._base import StopCriteria
from ..solvers._factors import unit_columns
from ..solvers._problem import Problem, make_problem, max_input_directions
from ..solvers._status import Status
from ..solvers.varpro._data import Data, join_data, make_data
from ..solvers.varpro._joint import Fit, evaluate, evaluate_starts, with_penalty
from ..solvers.varpro._levenberg import minimise
from ..solvers.varpro._smoothing import choose_smoothing
from ..solvers.varpro._stack import Stack, make_stack
from ._fitted_function import function_from_fit
from ._pattern import find_free_changes, has_pattern

INITIAL_SMOOTHING = 1e-12  # penalty weight at which generalised cross-validation begins


@dataclass(frozen=True)
class FitObjective:
    """What a joint fit minimises.

    Attributes
    ----------
    jacobian_weight, value_weight : float
        Relative to the size of the Jacobians and of the values.
    smoothing : float or "auto"
        Weight of the penalty on the third derivative of the branches.
    cancellation : float
        Weight of the penalty on the variance of the branches.
    selects_again : bool
        Whether an automatic smoothing is selected again after the descent.
    """

    jacobian_weight: float
    value_weight: float = 1.0
    smoothing: float | Literal["auto"] = 0.0
    cancellation: float = 0.0
    selects_again: bool = True

    def penalty(self, stack: Stack, smoothing: float | Array) -> Array | None:
        """Matrix of both penalties on the coefficients; None where there is none."""
        rough = stack.penalty(smoothing)
        if self.cancellation == 0:
            return rough
        large = self.cancellation * stack.energy
        return large if rough is None else large + rough


@dataclass(frozen=True, eq=False)
class FitTask:
    """A function and the samples that it is fitted to.

    ``problem`` holds the samples in the solver's coordinates, see ``problem_for``. ``basis`` is
    that of all branches; by default it is the one that they share, or their own. Zeros in W and V
    stay, and branches along one direction too.
    """

    function: DecoupledFunction
    samples: Samples
    problem: Problem
    basis: Basis | None = None
    point_weights: Array | None = None


def fit_jointly(
    function: DecoupledFunction,
    samples: Samples,
    problem: Problem,
    objective: FitObjective,
    stop: StopCriteria,
    *,
    basis: Basis | None = None,
    point_weights: Array | None = None,
) -> tuple[DecoupledFunction, Status]:
    """Return one function fitted to samples, and why the iteration stopped."""
    task = FitTask(function, samples, problem, basis, point_weights)
    return fit_together([task], objective, stop)[0]


def fit_together(
    tasks: Sequence[FitTask], objective: FitObjective, stop: StopCriteria
) -> list[tuple[DecoupledFunction, Status]]:
    """Return all functions fitted, and why their iterations stopped.

    Fits of the same shapes are one computation on arrays.
    """
    report_progress()
    batches: list[list[_TaskStart]] = []
    starts = [_make_start(task, objective) for task in tasks]
    for start in starts:
        batch = next((b for b in batches if _can_join(b, start)), None)
        if batch is None:
            batches.append([start])
        else:
            batch.append(start)
    found = {
        id(start): result
        for batch in batches
        for start, result in zip(batch, _fit_batch(batch, objective, stop), strict=True)
    }
    return [found[id(start)] for start in starts]


@dataclass(frozen=True, eq=False)
class _TaskStart:
    """A task in the solver's coordinates.

    ``free`` (1, q, any) are the changes of W and V that are made; None for all.
    """

    task: FitTask
    bases: tuple[Basis, ...]
    data: Data
    W: Array  # (1, n, r)
    V: Array
    free: Array | None

    @property
    def kind(self) -> tuple[Any, ...]:
        """What the starts of a batch have in common."""
        free = None if self.free is None else self.free.shape
        return self.W.shape, self.V.shape, free, self.bases


def _make_start(task: FitTask, objective: FitObjective) -> _TaskStart:
    function, problem = task.function, task.problem
    bases = _check_bases(task)
    rows = task.point_weights
    rows = None if rows is None else rows[np.argsort(problem.row_of_sample)]
    data = make_data(problem, objective.jacobian_weight, objective.value_weight, rows)
    W, V = (unit_columns(x[None]) for x in problem.from_user(function.W, function.V))
    free = find_free_changes(function, W[0], V[0])[None] if has_pattern(function) else None
    return _TaskStart(task, bases, data, W, V, free)


def _check_bases(task: FitTask) -> tuple[Basis, ...]:
    """The basis of each branch, if these are smooth and small enough."""
    function, basis = task.function, task.basis
    bases = branch_bases(function) if basis is None else (basis,) * function.n_branches
    if bases is None or not all(_is_smooth(basis) for basis in bases):
        raise InvalidOptionError(
            "refine needs branches in a basis with second derivatives: pass basis=, say BSpline(12)"
        )
    for each in bases:
        each.check_size(len(task.samples))
    return bases


def _can_join(batch: Sequence[_TaskStart], start: _TaskStart) -> bool:
    """Whether a start has the shapes of a batch, and the arrays of all stay small."""
    if batch[0].kind != start.kind:
        return False
    n_points = max(each.data.sizes[0] for each in (*batch, start))
    n_functions = max(basis.n_functions for basis in start.bases)
    return n_points <= start.data.chunk_size(len(batch) + 1, len(start.bases), n_functions)


def _fit_batch(
    starts: Sequence[_TaskStart], objective: FitObjective, stop: StopCriteria
) -> list[tuple[DecoupledFunction, Status]]:
    """Fit starts of the same shapes."""
    data, bases = join_data([start.data for start in starts]), starts[0].bases
    W, V = (np.concatenate([getattr(start, name) for start in starts]) for name in "WV")
    changes = [start.free for start in starts if start.free is not None]
    free = np.concatenate(changes) if changes else None
    fit, smoothing = _fit_coefficients(data, bases, W, V, objective, objective.smoothing)
    settled = np.ones(len(starts), dtype=bool)
    if stop.max_iterations and (free is None or free.size):
        descent = minimise(data, fit, replace(stop, n_exact=len(starts)), free=free)
        settled = descent.settled
        if len(descent.history) > 1:
            last = objective.smoothing if objective.selects_again else smoothing
            fit, _ = _fit_coefficients(data, bases, descent.W, descent.V, objective, last)
    G, slopes = evaluate_starts(fit, data.points)
    results = []
    for s, start in enumerate(starts):
        task, rows = start.task, slice(0, start.data.sizes[0])
        fitted = function_from_fit(
            task.samples,
            task.problem,
            fit,
            s,
            (G[s, rows], slopes[s, rows]),
            bases,
            task.function,
            task.point_weights,
        ).named(task.function.input_names, task.function.output_names)
        results.append((fitted, Status.CONVERGED if settled[s] else Status.MAX_ITERATIONS))
    return results


def problem_for(
    function: DecoupledFunction,
    samples: Samples,
    output_weights: Sequence[float] | Array | None,
    compress: bool = True,
) -> Problem:
    """Samples in the solver's coordinates, which contain the function's directions.

    They are the inputs themselves where the function has a pattern to keep.
    """
    n_branches = function.n_branches
    if has_pattern(function):
        return make_problem(samples, n_branches, output_weights, compress=False)
    return make_problem(
        samples,
        n_branches,
        output_weights,
        max_inputs=max_input_directions(n_branches),
        keep=function.V,
        compress=compress,
    )


def common_basis(function: DecoupledFunction) -> Basis | None:
    """The basis that all branches share, or None.

    A branch with few distinct z has a smaller one of the same kind; the largest is returned.
    """
    bases = [b.curve.basis for b in function.branches if isinstance(b.curve, Expansion)]
    if len(bases) < function.n_branches:
        return None
    largest = max(bases, key=lambda basis: basis.n_functions)
    alike = all(
        basis.unbound() == largest.unbound()
        or (type(basis) is type(largest) and basis.n_functions < largest.n_functions)
        for basis in bases
    )
    return largest if alike else None


def branch_bases(function: DecoupledFunction) -> tuple[Basis, ...] | None:
    """The basis of each branch, not bound: the one that they share, or their own."""
    common = common_basis(function)
    if common is not None:
        return (common.unbound(),) * function.n_branches
    curves = [branch.curve for branch in function.branches]
    bases = [curve.basis.unbound() for curve in curves if isinstance(curve, Expansion)]
    return tuple(bases) if len(bases) == len(curves) else None


def can_refit(function: DecoupledFunction) -> bool:
    """Whether a joint fit can work in the bases of the branches."""
    bases = branch_bases(function)
    return bases is not None and all(_is_smooth(basis) for basis in bases)


def _is_smooth(basis: Basis) -> bool:
    return isinstance(basis, Basis) and basis.n_derivatives >= 2


def _fit_coefficients(
    data: Data,
    bases: Sequence[Basis],
    W: Array,
    V: Array,
    objective: FitObjective,
    smoothing: float | Array | Literal["auto"],
) -> tuple[Fit, float | Array]:
    """The best coefficients for this W and V, with given or selected smoothing."""
    stack = make_stack(bases, data.points @ V)
    if not isinstance(smoothing, str):
        return evaluate(data, stack, W, V, objective.penalty(stack, smoothing)), smoothing
    fit = evaluate(data, stack, W, V, objective.penalty(stack, INITIAL_SMOOTHING))
    selected = choose_smoothing(data, fit)
    return with_penalty(data, fit, objective.penalty(stack, selected)), selected
