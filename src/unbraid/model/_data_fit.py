"""The error of a function on data, beside the noise of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array

NOISE_RATIO = 1.15  # of error and noise up to which they are the same
NEGLIGIBLE_NOISE = 0.1  # percent of the spread: the data are called noise-free


@dataclass(frozen=True)
class DataFit:
    """Error and noise of one output, in percent of its spread."""

    error: float
    noise: float

    @property
    def r2(self) -> float:
        """The coefficient of determination on the data."""
        return 1 - (self.error / 100) ** 2

    @property
    def is_noise(self) -> bool:
        """Whether the error is no larger than the noise explains."""
        return self.error <= max(NOISE_RATIO * self.noise, NEGLIGIBLE_NOISE)

    @property
    def words(self) -> str:
        """R², and the error beside the noise.

        >>> DataFit(20.0, 20.5).words, DataFit(50.0, 20.0).words
        ('R² = 0.960; the error is that of the noise (20 % of the spread)',
         'R² = 0.750; the error (50 % of the spread) is above the noise (20 %)')
        """
        error, noise = _format_size(self.error), _format_size(self.noise)
        if self.is_noise and self.error <= NEGLIGIBLE_NOISE:
            text = "the data have next to no noise"
        elif self.is_noise:
            text = f"the error is that of the noise ({error} of the spread)"
        else:
            text = f"the error ({error} of the spread) is above the noise ({noise})"
        return f"R² = {_format_r2(self.r2)}; {text}"


def make_data_fits(
    error: Array | None, noise: Array | None, outputs: Sequence[str]
) -> dict[str, DataFit]:
    """The fit of every output that varies, where error and noise are known."""
    if error is None or noise is None:
        return {}
    numbers = zip(outputs, error.tolist(), noise.tolist(), strict=True)
    return {name: DataFit(e, s) for name, e, s in numbers if np.isfinite(e) and (e > 0 or s > 0)}


def remove_noise(error: Array, noise: Array | None) -> Array:
    """The part of errors (n,) that is not noise, both in percent.

    >>> remove_noise(np.array([5.0, 2.0]), np.array([4.0, 3.0])).tolist()
    [3.0, 0.0]
    """
    if noise is None:
        return error
    with np.errstate(invalid="ignore"):  # infinite errors
        return np.asarray(np.sqrt(np.maximum(error**2 - noise**2, 0.0)))


def _format_size(percent: float) -> str:
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"


def _format_r2(r2: float) -> str:
    """Enough digits to tell it from 1."""
    for digits in (3, 4, 5):
        if round(r2, digits) < 1:
            return f"{r2:.{digits}f}"
    return "1.00000"
