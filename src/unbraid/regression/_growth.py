"""Number of branches, basis and slope weight by cross-validation.

The slope weight is the weight of the coupled model's slopes relative to the data when a decoupled
function is refined on them. None means no refinement: only the offset is fitted to the data.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .._decouple import decouple
from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis
from ..data._samples import Samples
from ..errors import DegenerateBranchError, FitWarning, InvalidOptionError, InvalidSamplesError
from ..model._branch import Extrapolate
from ..model._function import NO_HELD_OUT_ERRORS, DecoupledFunction, with_extrapolation
from ..pipeline import refine
from ..pipeline._joint_fit import with_partial_residuals
from ..sources import sample
from ._coupled import CoupledRegression
from ._rows import Rows, choose_first_equivalent, skip_chance_gains, spaced_indices

SlopeWeight = float | None
GROWTH_SLOPE_WEIGHTS: tuple[SlopeWeight, ...] = (None, 0.1)  # for every number of branches
FINAL_SLOPE_WEIGHTS: tuple[SlopeWeight, ...] = (None, 1.0, 0.1, 0.01)  # for the chosen one
BASIS_SLOPE_WEIGHT = 0.1  # of the slopes relative to the values, when the basis is changed
GROWTH_STARTS = 8  # of every decoupling
GROWTH_PATIENCE = 2  # numbers of branches tried after the best one
GROWTH_IMPROVEMENT = 0.995  # ratio of errors from which a number of branches is better
NEGLIGIBLE_ERROR = 1e-6  # of the variance (0.1 %): not worth another branch or coefficient
NEGLIGIBLE_MISFIT = 0.003  # of the coupled model's error: a closer decoupling is not better
NORMAL_QUARTILES = 1.349  # distance of the quartiles of a normal distribution
HEAVY_TAILS = 1.25  # range of a column over that of a normal distribution
MAX_DECOUPLED_POINTS = 2000  # of the coupled model
_refine = partial(refine, smoothing="auto", cancellation=1e-4, max_iterations=20)


@dataclass(frozen=True)
class GrowthStep:
    """A decoupling in some basis, with its cross-validated errors."""

    function: DecoupledFunction
    basis: Basis
    errors: dict[SlopeWeight, Array]  # by slope weight and fold, relative to the variance

    @property
    def slope_weight(self) -> SlopeWeight:
        """The first slope weight that is equivalent to the best."""
        return list(self.errors)[choose_first_equivalent(list(self.errors.values()))]

    @property
    def fold_errors(self) -> Array:
        return self.errors[self.slope_weight]


@dataclass(frozen=True)
class Fold:
    """Rows to fit, the coupled model fitted to them as samples, and rows held out."""

    fitted: Rows
    coupled: Samples
    held_out: Rows
    scale: Array  # of the outputs
    coupled_error: float = 0.0  # of the coupled model on the rows held out
    coupled_residuals: Array | None = None  # rms of every output, on the same rows

    @property
    def constant_error(self) -> float:
        """Error of the mean on the rows held out."""
        mean = np.broadcast_to(self.fitted.mean, self.held_out.Y.shape)
        return self.held_out.error(mean, self.scale)


def make_fold(regression: CoupledRegression, fitted: Rows, held_out: Rows, scale: Array) -> Fold:
    """Fit the coupled model to some rows and compute its error on others."""
    report_progress("coupled model")
    model = regression.fit(fitted)
    prediction = np.reshape(model.predict(held_out.X), held_out.Y.shape)
    error = held_out.error(prediction, scale)
    residuals = held_out.residual_spread(prediction)
    return Fold(fitted, sample_coupled(model, fitted), held_out, scale, error, residuals)


def bound_noise(folds: Sequence[Fold]) -> Array:
    """Rms errors (n,) of the coupled model on rows held out: the noise is less."""
    squares = [np.square(f.coupled_residuals) for f in folds if f.coupled_residuals is not None]
    return np.asarray(np.sqrt(np.mean(squares, axis=0)))


def sample_coupled(model: Any, rows: Rows) -> Samples:
    """Values and slopes of the coupled model, without a warning if it is not smooth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return sample(model, rows.X)


