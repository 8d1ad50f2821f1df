"""Fit all parameters of a function to samples at once, from where they are.

The numerics are those of ``solvers.varpro``: here they work in the basis of the branches, begin
with the function's own W and V, and return a function.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis
from ..data._samples import Samples
from ..errors import InvalidOptionError
from ..metrics import relative_error
from ..model._branch_fit import fit_branch
from ..model._curves import Expansion
from ..model._function import DecoupledFunction
from ..model._operating_points import sample_points
from ..model._residuals import sample_residuals
from ..solvers._base import StopCriteria
from ..solvers._factors import unit_columns
from ..solvers._problem import Problem, make_problem, max_input_directions
from ..solvers._status import Status
from ..solvers.varpro._data import Data, make_data
from ..solvers.varpro._joint import Fit, evaluate, evaluate_branches, with_penalty
from ..solvers.varpro._levenberg import minimise
from ..solvers.varpro._smoothing import choose_smoothing
from ..solvers.varpro._stack import Stack, make_stack
from ._pattern import find_free_changes, has_pattern

MAX_PARTIAL_RESIDUALS = 2000  # points of the estimate that are kept with a branch
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

    def penalty(self, stack: Stack, smoothing: float) -> Array | None:
        """Matrix of both penalties on the coefficients; None where there is none."""
        rough = stack.penalty(smoothing)
        if self.cancellation == 0:
            return rough
        large = self.cancellation * stack.energy
        return large if rough is None else large + rough


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
    """Return the function fitted to samples, and why the iteration stopped.

    ``problem`` holds the samples in the solver's coordinates, see ``problem_for``. The default
    basis is the one that the branches share, or their own. Zeros in W and V stay, and branches
    along one direction too.
    """
    report_progress()
    bases = branch_bases(function) if basis is None else (basis,) * function.n_branches
    if bases is None or not all(_is_smooth(basis) for basis in bases):
        raise InvalidOptionError(
            "refine needs branches in a basis with second derivatives: pass basis=, say BSpline(12)"
        )
    for each in bases:
        each.check_size(len(samples))
    rows = None if point_weights is None else point_weights[np.argsort(problem.row_of_sample)]
    data = make_data(problem, objective.jacobian_weight, objective.value_weight, rows)
    W, V = (unit_columns(x[None]) for x in problem.from_user(function.W, function.V))
    fit, smoothing = _fit_coefficients(data, problem, bases, W, V, objective)
    status = Status.CONVERGED
    free = find_free_changes(function, W[0], V[0]) if has_pattern(function) else None
    if stop.max_iterations and (free is None or free.size):
        descent = minimise(data, fit, stop, free=free)
        status = Status.CONVERGED if descent.settled[0] else Status.MAX_ITERATIONS
        if descent.fit is not fit:
            end = descent.fit.W, descent.fit.V
            last = objective if objective.selects_again else replace(objective, smoothing=smoothing)
            fit, _ = _fit_coefficients(data, problem, bases, *end, last)
    fitted = _function_from_fit(samples, problem, fit, bases, function, point_weights)
    return fitted.named(function.input_names, function.output_names), status


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
    problem: Problem,
    bases: Sequence[Basis],
    W: Array,
    V: Array,
    objective: FitObjective,
) -> tuple[Fit, float]:
    """The best coefficients for this W and V, with given or selected smoothing."""
    stack = make_stack(bases, problem.points @ V)
    smoothing = objective.smoothing
    if smoothing != "auto":
        return evaluate(data, stack, W, V, objective.penalty(stack, smoothing)), smoothing
    fit = evaluate(data, stack, W, V, objective.penalty(stack, INITIAL_SMOOTHING))
    smoothing = choose_smoothing(data, fit)
    return with_penalty(data, fit, objective.penalty(stack, smoothing)), smoothing


def _function_from_fit(
    samples: Samples,
    problem: Problem,
    fit: Fit,
    bases: Sequence[Basis],
    like: DecoupledFunction,
    point_weights: Array | None,
) -> DecoupledFunction:
    """A fit in the user's units; branches extrapolate as those of ``like``."""
    G, slopes = evaluate_branches(fit, problem.points)
    factors, order = problem.factors(fit.W[0], fit.V[0], G, slopes)
    branches = []
    for i, k in enumerate(order):
        old = like.branches[k]
        branch = fit_branch(bases[k], factors.z[:, i], factors.G[:, i], None, old.extrapolate)
        branches.append(replace(branch, margin=old.margin))
    plain = DecoupledFunction(factors.W, factors.V, tuple(branches), np.zeros(samples.n_outputs))
    return with_offset(plain, samples, point_weights)


def with_offset(
    function: DecoupledFunction, samples: Samples, point_weights: Array | None = None
) -> DecoupledFunction:
    """The function with the offset that centres the residual, and its errors."""
    before = function(samples.points)
    shift = np.average(samples.values - before, axis=0, weights=point_weights)
    approximation = before + shift
    return replace(
        function,
        offset=function.offset + shift,
        spread=samples.points.std(axis=0),
        points=sample_points(samples.points),
        fitted_error=relative_error(samples.values, approximation),
        residuals=sample_residuals(samples.values, approximation),
    )


def with_partial_residuals(function: DecoupledFunction, samples: Samples) -> DecoupledFunction:
    """The function with partial residuals as the estimate of each branch.

    Outputs are weighted by the inverse of their spread, so that units do not matter.
    """
    count = min(MAX_PARTIAL_RESIDUALS, len(samples))
    rows = np.unique(np.linspace(0, len(samples) - 1, count).astype(int))
    points = samples.points[rows]
    spread = samples.values.std(axis=0)
    least = np.min(spread[spread > 0], initial=np.inf)
    size = np.divide(least, spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    energy = np.sum((size * function.W) ** 2, axis=0)
    projection = size**2 * function.W / np.where(energy > 0, energy, 1)
    rest = (samples.values[rows] - function(points)) @ projection
    z = function.transform(points)
    return replace(
        function,
        branches=tuple(
            replace(branch, estimate=np.column_stack([z[:, i], branch(z[:, i]) + rest[:, i]]))
            for i, branch in enumerate(function.branches)
        ),
    )
