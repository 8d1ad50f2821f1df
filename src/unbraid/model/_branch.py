"""Branches: functions of one variable with a range, and a way on beyond it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from .._typing import Array, Mask
from .._util.linalg import triangle
from .._util.validation import finite_array, non_negative, numbers
from ..bases import Basis, BSpline
from ..bases._files import basis_from_dict
from ..bases._piecewise import Pieces, from_hermite, from_spline
from ..errors import InvalidFile, InvalidOption
from ..solvers._axis import make_axis

Extrapolate = Literal["linear", "basis", "nan"]
EXTRAPOLATE = ("linear", "basis", "nan")
ROWS = 8192


class Curve(Protocol):
    """A function of z with derivatives, known on an interval."""

    @property
    def interval(self) -> tuple[float, float]: ...

    @property
    def n_parameters(self) -> int: ...

    def __call__(self, z: Array, order: int = 0) -> Array: ...


@dataclass(frozen=True, eq=False)
class Expansion:
    """A basis with coefficients."""

    basis: Basis
    coefficients: Array

    def __post_init__(self) -> None:
        if np.shape(self.coefficients) != (self.basis.n_functions,):
            raise InvalidOption(
                f"{type(self.basis).__name__} takes {self.basis.n_functions} coefficients, got "
                f"shape {np.shape(self.coefficients)}"
            )

    @property
    def interval(self) -> tuple[float, float]:
        return self.basis.interval

    @property
    def n_parameters(self) -> int:
        return int(self.coefficients.size)

    @cached_property
    def pieces(self) -> Pieces | None:
        """The same function as piecewise polynomials, where that is what it is."""
        if not isinstance(self.basis, BSpline):
            return None
        return from_spline(
            np.asarray(self.basis.knots), np.append(0.0, self.coefficients), self.basis.degree
        )

    def __call__(self, z: Array, order: int = 0) -> Array:
        z = np.asarray(z, dtype=float)
        if self.pieces is not None:
            return self.pieces(z, order)
        if z.size <= ROWS:
            return self.basis.combined(z, self.coefficients, order)
        parts = np.array_split(z.ravel(), -(-z.size // ROWS))
        values = [self.basis.combined(part, self.coefficients, order) for part in parts]
        return np.concatenate(values).reshape(z.shape)


@dataclass(frozen=True, eq=False)
class Nonparametric:
    """The estimate itself: a cubic between neighbouring abscissae, with their derivatives."""

    abscissae: Array
    values: Array
    slopes: Array

    @property
    def interval(self) -> tuple[float, float]:
        return float(self.abscissae[0]), float(self.abscissae[-1])

    @property
    def n_parameters(self) -> int:
        """Three numbers an abscissa, less the constant."""
        return 3 * self.abscissae.size - 1

    @cached_property
    def pieces(self) -> Pieces:
        """The same function as cubics."""
        return from_hermite(self.abscissae, self.values, self.slopes)

    def __call__(self, z: Array, order: int = 0) -> Array:
        return self.pieces(z, order)


@dataclass(frozen=True, eq=False)
class Branch:
    """One branch g: call it, or its ``derivative``, at any z.

    Attributes
    ----------
    curve : Expansion or Nonparametric
    extrapolate : {"linear", "basis", "nan"}
        Outside the range of the data: straight on with the slope at the edge, whatever the
        basis does, or NaN.
    estimate : (N, 2) or None
        z and g of the estimate at the points that the curve was fitted to, with its constant.
    margin : float
        The edge of "linear" lies this far beyond the data, as a share of their range: fresh
        points fall a little outside now and then, and there the curve knows better.
    band : (M, 2) or None
        z and twice the standard error of g there.

    Examples
    --------
    >>> from unbraid.bases import Polynomial
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
            raise InvalidOption(
                f"curve is {self.curve!r}: a branch is made by fit_branch, or of anything with "
                f"interval, n_parameters and curve(z, order)"
            )
        non_negative("margin", self.margin)
        for name in ("estimate", "band"):
            shape = np.shape(getattr(self, name))
            if getattr(self, name) is not None and (len(shape) != 2 or shape[1] != 2):
                raise InvalidOption(f"{name} has shape {shape}: it needs two columns, z and g")

    @property
    def interval(self) -> tuple[float, float]:
        """Range of z in the data."""
        return self.curve.interval

    @property
    def n_parameters(self) -> int:
        """Coefficients, without the constant (that is in the offset)."""
        return self.curve.n_parameters

    def __call__(self, z: Any) -> Array:
        """g(z), of the shape of z; not finite where it is beyond the largest number."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._value(numbers(z))

    def _value(self, z: Array) -> Array:
        if self.extrapolate == "basis":
            return self.curve(z)
        if self.extrapolate == "linear" and self.pieces is not None:
            return self.pieces(z)
        if z.ndim == 0:
            return self._value(z[None])[0]  # type: ignore[no-any-return]
        inside = np.clip(z, *self.edges)
        g = np.array(self.curve(inside))
        out = np.nonzero(inside != z)
        if out[0].size:
            beyond = z[out] - inside[out]
            g[out] += np.where(beyond < 0, *self._edge_slopes()) * beyond
            if self.extrapolate == "nan":
                g[out] = np.where(self._outside(beyond), np.nan, g[out])
        return g

    def derivative(self, z: Any) -> Array:
        """g'(z)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._slope(numbers(z))

    def _slope(self, z: Array) -> Array:
        if self.extrapolate == "basis":
            return self.curve(z, 1)
        inside = np.clip(z, *self.edges)
        slope = self.curve(inside, 1)
        if self.extrapolate == "linear":
            return slope
        return np.where(self._outside(z - inside), np.nan, slope)

    @cached_property
    def pieces(self) -> Pieces | None:
        """The whole of a branch that goes on straight, as piecewise polynomials."""
        pieces = getattr(self.curve, "pieces", None)
        if pieces is None or self.extrapolate != "linear":
            return None
        return pieces.straightened(*self.edges)  # type: ignore[no-any-return]

    def _outside(self, beyond: Array) -> Mask:
        """Beyond the range by more than the rounding of z."""
        low, high = self.interval
        return np.asarray(np.abs(beyond) > 1e-9 * (high - low))

    def __repr__(self) -> str:
        low, high = self.interval
        kind = type(self.curve.basis if isinstance(self.curve, Expansion) else self.curve).__name__
        return f"Branch({kind}, {self.n_parameters} parameters, z from {low:.4g} to {high:.4g})"

    @property
    def edges(self) -> tuple[float, float]:
        """Where the curve ends."""
        low, high = self.interval
        room = self.margin * (high - low) if self.extrapolate == "linear" else 0.0
        return low - room, high + room

    def _edge_slopes(self) -> tuple[float, float]:
        low, high = self.curve(np.array(self.edges), 1)
        return float(low), float(high)


