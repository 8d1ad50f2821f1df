"""Number of branches, basis and slope weight by cross-validation."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..errors import DegenerateBranchError, InvalidOptionError
from ..model._branch import Extrapolate
from ..model._function import DecoupledFunction, with_extrapolation
from ..pipeline._branch_fit import fit_branches
from ..pipeline._provenance import attach_provenance
from ..pipeline._solve import solve
from ..pipeline._state import FitSettings
from ..solvers.varpro import VarPro
from ._cross_validation import (
    Fold,
    FoldFits,
    fit_folds,
    with_slope_weights,
)
from ._refits import SlopeWeight, refine_on_coupled
from ._rows import choose_first_equivalent, skip_chance_gains, spaced_indices

GROWTH_SLOPE_WEIGHTS: tuple[SlopeWeight, ...] = (None, 0.1)  # for every number of branches
FINAL_SLOPE_WEIGHTS: tuple[SlopeWeight, ...] = (None, 1.0, 0.1, 0.01)  # for the chosen one
FIRST_STARTS, WARM_STARTS = 8, 2  # of a decoupling, without and with a known one
GROWTH_PATIENCE = 2  # numbers of branches tried after the one that is chosen
NEGLIGIBLE_ERROR = 1e-6  # of the variance (0.1 %): not worth another branch or coefficient
NEGLIGIBLE_MISFIT = 0.003  # of the coupled model's error: a closer decoupling is not better
NORMAL_QUARTILES = 1.349  # distance of the quartiles of a normal distribution
HEAVY_TAILS = 1.25  # range of a column over that of a normal distribution
MAX_DECOUPLED_POINTS = 2000  # of the coupled model


@dataclass(frozen=True, eq=False)
class GrowthStep:
    """A decoupling in some basis, and its fits without each fold."""

    function: DecoupledFunction
    basis: Basis
    fold_fits: FoldFits

    @property
    def slope_weight(self) -> SlopeWeight:
        """The first slope weight that is equivalent to the best."""
        errors = self.fold_fits.errors
        return list(errors)[choose_first_equivalent(list(errors.values()))]

    @property
    def fold_errors(self) -> Array:
        return self.fold_fits.errors[self.slope_weight]


def grow_branches(
    coupled: Samples, folds: Sequence[Fold], counts: Sequence[int], basis: Basis, random_state: int
) -> list[GrowthStep]:
    """One step per number of branches, until more branches do not or cannot help.

    More branches do not help if a step with fewer is chosen nevertheless.
    """
    steps: list[GrowthStep] = []
    enough = NEGLIGIBLE_MISFIT * float(np.mean([fold.coupled_error for fold in folds]))
    for function in decouple_in_turn(coupled, counts, basis, random_state):
        fold_fits = fit_folds([function] * len(folds), folds, basis, GROWTH_SLOPE_WEIGHTS)
        steps.append(GrowthStep(function, basis, fold_fits))
        assert function.fitted_error is not None
        misfit = np.mean((function.fitted_error / 100) ** 2)
        chosen = choose_step(steps)
        found = chosen.fold_errors.mean() <= NEGLIGIBLE_ERROR or misfit < enough
        if found or chosen in steps[:-GROWTH_PATIENCE]:
            break
    return steps


def decouple_in_turn(
    coupled: Samples, counts: Sequence[int], basis: Basis, random_state: int
) -> Iterator[DecoupledFunction]:
    """Decouple with each number of branches, with a warm start from the one before.

    What the solver finds is refined on all points. Errors on new points and uncertainty are
    estimated later, for the number of branches that is chosen.
    """
    known: list[DecoupledFunction] = []
    points = coupled.subset(spaced_indices(len(coupled), MAX_DECOUPLED_POINTS))
    for count in counts:
        n_starts = WARM_STARTS if known else FIRST_STARTS
        solver = VarPro(random_state=random_state, n_starts=n_starts, max_iterations=1)
        settings = FitSettings(solver, basis, refine=True)
        try:
            state = fit_branches(settings, points, None, solve(settings, points, count, known))
        except DegenerateBranchError:
            if not known:
                raise
            return
        found = attach_provenance(state, points, "linear", None)
        known = refine_on_coupled([found], [coupled], basis)
        yield known[0]


def choose_extrapolation(
    step: GrowthStep, folds: Sequence[Fold]
) -> tuple[Extrapolate, Array, Array]:
    """Linear or constant, by the errors on the rows held out; with these errors.

    They are mean squares by fold, and rms errors (n,) of the outputs in percent. Inputs
    with heavy tails have rows far outside the range of the others: constant comes first.
    """
    order: tuple[Extrapolate, ...] = ("linear", "constant")
    if _has_heavy_tails(folds[0].fitted.X @ step.function.V):
        order = order[::-1]
    errors = np.empty((len(order), len(folds)))
    by_output = np.empty((len(order), len(folds), len(folds[0].scale)))
    fits = step.fold_fits.fits[step.slope_weight]
    for k, (d, fold) in enumerate(zip(fits, folds, strict=True)):
        if d is None:  # the coupled model is constant on this fold
            errors[:, k] = fold.constant_error
            by_output[:, k] = fold.held_out.output_errors(fold.fitted.mean, fold.scale)
            continue
        for i, extrapolate in enumerate(order):
            values = with_extrapolation(d, extrapolate)(fold.held_out.X)
            errors[i, k] = fold.held_out.error(values, fold.scale)
            by_output[i, k] = fold.held_out.output_errors(values, fold.scale)
    best = choose_first_equivalent(list(errors))
    return order[best], errors[best], 100 * np.sqrt(by_output[best].mean(axis=0))


def _has_heavy_tails(z: Array) -> bool:
    """Whether a column extends much further than a normal distribution would."""
    first, third = np.quantile(z, (0.25, 0.75), axis=0)
    normal = 2 * np.sqrt(2 * np.log(len(z))) * (third - first) / NORMAL_QUARTILES
    return bool(np.any(np.ptp(z, axis=0) > HEAVY_TAILS * normal))


def choose_simplest(steps: Sequence[GrowthStep]) -> GrowthStep:
    """The simplest step whose errors are equivalent to the best or good enough.

    The steps are ordered from simple to complex.
    """
    return steps[choose_first_equivalent([step.fold_errors for step in steps], NEGLIGIBLE_ERROR)]


def choose_step(steps: Sequence[GrowthStep]) -> GrowthStep:
    """The simplest step, without branches that gain little and by chance.

    Such branches divide one curve into several, of which none means anything.
    """
    errors = [step.fold_errors for step in steps]
    chosen = choose_first_equivalent(errors, NEGLIGIBLE_ERROR)
    return steps[skip_chance_gains(errors, chosen)]


def reduce_basis(step: GrowthStep, folds: Sequence[Fold], bases: Sequence[Basis]) -> GrowthStep:
    """The same branches in the smallest equivalent basis.

    Each fold starts from its fit in the basis of the step. The basis that is chosen has errors for
    more slope weights.
    """
    steps, starts = [], step.fold_fits.starts
    for basis in bases:
        with suppress(InvalidOptionError):  # more coefficients than a branch has distinct z
            fold_fits = fit_folds(starts, folds, basis, (step.slope_weight,))
            steps.append(GrowthStep(step.function, basis, fold_fits))
    chosen = choose_simplest([*steps, step])
    fold_fits = with_slope_weights(chosen.fold_fits, folds, FINAL_SLOPE_WEIGHTS)
    return GrowthStep(step.function, chosen.basis, fold_fits)
