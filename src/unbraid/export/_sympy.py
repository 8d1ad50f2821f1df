"""Decoupled functions as SymPy expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..bases._piecewise import Pieces
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, formulas, powers
from ._support import check_digits, check_function, input_names, load_extra

if TYPE_CHECKING:
    from sympy import Expr

EXACT = 17  # digits that tell a double from its neighbours


def to_sympy(
    d: DecoupledFunction, names: Sequence[str] | None = None, digits: int | None = None
) -> list[Expr]:
    """A decoupled function as SymPy expressions, one an output.

    Polynomial branches are written in powers of their z, or of z less the middle of a range that
    is far from 0; from a degree of about 15 on that costs digits.

    Parameters
    ----------
    d : DecoupledFunction
    names : sequence of str, optional
        Of the inputs; p1, p2, ... unless given.
    digits : int, optional
        Round all numbers to so many digits, for reading: too few for inputs far from 0.

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_sympy
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: 3 * p[:, :1] + p[:, 1:], points, n_branches=1,
    ...                      basis=unbraid.Polynomial(1), extrapolate="basis", random_state=0)
    >>> f = to_sympy(d, names=["u", "y"])[0]
    >>> round(float(f.subs({"u": 2.0, "y": 1.0})), 6)
    7.0
    """
    check_function(d)
    names = input_names(names, d)
    digits = None if digits is None else check_digits(digits)
    branches = formulas(d)
    write = _Writer(load_extra("sympy"))
    p = [write.sympy.Symbol(name) for name in names]
    z = [write.combination(direction, p) for direction in d.V.T]
    g = [write.branch(formula, place) for formula, place in zip(branches, z, strict=True)]
    f = [
        write.combination(row, g) + write.number(level)
        for row, level in zip(d.W, d.offset, strict=True)
    ]
    return f if digits is None else [write.rounded(e, digits) for e in f]


class _Writer:
    """Writes formulas with the objects of SymPy."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy

    def number(self, value: float) -> Any:
        if value in (-1.0, 0.0, 1.0):
            return self.sympy.Integer(int(value))
        return self.sympy.Float(float(value), EXACT)

    def rounded(self, expression: Any, digits: int) -> Any:
        numbers = expression.atoms(self.sympy.Float)
        return expression.xreplace({x: self.sympy.Float(x, digits) for x in numbers})

    def combination(self, weights: Any, terms: Sequence[Any]) -> Any:
        products = [self.number(w) * term for w, term in zip(weights, terms, strict=True)]
        return self.sympy.Add(*products)

    def branch(self, formula: Formula, z: Any) -> Any:
        """One branch at z, whatever holds beyond its curve included."""
        g = self.curve(formula.curve, z)
        if formula.tails is not None:
            tails = formula.tails
            low, high = self.number(tails.low), self.number(tails.high)
            before = self.powers([tails.low_value, tails.low_slope], z - low)
            after = self.powers([tails.high_value, tails.high_slope], z - high)
            return self.cases((before, z < low), (after, z > high), (g, True))
        if formula.bounds is not None:
            low, high = (self.number(bound) for bound in formula.bounds)
            return self.cases((g, (z >= low) & (z <= high)), (self.sympy.nan, True))
        return g

    def curve(self, curve: Pieces | Smooth, z: Any) -> Any:
        if isinstance(curve, Pieces):
            return self.pieces(curve, z)
        if isinstance(curve, Legendre):
            place, coefficients = powers(curve)
            return self.powers(coefficients, z - self.number(place))
        t = (z - self.number(curve.low)) * self.number(curve.rate) - 1
        if isinstance(curve, Harmonics):
            return self.harmonics(curve, t)
        return self.bumps(curve, t)

    def pieces(self, curve: Pieces, z: Any) -> Any:
        rows = curve.coefficients.T[:, ::-1]
        starts = [self.number(start) for start in curve.breaks]
        g = [self.powers(row, z - start) for row, start in zip(rows, starts, strict=False)]
        ends = [z < end for end in starts[1:-1]]
        return self.cases(*zip(g, [*ends, True], strict=True))

    def powers(self, coefficients: Any, x: Any) -> Any:
        """Lowest power first."""
        return self.combination(coefficients, [x**k for k in range(len(coefficients))])

    def harmonics(self, curve: Harmonics, t: Any) -> Any:
        phases = [self.number(frequency) * t for frequency in curve.frequencies]
        sines = self.combination(curve.sines, [self.sympy.sin(phase) for phase in phases])
        cosines = self.combination(curve.cosines, [self.sympy.cos(phase) for phase in phases])
        return self.number(curve.line) * t + sines + cosines

    def bumps(self, curve: Bumps, t: Any) -> Any:
        steps = [(t - self.number(centre)) / self.number(curve.width) for centre in curve.centres]
        return self.combination(curve.heights, [self.sympy.exp(-(x**2) / 2) for x in steps])

    def cases(self, *cases: tuple[Any, Any]) -> Any:
        """Unevaluated: SymPy would compare every condition with every other."""
        return self.sympy.Piecewise(*cases, evaluate=False)
