"""Gaussian radial basis functions."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from .._util.validation import is_real
from ..errors import InvalidOptionError
from ._base import IntervalBasis, check_order, store_integer

NARROWEST, WIDEST = 1e-3, 1e6  # width of a bump, in units of the spacing of the centres


@dataclass(frozen=True)
class RBF(IntervalBasis):
    """Gaussian bumps, evenly spread over the data's interval.

    >>> RBF(8).n_functions
    8
    """

    n_centres: int
    width: float = 1.5
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        store_integer(self, "n_centres", least=2)
        if not is_real(self.width) or not NARROWEST <= self.width <= WIDEST:
            raise InvalidOptionError(
                f"width (in spacings of the centres) must be a number from {NARROWEST:g} to "
                f"{WIDEST:g}, got {self.width!r}"
            )

    @property
    def n_functions(self) -> int:
        return self.n_centres

    def design(self, z: Array, order: int = 0) -> Array:
        from scipy.special import eval_hermitenorm

        check_order(order)
        t, rate = self._unit(z)
        spacing = 2.0 / (self.n_centres - 1)
        scale = self.width * spacing
        x = (t[..., None] - np.linspace(-1, 1, self.n_centres)) / scale
        with np.errstate(under="ignore"):
            bump = np.exp(-0.5 * x**2) * eval_hermitenorm(order, x)
        return np.asarray(bump * (-rate / scale) ** order)
