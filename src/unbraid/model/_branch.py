"""Branches: curves with a range of data and a rule for extrapolation."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .._typing import Array, Mask
from .._util.validation import as_float_array, check_non_negative
from ..bases._piecewise import Pieces
from ..errors import InvalidOptionError
from ._curves import Curve, Expansion

Extrapolate = Literal["linear", "constant", "basis", "nan"]
EXTRAPOLATE = ("linear", "constant", "basis", "nan")


@dataclass(frozen=True, eq=False)
class Branch:
    """One branch g: call it, or its ``derivative``, at any z.

    Attributes
    ----------
    curve : Expansion or Nonparametric
    extrapolate : {"linear", "constant", "basis", "nan"}
        Outside the range of the data: linear with the slope at the edge, the value at the edge, the
        basis, or NaN.
    estimate : (N, 2) or None
        z and g of the estimate at the points that the curve was fitted to, with its constant.
    margin : float
        The edge of "linear" lies this far beyond the data, as a share of their range.
    band : (M, 2) or None
        z and twice the standard error of g there.

    Examples
    --------
    >>> from unbraid.bases import Polynomial
    >>> from unbraid.model._branch_fit import fit_branch
    >>> z = np.linspace(-1.0, 1.0, 5)
    >>> square = fit_branch(Polynomial(2), z, z**2)
    >>> round(float(square(1.0) - square(0.0)), 9), round(float(square.derivative(3.0)), 9)
    (1.0, 2.0)
    """

    curve: Curve
    extrapolate: Extrapolate = "linear"
    estimate: Array | None = None
    margin: float = 0.0
    band: Array | None = None

    def __post_init__(self) -> None:
        check_extrapolate(self.extrapolate)
        if not callable(self.curve) or not hasattr(self.curve, "interval"):
            raise InvalidOptionError(
                f"curve is {self.curve!r}: a branch is made by fit_branch, or of anything with "
                f"interval, n_parameters and curve(z, order)"
            )
        check_non_negative("margin", self.margin)
        for name in ("estimate", "band"):
            shape = np.shape(getattr(self, name))
            if getattr(self, name) is not None and (len(shape) != 2 or shape[1] != 2):
                raise InvalidOptionError(f"{name} has shape {shape}: it needs two columns, z and g")

    @property
    def interval(self) -> tuple[float, float]:
        """Range of z in the data."""
        return self.curve.interval

    @property
    def n_parameters(self) -> int:
        """Coefficients, without the constant (that is in the offset)."""
        return self.curve.n_parameters

    def __call__(self, z: Any) -> Array:
        """g(z), of the shape of z; infinite where it overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._value(as_float_array(z))

    def _value(self, z: Array) -> Array:
        if self.extrapolate == "basis":
            return self.curve(z)
        if self.pieces is not None:
            return self.pieces(z)
        if z.ndim == 0:
            return self._value(z[None])[0]  # type: ignore[no-any-return]
        inside = np.clip(z, *self.edges)
        g = np.array(self.curve(inside))
        out = np.nonzero(inside != z)
        if out[0].size:
            beyond = z[out] - inside[out]
            g[out] += np.where(beyond < 0, *self.edge_slopes()) * beyond
            if self.extrapolate == "nan":
                g[out] = np.where(self._outside(beyond), np.nan, g[out])
        return g

    def derivative(self, z: Any) -> Array:
        """g'(z)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._slope(as_float_array(z))

    def _slope(self, z: Array) -> Array:
        if self.extrapolate == "basis":
            return self.curve(z, 1)
        inside = np.clip(z, *self.edges)
        slope = self.curve(inside, 1)
        if self.extrapolate == "linear":
            return slope
        outside = 0.0 if self.extrapolate == "constant" else np.nan
        return np.where(self._outside(z - inside), outside, slope)

    def linearise(self, z: Array) -> tuple[Array, Array]:
        """g(z) and g'(z) at an array z (N,); cheaper than both by themselves."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.pieces is not None:
                value, slope = self.pieces.derivatives(z, (0, 1))
                return value, slope
            low, high = self.edges
            inside = z.size > 0 and bool(z.min() >= low and z.max() <= high)
            if isinstance(self.curve, Expansion) and (inside or self.extrapolate == "basis"):
                return self.curve.linearise(z)
            return self(z), self.derivative(z)

    @cached_property
    def pieces(self) -> Pieces | None:
        """The branch with its straight ends as piecewise polynomials, where it is one."""
        pieces: Pieces | None = getattr(self.curve, "pieces", None)
        if pieces is None or self.extrapolate not in ("linear", "constant"):
            return None
        return pieces.with_straight_ends(*self.edges, *self.edge_slopes())

    def _outside(self, beyond: Array) -> Mask:
        """Whether z is outside the range by more than rounding."""
        low, high = self.interval
        return np.asarray(np.abs(beyond) > 1e-9 * (high - low))

    def __repr__(self) -> str:
        low, high = self.interval
        kind = type(self.curve.basis if isinstance(self.curve, Expansion) else self.curve).__name__
        return f"Branch({kind}, {self.n_parameters} parameters, z from {low:.4g} to {high:.4g})"

    @property
    def edges(self) -> tuple[float, float]:
        """Where the curve ends and extrapolation begins."""
        low, high = self.interval
        room = self.margin * (high - low) if self.extrapolate == "linear" else 0.0
        return low - room, high + room

    def edge_slopes(self) -> tuple[float, float]:
        """Slopes beyond the edges, where the branch is straight there."""
        if self.extrapolate == "constant":
            return 0.0, 0.0
        low, high = self.curve(np.array(self.edges), 1)
        return float(low), float(high)


def check_extrapolate(extrapolate: Any) -> None:
    """Reject an unknown extrapolation."""
    if not isinstance(extrapolate, str) or extrapolate not in EXTRAPOLATE:
        raise InvalidOptionError(
            f"extrapolate is {extrapolate!r}: choose 'linear', 'constant', 'basis' or 'nan'"
        )
