"""What a decoupled function leaves of f, at some of the points it was fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import Array

MOST_ROWS = 500


@dataclass(frozen=True, eq=False)
class Residuals:
    """Values of f (K, n) and ``errors``, f less its approximation (K, n)."""

    values: Array
    errors: Array

    @property
    def approximation(self) -> Array:
        """The decoupled function at the same points."""
        return np.asarray(self.values - self.errors)

    def __len__(self) -> int:
        return len(self.values)


def residuals_of(values: Array, approximation: Array) -> Residuals:
    """At no more points than a picture needs, evenly taken.

    >>> len(residuals_of(np.zeros((2000, 1)), np.ones((2000, 1))))
    500
    """
    count = len(values)
    rows = np.unique(np.linspace(0, count - 1, min(MOST_ROWS, count)).astype(int))
    return Residuals(values[rows], values[rows] - approximation[rows])
