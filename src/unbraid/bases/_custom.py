"""A basis of the user's own functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .._typing import Array
from .._util.validation import as_float_array, real_array
from ..errors import InvalidOptionError, InvalidSamplesError, SamplingError
from ._base import Basis, range_of


@dataclass(frozen=True)
class CustomBasis(Basis):
    """The user's own functions of z and their derivatives.

    It cannot be saved to a file.
    ``z = v.p`` with v of unit length in the user's units: tanh(2 p1 + p2) is tanh(sqrt(5) z).

    >>> CustomBasis([np.tanh], [lambda z: 1 / np.cosh(z) ** 2]).n_functions
    1
    """

    functions: Sequence[Callable[[Array], Array]]
    derivatives: Sequence[Callable[[Array], Array]]
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for name in ("functions", "derivatives"):
            given = getattr(self, name)
            if not isinstance(given, Sequence) or not all(callable(phi) for phi in given):
                raise InvalidOptionError(f"{name} must be a list of functions of z, got {given!r}")
        if not self.functions or len(self.functions) != len(self.derivatives):
            raise InvalidOptionError(
                "CustomBasis needs as many derivatives as functions, at least one"
            )

    @property
    def n_functions(self) -> int:
        return len(self.functions)

    @property
    def smoothness(self) -> int:
        return 1

    def bind(self, z: Array) -> Self:
        low, high = range_of(z)
        return replace(self, low=low, high=high)

    def design(self, z: Array, order: int = 0) -> Array:
        if order not in (0, 1):
            raise InvalidOptionError("CustomBasis has values and first derivatives only")
        z = as_float_array(z)
        return np.stack([self._column(k, z, order) for k in range(self.n_functions)], axis=-1)

    def _column(self, k: int, z: Array, order: int) -> Array:
        """One function, or its derivative, checked: it is the user's."""
        what = f"function {k} of the CustomBasis" + (", its derivative," if order else "")
        try:
            with np.errstate(all="ignore"):
                found = (self.derivatives if order else self.functions)[k](z.copy())
            column = np.broadcast_to(real_array(what, found), z.shape)
        except InvalidSamplesError:
            raise
        except Exception as error:
            raise SamplingError(
                f"{what} failed on z of shape {z.shape}: {type(error).__name__}: {error}; it must "
                f"take an array and return one of the same shape"
            ) from error
        bad = np.isfinite(z) & ~np.isfinite(column)
        if np.any(bad):
            raise SamplingError(f"{what} is not finite at z = {z[bad][0]:.6g}; repair it there")
        return column

    def to_dict(self) -> dict[str, Any]:
        raise InvalidOptionError("a CustomBasis holds Python functions and cannot be saved")
