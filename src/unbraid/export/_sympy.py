"""Decoupled functions as SymPy expressions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..bases._piecewise import Pieces
from ..model._function import DecoupledFunction
from ._formula import Formula, Harmonics, Legendre, Smooth, expand_powers, translate_branches
from ._support import check_digits, check_function, choose_input_names, load_extra

if TYPE_CHECKING:
    from sympy import Expr

DOUBLE_DIGITS = 17  # distinguish a double from its neighbours


def to_sympy(
    d: DecoupledFunction, names: Sequence[str] | None = None, digits: int | None = None
) -> list[Expr]:
    """A decoupled function as SymPy expressions, one per output.

    Polynomial branches are written in powers of z, or of z minus the middle of a range that is
    far from 0; from a degree of about 15 on that costs digits.

    Parameters
    ----------
    d : DecoupledFunction
    names : sequence of str, optional
        Names of the inputs; by default p1, p2, ...
    digits : int, optional
        Round all numbers to so many digits, for reading; inputs far from 0 need more.

    Examples
    --------
    >>> import unbraid
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: 3 * p[:, :1] + p[:, 1:], points, n_branches=1,
    ...                      basis=unbraid.Polynomial(1), extrapolate="basis", random_state=0)
    >>> f = unbraid.export.to_sympy(d, names=["u", "y"])[0]
    >>> round(float(f.subs({"u": 2.0, "y": 1.0})), 6)
    7.0
    """
    check_function(d)
    names = choose_input_names(names, d)
    digits = None if digits is None else check_digits(digits)
    branches = translate_branches(d)
    write = _SympyWriter(load_extra("sympy"))
    p = [write.sympy.Symbol(name) for name in names]
    z = [write.sum(direction, p) for direction in d.V.T]
    g = [write.branch(*pair) for pair in zip(branches, z, strict=True)]
    f = [write.sum(row, g) + write.number(level) for row, level in zip(d.W, d.offset, strict=True)]
    return f if digits is None else [write.round(expression, digits) for expression in f]


class _SympyWriter:
    """Writes formulas with the objects of SymPy."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy

    def number(self, value: float) -> Any:
        if value in (-1.0, 0.0, 1.0):
            return self.sympy.Integer(int(value))
        return self.sympy.Float(float(value), DOUBLE_DIGITS)

    def round(self, expression: Any, digits: int) -> Any:
        numbers = expression.atoms(self.sympy.Float)
        return expression.xreplace({x: self.sympy.Float(x, digits) for x in numbers})

    def sum(self, weights: Any, terms: Iterable[Any]) -> Any:
        return self.sympy.Add(*(self.number(w) * x for w, x in zip(weights, terms, strict=True)))

    def powers(self, coefficients: Any, x: Any) -> Any:
        """Return a polynomial of x, lowest power first."""
        return self.sum(coefficients, [x**k for k in range(len(coefficients))])

    def cases(self, *cases: tuple[Any, Any]) -> Any:
        """Return cases unevaluated: SymPy would compare every condition with every other."""
        return self.sympy.Piecewise(*cases, evaluate=False)

    def branch(self, formula: Formula, z: Any) -> Any:
        """Return one branch at z with its extrapolation."""
        curve, tails = formula.curve, formula.tails
        g = self.pieces(curve, z) if isinstance(curve, Pieces) else self.smooth(curve, z)
        if tails is not None:
            low, high = self.number(tails.low), self.number(tails.high)
            before = self.powers([tails.low_value, tails.low_slope], z - low)
            after = self.powers([tails.high_value, tails.high_slope], z - high)
            return self.cases((before, z < low), (after, z > high), (g, True))
        if formula.bounds is not None:
            low, high = (self.number(bound) for bound in formula.bounds)
            return self.cases((g, (z >= low) & (z <= high)), (self.sympy.nan, True))
        return g

    def pieces(self, curve: Pieces, z: Any) -> Any:
        rows = curve.coefficients.T[:, ::-1]
        starts = [self.number(start) for start in curve.breaks]
        g = [self.powers(row, z - start) for row, start in zip(rows, starts, strict=False)]
        ends = [z < end for end in starts[1:-1]]
        return self.cases(*zip(g, [*ends, True], strict=True))

    def smooth(self, curve: Smooth, z: Any) -> Any:
        if isinstance(curve, Legendre):
            centre, coefficients = expand_powers(curve)
            return self.powers(coefficients, z - self.number(centre))
        t = (z - self.number(curve.low)) * self.number(curve.rate) - 1
        if isinstance(curve, Harmonics):
            phases = [self.number(frequency) * t for frequency in curve.frequencies]
            sines = self.sum(curve.sines, map(self.sympy.sin, phases))
            cosines = self.sum(curve.cosines, map(self.sympy.cos, phases))
            return self.number(curve.line) * t + sines + cosines
        x = [(t - self.number(centre)) / self.number(curve.width) for centre in curve.centres]
        return self.sum(curve.heights, [self.sympy.exp(-(step**2) / 2) for step in x])