def fit_branch(
    basis: Basis | None,
    z: Array,
    values: Array | None,
    derivatives: Array | None = None,
    extrapolate: Extrapolate = "linear",
    estimate: Array | None = None,
) -> Branch:
    """Least-squares fit of a basis to values of g (or to its derivatives, without values).

    The fitted constant is dropped. ``basis=None`` keeps the nonparametric estimate.
    """
    check_basis(basis)
    marks = np.stack([z, values if estimate is None else estimate], axis=1)  # type: ignore[list-item]
    if basis is None:
        return Branch(_nonparametric(z, marks[:, 1], derivatives), extrapolate, marks)
    bound = basis.reduced(np.unique(z).size).bind(z)
    if values is not None:
        level = lambda z: np.column_stack([bound.design(z), np.ones(z.size)])  # noqa: E731
        coefficients = _least_squares(level, z, values)[:-1]
    else:
        assert derivatives is not None
        coefficients = _least_squares(lambda z: bound.design(z, 1), z, derivatives)
    curve = Expansion(bound, coefficients)
    marks[:, 1] += np.mean(curve(z) - marks[:, 1])
    return Branch(curve, extrapolate, marks)


def check_basis(basis: Any) -> None:
    """Refuse what is neither a basis nor None."""
    if basis is not None and not isinstance(basis, Basis):
        raise InvalidOption(
            f"basis is {basis!r}: pass Polynomial(degree), BSpline(n_coefficients), "
            f"PiecewiseLinear, Fourier, RBF, CustomBasis, or None for the estimate itself"
        )


