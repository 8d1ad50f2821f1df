"""``simplify``: fewer directions and inputs, at nearly the same error."""

from dataclasses import replace

from .._util.threads import limit_threads
from .._util.validation import check_non_negative
from ..data._samples import Samples
from ..data._splitting import draw_subset, split_samples
from ..errors import InvalidSamplesError
from ..model._fit_record import FitRecord
from ..model._function import DecoupledFunction
from ..solvers._status import Status
from ..solvers.directions._problem import make_direction_problem
from ..solvers.directions._simplification import Simplifier, merge_parallel
from ._canonical import find_linear_branches
from ._direction_function import (
    DIRECTION_SETTINGS,
    assemble,
    choose_spline_count,
    make_columns,
)
from ._joint_fit import FitObjective, can_refit, fit_jointly, problem_for
from ._partial_residuals import with_partial_residuals
from ._refit import COEFFICIENTS_ONLY
from ._scores import is_nearly_as_good

HELD_OUT = 0.2  # share of the samples that models are compared on
MERGED_DEGREES = 3.0  # between branches that become one direction before the first fit
OBJECTIVE = FitObjective(jacobian_weight=0.1)


def simplify(
    d: DecoupledFunction, samples: Samples, max_increase: float = 0.05
) -> DecoupledFunction:
    """Remove what a function hardly needs: inputs, directions, curves.

    The result has zeros in V, one direction for branches that are nearly parallel, a curve per
    output along each direction, and a linear part where the curves need one.

    Parameters
    ----------
    d : DecoupledFunction
    samples : Samples
        Points with values and Jacobians, as for ``refine``.
    max_increase : float
        Growth of the held-out error, as a share of it, that a simpler function may have.

    Returns
    -------
    DecoupledFunction
        The simpler function, or ``d`` itself where every change costs more: an exact function is
        not changed.

    Examples
    --------
    >>> import numpy as np, unbraid
    >>> points = unbraid.sampling.uniform(200, [-1] * 3, [1] * 3, random_state=0)
    >>> f = lambda p: np.tanh(2 * p[:, :1]) + 0.05 * p[:, 1:2] * p[:, 2:]
    >>> samples = unbraid.sample(f, points)
    >>> d = unbraid.decouple(samples, n_branches=1, simplify=False, random_state=0)
    >>> int(np.sum(d.V == 0)), int(np.sum(simplify(d, samples).V == 0))
    (0, 2)
    """
    check_non_negative("max_increase", max_increase)
    if samples.n_inputs != d.n_inputs or samples.n_outputs != d.n_outputs:
        raise InvalidSamplesError(
            f"samples have {samples.n_inputs} inputs and {samples.n_outputs} outputs, the function "
            f"{d.n_inputs} and {d.n_outputs}"
        )
    fitted, held_out = split_samples(samples, HELD_OUT)
    if held_out is None:
        raise InvalidSamplesError(f"{len(samples)} points are too few to compare functions on")
    with limit_threads():
        limits = DIRECTION_SETTINGS
        problem = make_direction_problem(
            draw_subset(fitted, limits.max_fitted),
            draw_subset(held_out, limits.max_validation),
            limits.slope_weight,
        )
        curved = d.V[:, ~find_linear_branches(d, samples)]
        directions = merge_parallel(problem.standardise_directions(curved), MERGED_DEGREES)
        if len(directions):
            n_splines = choose_spline_count(problem, directions).n_splines
            simplifier = Simplifier(problem, n_splines, max_increase)
            directions = simplifier.run(directions).fit.directions
        n_splines = choose_spline_count(problem, directions).n_splines
        columns, _ = make_columns(problem, directions, n_splines, max_increase)
        start = assemble(problem, columns, fitted)
        simpler = _fit_coefficients(start, fitted)
        before = _fit_coefficients(d, fitted) if can_refit(d) else d
        if not is_nearly_as_good(simpler, before, max_increase, held_out):
            return d
        result = _fit_coefficients(start, samples)
    method = "simplify" if d.fit is None else d.fit.method
    origin = f"{d.origin}\nSimplified on {samples.words}." if d.origin else ""
    result = replace(result, fit=FitRecord(method, Status.CONVERGED), origin=origin)
    return with_partial_residuals(result, samples).named(d.input_names, d.output_names)


def _fit_coefficients(d: DecoupledFunction, samples: Samples) -> DecoupledFunction:
    """The function with other coefficients, fitted to samples."""
    problem = problem_for(d, samples, None)
    return fit_jointly(d, samples, problem, OBJECTIVE, COEFFICIENTS_ONLY)[0]
