"""A line and a signed square, as in turbulent drag."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from .._util.validation import is_real
from ..errors import InvalidOptionError
from ._base import IntervalBasis, check_not_a_point, check_order
from ._piecewise import Pieces


@dataclass(frozen=True)
class SignedSquare(IntervalBasis):
    """A line and the signed square s|s|, with s the distance of z from ``centre``.

    Friction and drag have this shape, and it grows less than a cubic beyond the data.

    >>> SignedSquare().bind(np.array([-2.0, 2.0])).design(np.array([-1.0, 2.0])).tolist()
    [[-0.5, -0.25], [1.0, 1.0]]
    """

    centre: float = 0.0
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_real(self.centre) or not np.isfinite(self.centre):
            raise InvalidOptionError(f"centre must be a finite number, got {self.centre!r}")

    @property
    def n_functions(self) -> int:
        return 2

    @property
    def smoothness(self) -> int:
        return 1

    @property
    def n_derivatives(self) -> int:
        return 9  # zero from the third on

    @property
    def _size(self) -> float:
        """Largest distance of the data from the centre, the unit of s."""
        low, high = check_not_a_point(self.interval)
        return max(abs(low - self.centre), abs(high - self.centre))

    def pieces(self, coefficients: Array) -> Pieces:
        """The function with these coefficients as two parabolas."""
        size, (line, square) = self._size, coefficients
        at_start = [-square, line + 2 * square, -line - square]  # of s = x - 1, in powers of x
        powers = size ** np.array([[2.0], [1.0], [0.0]])
        table = np.array([at_start, [square, line, 0.0]]).T / powers
        return Pieces(self.centre + size * np.array([-1.0, 0.0, 1.0]), table)

    def design(self, z: Array, order: int = 0) -> Array:
        check_order(order)
        size = self._size
        t = (np.asarray(z, dtype=float) - self.centre) / size
        zero = np.zeros_like(t)
        columns = {
            0: (t, t * np.abs(t)),
            1: (zero + 1.0, 2 * np.abs(t)),
            2: (zero, 2 * np.sign(t)),
        }.get(order, (zero, zero))
        return np.stack(columns, axis=-1) / size**order
