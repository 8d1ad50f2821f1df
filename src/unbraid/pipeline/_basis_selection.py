"""Stage 3: select the smallest basis that is as good as the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bases import Basis, BSpline, Polynomial
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..errors import UnbraidError
from ..model._branch import Branch
from ..model._curves import Expansion
from ..model._function import DecoupledFunction
from ._extrapolation import with_unit_margins
from ._joint_fit import common_basis
from ._refit import (
    refit,
    refit_coefficients,
    refit_problem,
    with_margins_at,
    with_problem,
)
from ._scores import combined_error, mean_jacobian_error, mean_value_error
from ._state import EXACT_FIT_PERCENT, FitState

Score = Callable[[DecoupledFunction, Samples], float]


@dataclass(frozen=True)
class BasisSettings:
    """Which bases are compared, and when a smaller one is as good; errors are in %."""

    max_points: int = 2000  # on which bases are compared
    max_coefficients: int = 600  # of all branches together: more take minutes to compare
    as_good: float = 1.02  # a smaller basis may have this many times the least error
    promising: float = 3.0  # times the least error: bases that are also tried with smoothing
    exact: float = 1e-6  # a polynomial with a smaller error is the function itself
    good: float = 1e-3  # a smaller error is not worth another coefficient
    exact_fit: float = EXACT_FIT_PERCENT  # on the fitted points: nothing is left to refine
    rounding: float = 1e-6  # of the largest coefficient: smaller ones are rounding


BASIS_SETTINGS = BasisSettings()


@dataclass(frozen=True, eq=False)
class BasisTrial:
    """A basis with a smoothing, the state it led to, and its error in %."""

    basis: Basis
    smoothing: float
    state: FitState
    error: float


def choose_basis(state: FitState) -> FitState:
    """Fit the function in the selected basis, with or without the solver's smoothing."""
    settings = state.settings
    automatic = settings.basis == "auto"
    if not state.can_postprocess:
        return state
    if not automatic and (state.smoothing == 0 or state.held_out is None):
        return state
    bases = _possible_bases(state) if automatic else [_basis_of(state.function)]
    keeps = settings.smoothing_is_given or state.held_out is None or state.smoothing == 0
    smoothings = (state.smoothing,) if keeps else (0.0, state.smoothing)
    compared = draw_subset(state.fitted, BASIS_SETTINGS.max_points)
    trials = compare_bases(with_problem(replace(state, fitted=compared)), bases, smoothings)
    chosen = select_trial(trials)
    if chosen is None:
        basis, smoothing = bases[0], smoothings[0]
    elif compared is state.fitted and chosen.state.fitted_error <= BASIS_SETTINGS.exact_fit:
        return chosen.state
    else:
        basis, smoothing = chosen.basis, chosen.smoothing
    begin = replace(state, smoothing=smoothing)
    return refit(begin, state.fitted, settings.jacobian_weight, basis=basis)