def grow_branches(
    coupled: Samples, folds: Sequence[Fold], counts: Sequence[int], basis: Basis, random_state: int
) -> list[GrowthStep]:
    """One step per number of branches, until more branches do not or cannot help."""
    steps: list[GrowthStep] = []
    best, since_best = np.inf, 0
    enough = NEGLIGIBLE_MISFIT * float(np.mean([fold.coupled_error for fold in folds]))
    for function in decouple_in_turn(coupled, counts, basis, random_state):
        errors = cross_validate_function(function, folds, basis, GROWTH_SLOPE_WEIGHTS)
        steps.append(GrowthStep(function, basis, errors))
        error, since_best = steps[-1].fold_errors.mean(), since_best + 1
        if error < GROWTH_IMPROVEMENT * best:
            best, since_best = error, 0
        assert function.fitted_error is not None
        misfit = np.mean((function.fitted_error / 100) ** 2)
        if since_best >= GROWTH_PATIENCE or misfit < enough or best <= NEGLIGIBLE_ERROR:
            break
    return steps


def decouple_in_turn(
    coupled: Samples, counts: Sequence[int], basis: Basis, random_state: int
) -> Iterator[DecoupledFunction]:
    """Decouple with each number of branches, with a warm start from the one before."""
    known: list[DecoupledFunction] = []
    points = coupled.subset(spaced_indices(len(coupled), MAX_DECOUPLED_POINTS))
    options: dict[str, Any] = {"random_state": random_state, "n_starts": GROWTH_STARTS}
    for count in counts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                d = decouple(
                    points, n_branches=count, basis=basis, known=known, simplify=False, **options
                )
            except DegenerateBranchError:
                if not known:
                    raise
                return
        known = [d]
        yield d


def cross_validate_function(
    function: DecoupledFunction,
    folds: Sequence[Fold],
    basis: Basis,
    slope_weights: Sequence[SlopeWeight],
) -> dict[SlopeWeight, Array]:
    """Errors on the rows held out, by slope weight and fold."""
    table = np.empty((len(slope_weights), len(folds)))
    for k, fold in enumerate(folds):
        report_progress(f"cross-validation, fold {k + 1} of {len(folds)}", function.n_branches)
        try:
            start = change_basis(function, fold.coupled, basis)
        except InvalidSamplesError:  # the coupled model is constant on this fold
            table[:, k] = fold.constant_error
            continue
        for i, slope_weight in enumerate(slope_weights):
            d = refit_on_data(start, fold.fitted, fold.coupled, slope_weight)
            table[i, k] = fold.held_out.error(d(fold.held_out.X), fold.scale)
    return dict(zip(slope_weights, table, strict=True))


def change_basis(d: DecoupledFunction, coupled: Samples, basis: Basis) -> DecoupledFunction:
    """Refine a decoupling on the coupled model, in this basis."""
    return _refine(d, coupled, basis=basis, jacobian_weight=BASIS_SLOPE_WEIGHT)


def refit_on_data(
    d: DecoupledFunction, rows: Rows, coupled: Samples, slope_weight: SlopeWeight
) -> DecoupledFunction:
    """Refine on the data and the slopes of the coupled model."""
    data = Samples(rows.X, rows.Y, coupled.jacobians)
    if slope_weight is not None:
        return _refine(d, data, jacobian_weight=slope_weight, point_weights=rows.weights)
    shift = np.average(rows.Y - d(rows.X), axis=0, weights=rows.weights)
    shifted = replace(d, offset=d.offset + shift, **NO_HELD_OUT_ERRORS)
    return with_partial_residuals(shifted, data)


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
    for k, fold in enumerate(folds):
        try:
            start = change_basis(step.function, fold.coupled, step.basis)
        except InvalidSamplesError:  # the coupled model is constant on this fold
            errors[:, k] = fold.constant_error
            by_output[:, k] = fold.held_out.output_errors(fold.fitted.mean, fold.scale)
            continue
        d = refit_on_data(start, fold.fitted, fold.coupled, step.slope_weight)
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

    Their errors are cross-validated again, for more slope weights.
    """
    d, steps = step.function, []
    for basis in bases:
        with suppress(InvalidOptionError):  # more coefficients than a branch has distinct z
            errors = cross_validate_function(d, folds, basis, (step.slope_weight,))
            steps.append(GrowthStep(d, basis, errors))
    basis = choose_simplest([*steps, step]).basis
    return GrowthStep(d, basis, cross_validate_function(d, folds, basis, FINAL_SLOPE_WEIGHTS))
