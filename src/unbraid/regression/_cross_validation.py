"""Fits of a decoupled function without each fold, and their held-out errors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis
from ..data._samples import Samples
from ..errors import FitWarning, InvalidSamplesError
from ..model._function import DecoupledFunction
from ..sources import sample
from ._coupled import CoupledRegression
from ._refits import FOLD_STOP, SlopeWeight, refine_on_coupled, refine_on_data
from ._rows import Rows


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


@dataclass(frozen=True, eq=False)
class FoldFits:
    """A decoupled function in one basis, fitted without each fold.

    Attributes
    ----------
    starts : tuple of DecoupledFunction or None
        Fitted to the coupled model of each fold; None where that is constant.
    fits : dict
        By slope weight, the same refined on the data.
    errors : dict
        By slope weight, (n_folds,) relative to the variance.
    """

    starts: tuple[DecoupledFunction | None, ...]
    fits: dict[SlopeWeight, tuple[DecoupledFunction | None, ...]]
    errors: dict[SlopeWeight, Array]


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


def fit_folds(
    functions: Sequence[DecoupledFunction | None],
    folds: Sequence[Fold],
    basis: Basis,
    slope_weights: Sequence[SlopeWeight],
) -> FoldFits:
    """Fit a function without each fold, from the function given for the fold."""
    starts = tuple(map(partial(_fit_coupled, basis=basis), functions, folds))
    return with_slope_weights(FoldFits(starts, {}, {}), folds, slope_weights)


def _fit_coupled(
    function: DecoupledFunction | None, fold: Fold, basis: Basis
) -> DecoupledFunction | None:
    """Fit a function to the coupled model of a fold; None where that is constant."""
    if function is None:
        return None
    report_progress("cross-validation", function.n_branches)
    try:
        return refine_on_coupled(function, fold.coupled, basis, FOLD_STOP)
    except InvalidSamplesError:
        return None


def with_slope_weights(
    fits: FoldFits, folds: Sequence[Fold], slope_weights: Sequence[SlopeWeight]
) -> FoldFits:
    """Return the fits with these slope weights, those that are missing added."""
    functions, errors = {}, {}
    for slope_weight in slope_weights:
        if slope_weight in fits.fits:
            functions[slope_weight] = fits.fits[slope_weight]
            errors[slope_weight] = fits.errors[slope_weight]
            continue
        functions[slope_weight] = tuple(
            start and refine_on_data(start, fold.fitted, fold.coupled, slope_weight, FOLD_STOP)
            for start, fold in zip(fits.starts, folds, strict=True)
        )
        errors[slope_weight] = np.array(list(map(_error_on_fold, functions[slope_weight], folds)))
    return replace(fits, fits=functions, errors=errors)


def _error_on_fold(function: DecoupledFunction | None, fold: Fold) -> float:
    if function is None:
        return fold.constant_error
    return fold.held_out.error(function(fold.held_out.X), fold.scale)
