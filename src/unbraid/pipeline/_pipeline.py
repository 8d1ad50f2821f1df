"""The stages of a fit, in the order in which they run."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from .._util.progress import report_progress
from ..data._samples import Samples
from ..solvers._factors import HasWV
from ._all_points import copy_held_out_errors, is_clearly_better, is_degraded, refit_on_all_points
from ._basis_selection import choose_basis
from ._branch_count import (
    BranchCount,
    CountStatus,
    choose_branch_count,
    count_branches,
    drop_negligible_branches,
)
from ._branch_fit import fit_branches as make_branches
from ._cross_validation import (
    add_extrapolation_error,
    cross_validate,
    estimate_errors,
    fit_parts,
    fit_without_outliers,
)
from ._direction_function import DIRECTION_SETTINGS
from ._directions import (
    can_grow,
    count_directions,
    find_branches,
    fit_grown_directions,
    fit_sparse,
    is_much_better,
)
from ._identification import assess_identification
from ._inspection import inspect_data
from ._joint_fit import common_basis
from ._outliers import find_outliers
from ._polish import polish
from ._simplify import simplify
from ._solve import select_points, solve
from ._state import EXACT_FIT_PERCENT, FitSettings, FitState
from ._zeros import set_zeros

MAX_ROBUST_ROUNDS = 4


def measure_held_out_error(state: FitState) -> FitState:
    """Stage 6: the error on the points that were not fitted."""
    if state.held_out is None:
        return state
    values, inside = state.function(state.held_out.points, return_inside=True)
    errors = estimate_errors(state.held_out.values, values, inside)
    return state.with_function(**errors)


STAGES: tuple[Callable[[FitState], FitState], ...] = (
    choose_basis,
    polish,
    simplify,
    set_zeros,
    measure_held_out_error,
)


def fit(
    settings: FitSettings,
    fitted: Samples,
    held_out: Samples | None,
    n_branches: int,
    known: Sequence[HasWV] = (),
) -> FitState:
    """Fit a number of branches, also from known functions if the solver can."""
    report_progress("search", n_branches)
    fitted = select_points(settings, fitted, n_branches)
    solution = solve(settings, fitted, n_branches, known)
    state = make_branches(settings, fitted, held_out, solution)
    for stage in STAGES:
        report_progress(stage.__name__.replace("_", " "))
        state = stage(state)
    return state


def fit_selected_count(
    settings: FitSettings,
    fitted: Samples,
    held_out: Samples | None,
    tolerance: float,
    max_branches: int | None,
    max_parameters: int,
) -> tuple[FitState, BranchCount]:
    """Select the number of directions, or of branches where these fit much better.

    Directions with a curve per output may have more than ``max_branches`` branches; then so many
    branches are fitted. None limits the number of directions only.
    """
    most = DIRECTION_SETTINGS.max_directions if max_branches is None else max_branches

    def fit_branches(n_branches: int, known: Sequence[HasWV] = ()) -> FitState:
        return fit(settings, fitted, held_out, n_branches, known)

    def count_up() -> tuple[FitState, BranchCount]:
        count = choose_branch_count(fit_branches, tolerance, most, max_parameters)
        state = drop_negligible_branches(count.state, fitted, tolerance)
        return (state if state is count.state else measure_held_out_error(state)), count

    if held_out is None or not can_grow(settings, fitted.n_inputs):
        return count_up()
    grown = fit_grown_directions(settings, fitted, held_out, tolerance, most)
    grown = replace(grown, state=measure_held_out_error(grown.state))
    if grown.state.function.n_parameters > max_parameters:
        return count_up()
    found = find_branches(grown, tolerance, most)
    if found is not None:
        branches = fit_branches(found.n_branches, [found])
        if is_much_better(branches, grown.state, tolerance):
            branches = measure_held_out_error(fit_sparse(grown.state, branches))
            return branches, count_branches(branches, tolerance)
    if max_branches is not None and grown.state.function.n_branches > max_branches:
        capped = fit_branches(max_branches)
        return capped, count_branches(capped, tolerance, CountStatus.MAX_BRANCHES)
    capped_by = CountStatus.MAX_DIRECTIONS if max_branches is None else CountStatus.MAX_BRANCHES
    return grown.state, count_directions(grown, tolerance, most, capped_by)


def finish(state: FitState, samples: Samples, held_out_given: bool) -> FitState:
    """Fit the selected function to all points where it may be, and judge the result.

    Held-out samples that the user gave are not among these points.
    """
    held_out_joins = state.held_out is not None and not held_out_given
    if held_out_joins or state.settings.capabilities.postprocess:
        report_progress("fit to all points")
        joined = refit_on_all_points(state, samples)
        if is_degraded(state, joined):
            joined = _search_again(joined, samples)
        state = _judge(joined, samples, cross_validates=held_out_joins)
    return inspect_data(replace(state, fitted=samples))


def _judge(state: FitState, samples: Samples, cross_validates: bool) -> FitState:
    """The state with its outliers, its error on new points, and what is identified."""
    if state.can_postprocess:
        outliers = find_outliers(state.function, samples)
        state = replace(state, outliers=tuple(outliers.tolist()))
    report_progress("cross-validation")
    exact = _is_exact(state)
    parts = fit_parts(state, samples) if cross_validates and not exact else None
    functions = () if parts is None else parts.functions
    clean = fit_without_outliers(state, samples)
    if parts is not None:
        state = cross_validate(state, samples, parts)
    elif cross_validates and exact and state.can_postprocess:
        state = add_extrapolation_error(state, samples)
    return assess_identification(state, samples, functions, clean)


def _is_exact(state: FitState) -> bool:
    """Whether the errors on points that were not fitted are rounding."""
    error = state.function.held_out_error
    return error is not None and float(np.max(error)) <= EXACT_FIT_PERCENT


def run_without_outliers(
    run: Callable[[Samples], tuple[FitState, BranchCount | None]], samples: Samples
) -> tuple[FitState, BranchCount | None]:
    """Run a fit, and again without points that look wrong until these stay the same.

    What is found wrong with the points is about those that are kept, and outliers are left out.
    """
    state, count = run(samples)
    left_out: tuple[int, ...] = ()
    for _ in range(MAX_ROBUST_ROUNDS):
        wrong = tuple(find_outliers(state.function, samples).tolist())
        if wrong == left_out:
            break
        left_out = wrong
        state, count = run(samples.subset(np.setdiff1d(np.arange(len(samples)), left_out)))
    finding = None if state.outliers else state.finding
    return replace(state, outliers=left_out, finding=finding), count


def _search_again(state: FitState, samples: Samples) -> FitState:
    """Search again on all points; return the result if it is clearly better."""
    basis = common_basis(state.function)
    if basis is None:
        return state
    settings = replace(state.settings, basis=basis.unbound())
    fresh = fit(settings, samples, None, state.function.n_branches, [state.function])
    fresh = refit_on_all_points(fresh, samples)
    if not is_clearly_better(fresh, state):
        return state
    return copy_held_out_errors(state, fresh)
