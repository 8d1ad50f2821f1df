"""Decoupled functions as equations to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from .._typing import Array
from ..bases._piecewise import Pieces
from ..model._branch import Branch
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, formulas, further_digits, powers
from ._support import check_digits, check_function, input_names

ESCAPES = {
    **{mark: f"\\{mark}" for mark in "_%&#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def to_latex(d: DecoupledFunction, names: Sequence[str] | None = None, digits: int = 3) -> str:
    r"""The equations of a decoupled function, as an ``aligned`` environment of LaTeX.

    First the outputs, then what every z is, then the branches; splines as cases.

    Parameters
    ----------
    d : DecoupledFunction
    names : sequence of str, optional
        Of the inputs; p1, p2, ... unless given.
    digits : int
        Digits of all numbers; places and weights of inputs have more where z is far from 0.

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_latex
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: 3 * p[:, :1] + 4 * p[:, 1:], points, n_branches=1,
    ...                      basis=unbraid.Polynomial(1), extrapolate="basis", random_state=0)
    >>> print(to_latex(d, names=["u", "y"]).splitlines()[2])
    z_{1} &= 0.6\,u + 0.8\,y \\
    """
    check_function(d)
    write = _Writer(check_digits(digits))
    inputs = [_symbol(name) for name in input_names(names, d)]
    g = [f"g_{{{i + 1}}}(z_{{{i + 1}}})" for i in range(d.n_branches)]
    outputs = d.output_names or [f"f{o + 1}" for o in range(d.n_outputs)]
    lines = [
        f"{_symbol(name)} &= " + write.sum([*zip(row, g, strict=True), (level, "")])
        for name, row, level in zip(outputs, d.W, d.offset, strict=True)
    ]
    for i, direction in enumerate(d.V.T):
        near = write.near(d.branches[i])
        lines.append(f"z_{{{i + 1}}} &= " + near.sum(zip(direction, inputs, strict=True), True))
    for i, formula in enumerate(formulas(d)):
        lines += write.near(d.branches[i]).branch(formula, i + 1)
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _symbol(name: str) -> str:
    """A letter with a number is a letter with an index; any other name is text."""
    match = re.fullmatch(r"([A-Za-z])(\d*)", name)
    if match is None:
        name = " ".join("".join(m if m.isprintable() else " " for m in name).split())
        return "\\text{" + "".join(ESCAPES.get(mark, mark) for mark in name) + "}"
    letter, index = match.groups()
    return f"{letter}_{{{index}}}" if index else letter


class _Writer:
    """Writes formulas with numbers of so many digits, and ``further`` ones for places on an axis.

    These are needed far from 0, where places are also subtracted first.
    """

    def __init__(self, digits: int, further: int = 0) -> None:
        self.digits = digits
        self.further = further

    def near(self, branch: Branch) -> _Writer:
        """For what is in units of the z of a branch."""
        return _Writer(self.digits, further_digits(branch.interval))

    def number(self, value: float, place: bool = False) -> str:
        digits = self.digits + (self.further if place else 0)
        mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
        return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa

    def place(self, value: float) -> str:
        return self.number(value, True)

    def sum(self, terms: Iterable[tuple[float, str]], places: bool = False) -> str:
        """Numbers times symbols, with their signs; an empty symbol is 1."""
        parts: list[str] = []
        for weight, symbol in terms:
            size = self.number(abs(weight), places)
            sign = "-" if weight < 0 else "+" if parts else ""
            product = symbol if size == "1" and symbol else f"{size}\\,{symbol}" if symbol else size
            if weight != 0:
                parts.append(f"{sign} {product}" if parts else f"{sign}{product}")
        return " ".join(parts) or "0"

    def branch(self, formula: Formula, index: int) -> list[str]:
        """The lines that define one branch."""
        z, t = f"z_{{{index}}}", f"t_{{{index}}}"
        curve, lines = formula.curve, []
        if isinstance(curve, (Harmonics, Bumps)):
            lines.append(f"{t} &= " + self.line(curve.low + 1 / curve.rate, 0.0, curve.rate, z))
        g = self.pieces(curve, z) if isinstance(curve, Pieces) else self.smooth(curve, z, t)
        return [*lines, f"g_{{{index}}}({z}) &= {self.beyond(formula, g, z)}"]

    def beyond(self, formula: Formula, g: str, z: str) -> str:
        """The curve with what holds outside of it."""
        if formula.tails is not None:
            tails = formula.tails
            low, high = self.place(tails.low), self.place(tails.high)
            before = self.line(tails.low, tails.low_value, tails.low_slope, z)
            after = self.line(tails.high, tails.high_value, tails.high_slope, z)
            within = f"{low} \\le {z} \\le {high}"
            return _cases([(before, f"{z} < {low}"), (g, within), (after, f"{z} > {high}")])
        if formula.bounds is not None:
            low, high = (self.place(bound) for bound in formula.bounds)
            return _cases(
                [(g, f"{low} \\le {z} \\le {high}"), ("\\text{undefined}", "\\text{elsewhere}")]
            )
        return g

    def line(self, place: float, value: float, slope: float, z: str) -> str:
        if self.further > 1:
            return self.sum([(value, ""), (slope, self.less(z, place))])
        return self.sum([(value - slope * place, ""), (slope, z)])

    def less(self, z: str, place: float) -> str:
        return f"({self.sum([(1.0, z), (-place, '')], True)})" if place else z

    def pieces(self, curve: Pieces, z: str) -> str:
        """In powers of z less the break before it; one case for pieces that read alike."""
        polynomials = [
            self.polynomial(row, start, z)
            for row, start in zip(curve.coefficients.T[:, ::-1], curve.breaks, strict=False)
        ]
        changes = [k for k in range(1, len(polynomials)) if polynomials[k] != polynomials[k - 1]]
        if not changes:
            return polynomials[0]
        ends = [self.place(curve.breaks[k]) for k in changes]
        middle = [f"{a} \\le {z} < {b}" for a, b in pairwise(ends)]
        where = [f"{z} < {ends[0]}", *middle, f"{z} \\ge {ends[-1]}"]
        return _cases(zip([polynomials[k] for k in (0, *changes)], where, strict=True))

    def polynomial(self, row: Array, start: float, z: str) -> str:
        """Lowest power first; a straight piece is written in z itself."""
        if not row[2:].any():
            return self.line(start, row[0], row[1] if row.size > 1 else 0.0, z)
        return self.powers(row, self.less(z, start))

    def powers(self, coefficients: Array, x: str) -> str:
        return self.sum((c, _power(x, k)) for k, c in enumerate(coefficients))

    def smooth(self, curve: Smooth, z: str, t: str) -> str:
        if isinstance(curve, Legendre):
            place, coefficients = powers(curve)
            return self.powers(coefficients, self.less(z, place))
        if isinstance(curve, Harmonics):
            terms = [(curve.line, t)]
            for frequency, sine, cosine in zip(
                curve.frequencies, curve.sines, curve.cosines, strict=True
            ):
                phase = f"({self.number(frequency)}\\,{t})"
                terms += [(sine, f"\\sin {phase}"), (cosine, f"\\cos {phase}")]
            return self.sum(terms)
        bumps = [self.bump(t, centre, curve.width) for centre in curve.centres]
        return self.sum(zip(curve.heights, bumps, strict=True))

    def bump(self, t: str, centre: float, width: float) -> str:
        x = f"\\frac{{{self.sum([(1.0, t), (-centre, '')])}}}{{{self.number(width)}}}"
        return f"\\exp\\left(-\\tfrac{{1}}{{2}} \\left({x}\\right)^2\\right)"


def _power(x: str, k: int) -> str:
    return "" if k == 0 else x if k == 1 else f"{x}^{{{k}}}"


def _cases(cases: Iterable[tuple[str, str]]) -> str:
    rows = " \\\\\n  ".join(f"{value} & {condition}" for value, condition in cases)
    return f"\\begin{{cases}}\n  {rows}\n\\end{{cases}}"