def candidate_bases(samples: Samples, n_branches: int) -> list[Basis]:
    """Bases to compare, smallest first: those that the samples determine well."""
    bases: list[Basis] = [Polynomial(degree) for degree in (1, 2, 3, 4, 5, 7, 9, 12)]
    bases += [BSpline(count) for count in (8, 12, 16, 24, 32, 48, 64)]
    bases += [BSpline(count, degree=5) for count in (12, 20, 32, 64)]
    n_equations = _count_equations(samples, n_branches)
    most = min(n_equations // (3 * n_branches), 2 * len(samples) // 3)
    most = min(most, max(BASIS_SETTINGS.max_coefficients // n_branches, 15))
    small = [basis for basis in bases if basis.n_functions <= most]
    return sorted(small or bases[:1], key=lambda basis: basis.n_functions)


def compare_bases(
    state: FitState, bases: Sequence[Basis], smoothings: Sequence[float]
) -> list[BasisTrial]:
    """Try the bases, then the promising ones with the other smoothings.

    A polynomial that is exact is the function itself: it is returned as the only trial.
    """
    trials: list[BasisTrial] = []
    for basis in bases:
        found = _try_basis(state, basis, smoothings[0])
        if found and found[0].error <= BASIS_SETTINGS.exact and isinstance(basis, Polynomial):
            return found
        trials += found
    least = min((trial.error for trial in trials), default=np.inf)
    promising = [trial for trial in trials if trial.error <= BASIS_SETTINGS.promising * least]
    for trial in promising:
        for smoothing in smoothings[1:]:
            trials += _try_basis(state, trial.basis, smoothing)
    return trials


def select_trial(trials: Sequence[BasisTrial]) -> BasisTrial | None:
    """The trial with the smallest basis that is as good as the best, or None."""
    if not trials:
        return None
    limit = max(BASIS_SETTINGS.as_good * min(trial.error for trial in trials), BASIS_SETTINGS.good)
    good = [trial for trial in trials if trial.error <= limit]
    return min(good, key=lambda trial: (trial.basis.n_functions, trial.error))


def _try_basis(state: FitState, basis: Basis, smoothing: float) -> list[BasisTrial]:
    """One trial, or none where the basis cannot be fitted."""
    try:
        made = _fit_in_basis(replace(state, smoothing=smoothing), basis)
        error = _score(state)(
            made.function, draw_subset(state.validation, BASIS_SETTINGS.max_points)
        )
    except (UnbraidError, np.linalg.LinAlgError):
        return []
    if state.held_out is None:  # the error of a fit is too small by the parameters it spent
        spent = made.function.n_parameters / _count_equations(
            state.fitted, made.function.n_branches
        )
        error /= max(1 - spent, 0.01)
    return [BasisTrial(basis, smoothing, made, error)]


def _fit_in_basis(state: FitState, basis: Basis) -> FitState:
    """The coefficients in a basis, W and V as they are, without the uncertainty."""
    samples, weight = state.fitted, state.settings.jacobian_weight
    problem = refit_problem(state, samples)
    made = refit_coefficients(state, samples, problem, weight, basis)
    if isinstance(basis, Polynomial) and made.fitted_error <= BASIS_SETTINGS.exact_fit:
        return replace(made, function=with_unit_margins(made.function))
    return with_margins_at(made, state.validation.points, samples, weight, problem)


def _score(state: FitState) -> Score:
    """The error that bases are compared by: of what is fitted."""
    if state.settings.jacobian_weight == 0:
        return mean_value_error
    return mean_jacobian_error if state.settings.ignores_values else combined_error


def _count_equations(samples: Samples, n_branches: int) -> int:
    """Independent equations in the samples: values, and slopes along the branches."""
    return len(samples) * samples.n_outputs * (min(samples.n_inputs, n_branches) + 1)


def _possible_bases(state: FitState) -> list[Basis]:
    """Bases to compare; for an exact polynomial none of a degree below its own."""
    function = state.function
    bases = candidate_bases(state.fitted, function.n_branches)
    if (
        not isinstance(_basis_of(function), Polynomial)
        or state.fitted_error > BASIS_SETTINGS.exact_fit
    ):
        return bases
    degree = max(_effective_degree(branch) for branch in function.branches)
    higher = [b for b in bases if not isinstance(b, Polynomial) or b.degree >= degree]
    return higher or bases


def _effective_degree(branch: Branch) -> int:
    """Degree of a polynomial without the coefficients that are rounding."""
    assert isinstance(branch.curve, Expansion)
    size = np.abs(branch.curve.coefficients)
    return int(np.max(np.flatnonzero(size > BASIS_SETTINGS.rounding * size.max()), initial=0)) + 1


def _basis_of(function: DecoupledFunction) -> Basis:
    basis = common_basis(function)
    assert basis is not None  # the stage runs only where the branches share one
    return basis
