"""Fits of a decoupled function without each fold, and their held-out errors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis
from ..data._samples import Samples
from ..errors import FitWarning, InvalidSamplesError
from ..model._function import DecoupledFunction
from ..solvers._problem import make_problem
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

    @cached_property
    def varies(self) -> bool:
        """Whether there is anything to decouple in the coupled model."""
        try:
            make_problem(self.coupled, 1)
        except InvalidSamplesError:
            return False
        return True

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
    starts: list[DecoupledFunction | None] = [None] * len(folds)
    places = [k for k, d in enumerate(functions) if d is not None and folds[k].varies]
    known = [d for k, d in enumerate(functions) if d is not None and k in places]
    if known:
        report_progress("cross-validation", known[0].n_branches)
    fitted = refine_on_coupled(known, [folds[k].coupled for k in places], basis, FOLD_STOP)
    for k, start in zip(places, fitted, strict=True):
        starts[k] = start
    return with_slope_weights(FoldFits(tuple(starts), {}, {}), folds, slope_weights)


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
        functions[slope_weight] = _refine_starts(fits.starts, folds, slope_weight)
        errors[slope_weight] = np.array(list(map(_error_on_fold, functions[slope_weight], folds)))
    return replace(fits, fits=functions, errors=errors)


def _refine_starts(
    starts: Sequence[DecoupledFunction | None], folds: Sequence[Fold], slope_weight: SlopeWeight
) -> tuple[DecoupledFunction | None, ...]:
    """Refine every start on the data of its fold."""
    pairs = [(d, fold) for d, fold in zip(starts, folds, strict=True) if d is not None]
    data = [(fold.fitted, fold.coupled) for _, fold in pairs]
    refined = iter(refine_on_data([d for d, _ in pairs], data, slope_weight, FOLD_STOP))
    return tuple(None if d is None else next(refined) for d in starts)


def _error_on_fold(function: DecoupledFunction | None, fold: Fold) -> float:
    if function is None:
        return fold.constant_error
    return fold.held_out.error(function(fold.held_out.X), fold.scale)
