"""scikit-learn models as functions of arrays: exact Jacobians where every part has a rule.

Others are differentiated numerically. scikit-learn itself is never imported.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import FitWarning, InvalidOption, InvalidSamples, SamplingError
from ._sklearn_rules import as_column, from_sklearn, has_rules, parts_of, slopes, width

NUMBERS = 1 << 22  # in the largest array of a batch
WIDE = 0.1  # of the spread: the step for models that are constant piece by piece
STEPWISE = (
    "Tree",
    "Forest",
    "GradientBoosting",
    "Neighbors",
    "AdaBoost",
    "Isotonic",
    "Discretizer",
    "Binarizer",
    "Encoder",
)


def is_sklearn(model: Any) -> bool:
    """Is it one of scikit-learn's models, or made in their manner?

    >>> is_sklearn(abs)
    False
    """
    ours = any(from_sklearn(kind) for kind in type(model).__mro__)
    return ours and callable(getattr(model, "predict", None))


def sklearn_function(model: Any) -> Any:
    """The model as a function of arrays, with a ``jacobian`` where one is to be had."""
    if getattr(model, "classes_", None) is not None:
        raise InvalidOption(
            f"{type(model).__name__} is a classifier, whose answers have no slopes: pass its "
            f"probabilities, lambda p: model.predict_proba(p)[:, 1:]"
        )
    if callable(getattr(model, "fit_predict", None)):
        raise InvalidOption(
            f"{type(model).__name__} answers with labels, which have no slopes: pass its scores or "
            f"distances, lambda p: model.transform(p) or model.decision_function(p)"
        )
    if not _is_fitted(model):
        raise SamplingError(f"{type(model).__name__} is not fitted yet: call fit(X, y) first")
    if has_rules(model):
        return ExactModel(model)
    if _stepwise(model):
        warnings.warn(
            f"{type(model).__name__} is constant piece by piece: its slopes are taken over "
            f"{WIDE:.0%} of the spread of each input. A smooth model of the same data decouples "
            f"better, see unbraid.DecoupledRegressor",
            FitWarning,
            stacklevel=4,
        )
        return StepwiseModel(model)
    return lambda points: predicted(model, points)


def predicted(model: Any, points: Any) -> Array:
    """Values (N, n), with the names of the columns where the model was fitted with some."""
    expected = getattr(model, "n_features_in_", None)
    if expected not in (None, np.shape(points)[-1]):
        raise InvalidSamples(
            f"points has {np.shape(points)[-1]} columns but {type(model).__name__} was fitted on "
            f"{expected}"
        )
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        import pandas

        points = pandas.DataFrame(points, columns=names)
    return as_column(model.predict(points))


def in_order(model: Any, points: Any) -> Any:
    """A DataFrame with its columns in the order that the model was fitted with."""
    names = getattr(model, "feature_names_in_", None)
    columns = getattr(points, "columns", None)
    if names is None or columns is None or list(columns) == list(names):
        return points
    if set(columns) != set(names):
        raise InvalidSamples(
            f"points has columns {', '.join(map(str, columns))} but {type(model).__name__} was "
            f"fitted on {', '.join(map(str, names))}"
        )
    return points[list(names)]


def _is_fitted(model: Any) -> bool:
    """By the model's own word, or by its attributes that end in an underscore."""
    own = getattr(model, "__sklearn_is_fitted__", None)
    if own is not None:
        return bool(own())
    return any(name.endswith("_") and not name.startswith("_") for name in vars(model))


@dataclass(frozen=True)
class ExactModel:
    """A fitted model for which every part has a rule."""

    model: Any
    source: str = "exact, from the fitted model"

    def __call__(self, points: Any) -> Array:
        return predicted(self.model, points)

    def jacobian(self, points: Any) -> Array:
        """Jacobians (N, n, m), some rows at a time."""
        table = np.asarray(points, dtype=float)
        rows = max(1, NUMBERS // width(self.model, table.shape[1]))
        parts = [
            slopes(self.model, table[k : k + rows])[1] for k in range(0, max(len(table), 1), rows)
        ]
        return np.concatenate(parts)


@dataclass(frozen=True)
class StepwiseModel:
    """A model without derivatives, by central differences over a wide step."""

    model: Any
    source: str = "by wide central differences"

    def __call__(self, points: Any) -> Array:
        return predicted(self.model, points)

    def jacobian(self, points: Any) -> Array:
        table = np.asarray(points, dtype=float)
        steps = WIDE * np.where(np.ptp(table, axis=0) > 0, table.std(axis=0), 1.0)
        columns = []
        for l, step in enumerate(steps):
            shift = np.zeros(len(steps))
            shift[l] = step
            columns.append((self(table + shift) - self(table - shift)) / (2 * step))
        return np.stack(columns, axis=2)


def _stepwise(model: Any) -> bool:
    parts = [part for part in parts_of(model) if not isinstance(part, str)]
    name = type(model).__name__
    own = any(word in name for word in STEPWISE)
    return own or any(_stepwise(part) for part in parts)
