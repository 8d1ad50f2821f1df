"""The smooth, regularised coupled model, which is chosen by cross-validation."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import Ridge
from sklearn.utils.validation import has_fit_parameter

from .._typing import Array, Index
from ..errors import InvalidOptionError, UnbraidError
from ._process_likelihood import ProcessParameters, maximise_likelihood
from ._rows import Rows, choose_first_equivalent

MAX_TUNING_ROWS, MAX_PROCESS_ROWS = 600, 2000  # to tune hyperparameters, and to fit the process
MAX_LENGTH_SCALES = 40  # inputs that may each have a length scale
RIDGE_PENALTIES = np.logspace(-4, 4, 17)  # per hundred rows
MIN_PROCESS_NOISE = 1e-10  # relative to the variance of Y
MAX_REPETITION = 20  # rows after repetition over rows before


class CoupledRegression(ABC):
    """A coupled model with fixed hyperparameters that can be fitted to any rows."""

    @abstractmethod
    def fit(self, rows: Rows) -> Any:
        """Return a model with ``predict``, fitted to the rows."""

    def max_branches(self, rows: Rows) -> int:
        """Number of branches that a decoupling of the model can distinguish."""
        return len(rows)


@dataclass(frozen=True)
class UserRegression(CoupledRegression):
    """The user's estimator."""

    estimator: Any

    def fit(self, rows: Rows) -> Any:
        target = rows.Y[:, 0] if rows.Y.shape[1] == 1 else rows.Y
        model, data, options = clone(self.estimator), (rows.X, target), {}
        if np.ptp(rows.weights) > 0 and has_fit_parameter(model, "sample_weight"):
            options = {"sample_weight": rows.weights}
        elif np.ptp(rows.weights) > 0:
            counts = _count_repetitions(rows.weights, type(model).__name__)
            data = (rows.X.repeat(counts, axis=0), target.repeat(counts, axis=0))
        try:
            return model.fit(*data, **options)
        except UnbraidError:
            raise
        except Exception as error:
            raise InvalidOptionError(
                f"the estimator {type(model).__name__} cannot be fitted to these rows: {error}; "
                f"choose a regressor that takes them, or estimator=None"
            ) from error


def _count_repetitions(weights: Array, estimator: str) -> Index:
    """How often each row must be repeated to have the effect of its weight."""
    ratios = weights / weights.min()
    counts = np.rint(ratios)
    if np.abs(ratios - counts).max() >= 1e-9 or counts.sum() > MAX_REPETITION * weights.size:
        raise InvalidOptionError(
            f"{estimator} takes no sample_weight: fit without weights, or choose another estimator"
        )
    return np.asarray(counts, dtype=np.intp)


@dataclass(frozen=True)
class RidgeRegression(CoupledRegression):
    """Ridge regression on scaled inputs."""

    scale: Array
    penalty: float

    def fit(self, rows: Rows) -> Any:
        model = Ridge(alpha=self.penalty)
        model.fit(rows.X / self.scale, rows.Y, sample_weight=rows.weights)
        model.coef_ = np.atleast_2d(model.coef_) / self.scale
        return model

    def max_branches(self, rows: Rows) -> int:
        return int(min(rows.X.shape[1], rows.Y.shape[1]))


@dataclass(frozen=True)
class ProcessRegression(CoupledRegression):
    """A Gaussian process with fixed kernel and noise, relative to the variance of Y."""

    lengths: Array
    size: float
    noise: float

    def fit(self, rows: Rows) -> Any:
        rows = rows.draw(MAX_PROCESS_ROWS)
        model = GaussianProcessRegressor(
            ConstantKernel(self.size) * RBF(self.lengths),
            alpha=self.noise / rows.weights + MIN_PROCESS_NOISE,
            optimizer=None,
            normalize_y=True,
        )
        unit = _power_of_two_scale(rows.Y)
        model.fit(rows.X, rows.Y / unit)
        model._y_train_mean = model._y_train_mean * unit
        model._y_train_std = model._y_train_std * unit
        return model


def choose_regression(rows: Rows, folds: Sequence[tuple[Index, Index]]) -> CoupledRegression:
    """The first coupled model whose cross-validated error is equivalent to the best.

    Candidates are ridge regression and Gaussian processes with one or many length scales.
    """
    choices: list[CoupledRegression] = [_tune_ridge(rows, folds), _tune_process(rows, each=False)]
    if 1 < rows.X.shape[1] <= min(MAX_LENGTH_SCALES, len(rows) / 4):
        choices.append(_tune_process(rows, each=True))
    return choices[choose_first_equivalent([_cross_validate(c, rows, folds) for c in choices])]


def _tune_ridge(rows: Rows, folds: Sequence[tuple[Index, Index]]) -> RidgeRegression:
    """Ridge regression with the penalty of least error."""
    scale = _replace_zeros(rows.X.std(axis=0))
    choices = [RidgeRegression(scale, float(p * len(rows) / 100)) for p in RIDGE_PENALTIES]
    errors = [_cross_validate(choice, rows, folds).mean() for choice in choices]
    return choices[int(np.argmin(errors))]


def _tune_process(rows: Rows, each: bool) -> ProcessRegression:
    """Gaussian process with kernel and noise of maximum likelihood.

    ``each`` sets one length scale per input instead of a common one.
    """
    chosen, n_inputs = rows.draw(MAX_TUNING_ROWS), rows.X.shape[1]
    scale = _replace_zeros(rows.X.std(axis=0))
    X = (chosen.X - rows.X.mean(axis=0)) / scale
    centred = chosen.Y - chosen.Y.mean(axis=0)
    Y = centred / _replace_zeros(centred.std(axis=0))
    lengths = np.full(n_inputs, 2.0) if each else np.array([2.0 * np.sqrt(n_inputs)])
    found = maximise_likelihood(X, Y, ProcessParameters(1.0, lengths, 0.1))
    return ProcessRegression(found.lengths * scale, found.size, found.noise)


def _cross_validate(
    regression: CoupledRegression, rows: Rows, folds: Sequence[tuple[Index, Index]]
) -> Array:
    """Errors by fold."""
    errors = []
    for fitted, held_out in folds:
        held = rows.subset(held_out)
        prediction = regression.fit(rows.subset(fitted)).predict(held.X)
        errors.append(held.error(np.reshape(prediction, held.Y.shape), rows.output_scale))
    return np.array(errors)


def _power_of_two_scale(Y: Array) -> Array:
    """A power of two near the range of every output: division by it is exact.

    scikit-learn treats a standard deviation below 1e-15 as 0.
    """
    return np.asarray(np.exp2(np.rint(np.log2(_replace_zeros(np.ptp(Y, axis=0))))))


def _replace_zeros(scale: Array) -> Array:
    return np.where(scale > 0, scale, 1.0)
