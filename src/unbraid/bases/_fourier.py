"""A straight line with harmonics."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from .._util.validation import is_real
from ..errors import InvalidOptionError
from ._base import IntervalBasis, check_order, store_integer

LARGEST_STRETCH = 1e6  # of the period, in units of the interval


@dataclass(frozen=True)
class Fourier(IntervalBasis):
    """A straight line and harmonics of a common period.

    The period is ``stretch`` times the length of the interval of the data.

    >>> Fourier(2).n_functions
    5
    """

    n_harmonics: int
    stretch: float = 1.5
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        store_integer(self, "n_harmonics")
        if not is_real(self.stretch) or not 1 <= self.stretch <= LARGEST_STRETCH:
            raise InvalidOptionError(
                f"stretch must be a number from 1 to {LARGEST_STRETCH:g}, got {self.stretch!r}"
            )

    @property
    def n_functions(self) -> int:
        return 2 * self.n_harmonics + 1

    def design(self, z: Array, order: int = 0) -> Array:
        check_order(order)
        t, rate = self._unit(z)
        line = {0: t, 1: np.full_like(t, rate)}.get(order, np.zeros_like(t))
        columns = [line]
        for k in range(1, self.n_harmonics + 1):
            frequency = np.pi * k / self.stretch
            phase = frequency * t + 0.5 * np.pi * order  # each derivative is a quarter turn
            columns += [np.sin(phase) * (frequency * rate) ** order]
            columns += [np.cos(phase) * (frequency * rate) ** order]
        return np.stack(columns, axis=-1)