def check_extrapolate(extrapolate: Any) -> None:
    """Refuse an unknown way to go on."""
    if not isinstance(extrapolate, str) or extrapolate not in EXTRAPOLATE:
        raise InvalidOption(f"extrapolate is {extrapolate!r}: choose 'linear', 'basis' or 'nan'")


def _least_squares(design: Callable[[Array], Array], z: Array, target: Array) -> Array:
    """Coefficients of a design at z; of many rows only their triangle is ever held."""
    parts = [
        np.column_stack([design(z[k : k + ROWS]), target[k : k + ROWS]])
        for k in range(0, min(z.size, ROWS), ROWS)
    ]
    for k in range(ROWS, z.size, ROWS):
        more = np.column_stack([design(z[k : k + ROWS]), target[k : k + ROWS]])
        parts = [triangle(np.concatenate([*parts, more]))]
    rows, target = parts[0][:, :-1], parts[0][:, -1]
    scale = np.linalg.norm(rows, axis=0)
    scale[scale == 0] = 1.0
    return np.asarray(np.linalg.lstsq(rows / scale, target, rcond=1e-12)[0] / scale)


def _nonparametric(z: Array, values: Array, derivatives: Array | None) -> Nonparametric:
    axis = make_axis(z)
    g = axis.mean_over_ties(values)
    slopes = (
        np.gradient(g, axis.abscissae) if derivatives is None else axis.mean_over_ties(derivatives)
    )
    return Nonparametric(axis.abscissae, g, slopes)


def branch_to_dict(branch: Branch) -> dict[str, Any]:
    """A document that ``branch_from_dict`` turns back into the branch."""
    curve = branch.curve
    if isinstance(curve, Expansion):
        content = {"basis": curve.basis.to_dict(), "coefficients": curve.coefficients}
    elif isinstance(curve, Nonparametric):
        content = {"abscissae": curve.abscissae, "values": curve.values, "slopes": curve.slopes}
    else:
        raise InvalidOption(f"a branch made of {type(curve).__name__} cannot be saved")
    return {
        "extrapolate": branch.extrapolate,
        "estimate": branch.estimate,
        "margin": branch.margin,
        "band": branch.band,
        **content,
    }


def branch_from_dict(document: Any) -> Branch:
    """The branch in a document, checked, or InvalidFile."""
    try:
        curve: Curve
        if "basis" in document:
            basis = basis_from_dict(document["basis"])
            curve = Expansion(basis, _vector(document["coefficients"], basis.n_functions))
        else:
            abscissae = _vector(document["abscissae"])
            if abscissae.size < 2 or np.any(np.diff(abscissae) <= 0):
                raise ValueError("abscissae do not rise")
            size = abscissae.size
            curve = Nonparametric(
                abscissae, _vector(document["values"], size), _vector(document["slopes"], size)
            )
        margin = float(document.get("margin", 0.0))
        if not 0 <= margin < np.inf:
            raise ValueError(f"margin {margin}")
        return Branch(
            curve,
            document["extrapolate"],
            _two_columns("estimate", document["estimate"]),
            margin,
            _two_columns("band", document.get("band")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFile(f"the file holds a branch that makes no sense: {error}") from None


def _two_columns(name: str, value: Any) -> Array | None:
    if value is None:
        return None
    table = finite_array(name, value, ndim=2)
    if table.shape[1] != 2:
        raise ValueError(f"{name} needs two columns")
    return table


def _vector(value: Any, size: int | None = None) -> Array:
    vector = finite_array("numbers of a branch", value, ndim=1)
    if size is not None and vector.size != size:
        raise ValueError(f"{vector.size} numbers where {size} belong")
    return vector
