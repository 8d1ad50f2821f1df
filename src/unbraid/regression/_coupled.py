"""The coupled model that is fitted first: smooth, regularised, chosen by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import Ridge
from sklearn.utils.validation import has_fit_parameter

from .._typing import Array, Index
from ..errors import InvalidOption, UnbraidError
from ._rows import Rows, first_as_good, fold_error, spread

TUNED_ON, FITTED_ON = 600, 2000  # rows: of the hyperparameters, and of the process itself
MOST_LENGTHS = 40  # inputs that may each have a length scale of their own
PENALTIES = np.logspace(-4, 4, 17)
LEAST_NOISE = 1e-10
MOST_REPEATED = 20  # times as many rows, where they are said again instead of weighted


class Recipe(Protocol):
    """A coupled model with its hyperparameters settled: fitted anew on any rows."""

    def fit(self, rows: Rows) -> Any: ...

    def most_branches(self, rows: Rows) -> int:
        """How many branches it can tell apart."""
        ...


@dataclass(frozen=True)
class Given:
    """The user's own estimator."""

    estimator: Any

    def fit(self, rows: Rows) -> Any:
        target = rows.Y[:, 0] if rows.Y.shape[1] == 1 else rows.Y
        model = clone(self.estimator)
        if np.ptp(rows.weights) == 0:
            return self._fitted(model, rows.X, target)
        if has_fit_parameter(model, "sample_weight"):
            return self._fitted(model, rows.X, target, sample_weight=rows.weights)
        times = _times(rows.weights)
        if times is None:
            raise InvalidOption(
                f"{type(model).__name__} takes no sample_weight: fit without weights, or choose "
                f"another estimator"
            )
        return self._fitted(model, rows.X.repeat(times, axis=0), target.repeat(times, axis=0))

    def _fitted(self, model: Any, *data: Any, **options: Any) -> Any:
        try:
            return model.fit(*data, **options)
        except UnbraidError:
            raise
        except Exception as error:
            raise InvalidOption(
                f"the estimator {type(model).__name__} cannot be fitted to these rows: {error}; "
                f"choose a regressor that takes them, or estimator=None"
            ) from error

    def most_branches(self, rows: Rows) -> int:
        return len(rows)


def _times(weights: Array) -> Index | None:
    """How often each row is to be said instead of weighted; None where that is no whole number."""
    times = weights / weights.min()
    whole = np.rint(times)
    said = np.abs(times - whole).max() < 1e-9 and whole.sum() <= MOST_REPEATED * weights.size
    return whole.astype(np.intp) if said else None


@dataclass(frozen=True)
class Straight:
    """Ridge regression, inputs in units of their spread."""

    scale: Array
    penalty: float

    def fit(self, rows: Rows) -> Any:
        model = Ridge(alpha=self.penalty)
        model.fit(rows.X / self.scale, rows.Y, sample_weight=rows.weights)
        model.coef_ = np.atleast_2d(model.coef_) / self.scale
        return model

    def most_branches(self, rows: Rows) -> int:
        return int(min(rows.X.shape[1], rows.Y.shape[1]))


@dataclass(frozen=True)
class Process:
    """A Gaussian process, known kernel and noise (both relative to the variance of Y)."""

    lengths: Array
    size: float
    noise: float

    def fit(self, rows: Rows) -> Any:
        rows = rows.some(FITTED_ON)
        kernel = ConstantKernel(self.size) * RBF(self.lengths)
        model = GaussianProcessRegressor(
            kernel,
            alpha=self.noise / rows.weights + LEAST_NOISE,
            optimizer=None,
            normalize_y=True,
        )
        unit = _unit(rows.Y)
        model.fit(rows.X, rows.Y / unit)
        model._y_train_mean = model._y_train_mean * unit
        model._y_train_std = model._y_train_std * unit
        return model

    def most_branches(self, rows: Rows) -> int:
        return len(rows)


def tuned_process(rows: Rows, each: bool) -> Process:
    """Kernel and noise of most likelihood; a length scale for each input, or one for all."""
    chosen = rows.some(TUNED_ON)
    scale = _positive(rows.X.std(axis=0))
    lengths = np.full(rows.X.shape[1], 2.0) if each else 2.0 * np.sqrt(rows.X.shape[1])
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * RBF(lengths, (1e-1, 1e3))
    kernel += WhiteKernel(0.1, (1e-8, 10.0))
    model = GaussianProcessRegressor(kernel, normalize_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a length scale at its bound is no news to the user
        model.fit((chosen.X - rows.X.mean(axis=0)) / scale, chosen.Y / _unit(chosen.Y))
    found = model.kernel_
    return Process(
        found.k1.k2.length_scale * scale, found.k1.k1.constant_value, found.k2.noise_level
    )


def tuned_straight(rows: Rows, folds: Sequence[tuple[Index, Index]]) -> Straight:
    """Ridge regression with the penalty of least error."""
    scale = _positive(rows.X.std(axis=0))
    recipes = [Straight(scale, float(penalty * len(rows) / 100)) for penalty in PENALTIES]
    errors = [cross_validated(recipe, rows, folds).mean() for recipe in recipes]
    return recipes[int(np.argmin(errors))]


def chosen_recipe(rows: Rows, folds: Sequence[tuple[Index, Index]]) -> Recipe:
    """The simplest of ridge regression and two Gaussian processes that is as good as any."""
    recipes: list[Recipe] = [tuned_straight(rows, folds), tuned_process(rows, each=False)]
    if 1 < rows.X.shape[1] <= min(MOST_LENGTHS, len(rows) / 4):
        recipes.append(tuned_process(rows, each=True))
    return recipes[first_as_good([cross_validated(recipe, rows, folds) for recipe in recipes])]


def cross_validated(recipe: Recipe, rows: Rows, folds: Sequence[tuple[Index, Index]]) -> Array:
    """Errors by fold."""
    scale = spread(rows)

    def error(fitted: Index, judged: Index) -> float:
        held = rows.subset(judged)
        prediction = np.reshape(recipe.fit(rows.subset(fitted)).predict(held.X), held.Y.shape)
        return fold_error(held.Y, prediction, held.weights, scale)

    return np.array([error(*fold) for fold in folds])


def _unit(Y: Array) -> Array:
    """A power of two near the spread of every output: dividing by it changes no digit.

    scikit-learn takes a spread below 1e-15 for none.
    """
    return np.asarray(np.exp2(np.rint(np.log2(_positive(np.ptp(Y, axis=0))))))


def _positive(scale: Array) -> Array:
    return np.where(scale > 0, scale, 1.0)
