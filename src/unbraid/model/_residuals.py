"""Residuals of a decoupled function at some of the fitted points."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array

MAX_RESIDUALS = 500  # points


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


def sample_residuals(values: Array, approximation: Array) -> Residuals:
    """Residuals at evenly taken points, as many as a plot needs.

    >>> len(sample_residuals(np.zeros((2000, 1)), np.ones((2000, 1))))
    500
    """
    count = len(values)
    rows = np.unique(np.linspace(0, count - 1, min(MAX_RESIDUALS, count)).astype(int))
    return Residuals(values[rows], values[rows] - approximation[rows])
