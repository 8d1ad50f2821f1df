"""Checks of the arguments of a regressor."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from .._typing import Array
from .._util.tables import column_names
from ..errors import InvalidOptionError, InvalidSamplesError


def is_auto(value: Any) -> bool:
    """Whether an option is left to the library."""
    return isinstance(value, str) and value == "auto"


def check_seed(random_state: Any) -> Any:
    """The generator of a random state, or InvalidOptionError."""
    try:
        return check_random_state(random_state)
    except (ValueError, TypeError):
        raise InvalidOptionError(
            f"random_state is {random_state!r}: pass a whole number of at least 0, a RandomState "
            f"or None"
        ) from None


def check_weights(sample_weight: Any, X: Array) -> Array | None:
    """Weights of the rows relative to the largest: only their ratios count."""
    if sample_weight is None:
        return None
    options = {"dtype": np.float64, "ensure_non_negative": True}
    weights: Array = _check_sample_weight(sample_weight, X, **options)
    if not np.any(weights > 0):  # scikit-learn accepts this before 1.8
        raise InvalidSamplesError("every sample has weight 0: some must be greater")
    return np.asarray(weights / weights.max())


def varies(table: Array) -> bool:
    """Whether a column of a table is not constant, up to rounding."""
    size = np.abs(table).max(axis=0)
    return bool(np.any(np.ptp(table, axis=0) > 1e-12 * size))


def find_output_names(y: Any) -> list[str] | None:
    """The names of the columns of a table y, or that of a series."""
    name = getattr(y, "name", None)
    return [name] if isinstance(name, str) and np.ndim(y) == 1 else column_names(y)
