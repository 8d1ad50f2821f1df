"""scikit-learn models as functions, with exact Jacobians if all parts have rules.

Other models are differentiated numerically. scikit-learn is not imported unless it is in use.
"""

import re
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import FitWarning, InvalidOptionError, InvalidSamplesError, SamplingError
from ._batches import map_batches
from ._jacobians import central_differences
from ._packages import comes_from
from ._sklearn_rules import call_with_names, differentiate, entries_per_point, has_rules, parts_of

ENTRIES_PER_ARRAY = 1 << 22  # entries of the largest array that a rule makes for one batch
STEPWISE_STEP = 0.1  # step for piecewise constant models, as a fraction of the spread
STEPWISE_NAMES = re.compile(
    "Tree|Forest|GradientBoosting|Neighbors|AdaBoost|Isotonic|Discretizer|Binarizer|Encoder"
)


def is_sklearn(model: Any) -> bool:
    """Return whether it has ``predict`` and inherits from a class of scikit-learn.

    >>> is_sklearn(abs)
    False
    """
    return comes_from(model, "sklearn") and callable(getattr(model, "predict", None))


def wrap_sklearn_model(model: Any) -> Any:
    """Wrap a model as a function of arrays, with ``jacobian`` where available."""
    name = type(model).__name__
    if getattr(model, "classes_", None) is not None:
        raise InvalidOptionError(
            f"{name} is a classifier, whose answers have no slopes: pass its probabilities, "
            f"lambda p: model.predict_proba(p)[:, 1:]"
        )
    if callable(getattr(model, "fit_predict", None)):
        raise InvalidOptionError(
            f"{name} answers with labels, which have no slopes: pass its scores or distances, "
            f"lambda p: model.transform(p) or model.decision_function(p)"
        )
    if not _is_fitted(model):
        raise SamplingError(f"{name} is not fitted yet: call fit(X, y) first")
    if has_rules(model):
        return SklearnFunction(model)
    if _is_stepwise(model):
        warnings.warn(
            f"{name} is piecewise constant: its slopes are differences over {STEPWISE_STEP:.0%} of "
            f"the spread of each input. A smooth model of the same data decouples better, see "
            f"unbraid.DecoupledRegressor",
            FitWarning,
            stacklevel=4,
        )
        return SklearnFunction(model, stepwise=True)
    return lambda points: _predict(model, points)


def _predict(model: Any, points: Any) -> Array:
    """Values (N, n)."""
    expected = getattr(model, "n_features_in_", None)
    if expected not in (None, np.shape(points)[-1]):
        raise InvalidSamplesError(
            f"points has {np.shape(points)[-1]} columns but {type(model).__name__} was fitted on "
            f"{expected}"
        )
    return call_with_names(model, "predict", points)


def _is_fitted(model: Any) -> bool:
    """Ask the model, or look for attributes that end in an underscore."""
    check = getattr(model, "__sklearn_is_fitted__", None)
    if check is not None:
        return bool(check())
    return any(name.endswith("_") and not name.startswith("_") for name in vars(model))


@dataclass(frozen=True)
class SklearnFunction:
    """A fitted model with exact Jacobians, or with differences over a wide step."""

    model: Any
    stepwise: bool = False

    @property
    def source(self) -> str:
        return "by wide central differences" if self.stepwise else "exact, from the fitted model"

    def __call__(self, points: Any) -> Array:
        return _predict(self.model, points)

    def jacobian(self, points: Any) -> Array:
        """Jacobians (N, n, m)."""
        table = np.asarray(points, dtype=float)
        if self.stepwise:
            spread = np.where(np.ptp(table, axis=0) > 0, table.std(axis=0), 1.0)
            return central_differences(self, table, STEPWISE_STEP * spread)
        rows = max(1, ENTRIES_PER_ARRAY // entries_per_point(self.model, table.shape[1]))
        return np.asarray(map_batches(partial(differentiate, self.model), table, rows))


def _is_stepwise(model: Any) -> bool:
    parts = [part for part in parts_of(model) if not isinstance(part, str)]
    return bool(STEPWISE_NAMES.search(type(model).__name__)) or any(map(_is_stepwise, parts))
