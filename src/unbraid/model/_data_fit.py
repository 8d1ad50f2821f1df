"""The error of a function on data, beside the noise of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array

NOISE_RATIO = 1.15  # of error and noise up to which they are the same
CHANCE = 1.0  # standard errors of a mean square up to which a difference is chance
NEGLIGIBLE_NOISE = 0.1  # percent of the spread: the data are called noise-free


@dataclass(frozen=True)
class DataFit:
    """Error and noise of one output, in percent of its spread.

    ``held_out`` is the error on rows that were not fitted, where it is far above the noise: the
    rows do not determine the function, and say little of the noise.
    """

    error: float
    noise: float
    held_out: float | None = None

    @property
    def r2(self) -> float:
        """The coefficient of determination on the data."""
        return 1 - (self.error / 100) ** 2

    @property
    def is_noise(self) -> bool:
        """Whether the error is no larger than the noise explains."""
        is_small = self.error <= max(NOISE_RATIO * self.noise, NEGLIGIBLE_NOISE)
        return self.held_out is None and is_small

    @property
    def words(self) -> str:
        """R², and the error beside the noise.

        >>> DataFit(20.0, 20.5).words, DataFit(50.0, 20.0).words
        ('R² = 0.960; the error is that of the noise (20 % of the spread)',
         'R² = 0.750; the error (50 % of the spread) is above the noise (20 %)')
        """
        error, noise = _format_size(self.error), _format_size(self.noise)
        if self.held_out is not None:
            missed = _format_size(self.held_out)
            return f"R² = {_format_r2(self.r2)} on the rows fitted; the error on others is {missed}"
        if self.is_noise and self.error <= NEGLIGIBLE_NOISE:
            text = "the data have next to no noise"
        elif self.is_noise:
            text = f"the error is that of the noise ({error} of the spread)"
        else:
            text = f"the error ({error} of the spread) is above the noise ({noise})"
        return f"R² = {_format_r2(self.r2)}; {text}"


def make_data_fits(
    error: Array | None,
    noise: Array | None,
    outputs: Sequence[str],
    held_out: Sequence[float | None] | None = None,
) -> dict[str, DataFit]:
    """The fit of every output that varies, where error and noise are known."""
    if error is None or noise is None:
        return {}
    held_out = [None] * len(outputs) if held_out is None else held_out
    numbers = zip(outputs, error.tolist(), noise.tolist(), held_out, strict=True)
    return {
        name: DataFit(e, s, missed)
        for name, e, s, missed in numbers
        if np.isfinite(e) and (e > 0 or s > 0)
    }


def remove_noise(error: Array, noise: Array | None, n_rows: int | None = None) -> Array:
    """The part of errors (n,) that is not noise, both in percent.

    With a number of rows, the part is 0 where so many rows of noise may explain it.

    >>> remove_noise(np.array([5.0, 2.0]), np.array([4.0, 3.0])).tolist()
    [3.0, 0.0]
    """
    if noise is None:
        return error
    with np.errstate(invalid="ignore"):  # infinite errors
        excess = error**2 - noise**2
        chance = 0.0 if n_rows is None else CHANCE * np.sqrt(2 / n_rows) * noise**2
        return np.asarray(np.sqrt(np.where(excess > chance, excess, 0.0)))


def _format_size(percent: float) -> str:
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"


def _format_r2(r2: float) -> str:
    """Enough digits to tell it from 1."""
    for digits in (3, 4, 5):
        if round(r2, digits) < 1:
            return f"{r2:.{digits}f}"
    return "1.00000"
