"""Decoupled functions as LaTeX equations for reading."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from .._typing import Array
from ..bases._piecewise import Pieces
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, expand_powers, translate_branches
from ._support import check_digits, check_function, choose_input_names, to_one_line

LATEX_ESCAPES = {
    **{mark: f"\\{mark}" for mark in "_%&#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def to_latex(d: DecoupledFunction, names: Sequence[str] | None = None, digits: int = 3) -> str:
    r"""The equations of a decoupled function, as an ``aligned`` environment of LaTeX.

    First the outputs, then every z, then the branches; splines are written as cases.

    Parameters
    ----------
    d : DecoupledFunction
    names : sequence of str, optional
        Names of the inputs; by default p1, p2, ...
    digits : int
        Digits of all numbers; values of z and entries of V have more where z is far from 0.

    Examples
    --------
    >>> import unbraid
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: 3 * p[:, :1] + 4 * p[:, 1:], points, n_branches=1,
    ...                      basis=unbraid.Polynomial(1), extrapolate="basis", random_state=0)
    >>> print(unbraid.export.to_latex(d, names=["u", "y"]).splitlines()[2])
    z_{1} &= 0.6\,u + 0.8\,y \\
    """
    return write_latex(d, names, digits, "z")


def write_latex(
    d: DecoupledFunction, names: Sequence[str] | None, digits: int, variable: str
) -> str:
    """The equations of ``to_latex``, with another letter for the variables."""
    check_function(d)
    digits, branches = check_digits(digits), translate_branches(d)
    inputs = [_symbol(name) for name in choose_input_names(names, d)]
    g = [f"g_{{{i + 1}}}({variable}_{{{i + 1}}})" for i in range(d.n_branches)]
    outputs = d.output_names or [f"f{o + 1}" for o in range(d.n_outputs)]
    write = _LatexWriter(digits)
    lines = [
        f"{_symbol(name)} &= " + write.sum([*zip(row, g, strict=True), (level, "")])
        for name, row, level in zip(outputs, d.W, d.offset, strict=True)
    ]
    writers = [_LatexWriter(digits, _count_extra_digits(*b.interval)) for b in d.branches]
    for i, (writer, v) in enumerate(zip(writers, d.V.T, strict=True), 1):
        terms = zip(v, inputs, strict=True)
        lines.append(f"{variable}_{{{i}}} &= " + writer.sum(terms, writer.extra_digits))
    for i, (writer, formula) in enumerate(zip(writers, branches, strict=True), 1):
        lines += writer.branch(formula, i, variable)
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _count_extra_digits(low: float, high: float) -> int:
    """Return how many digits z in an interval needs beyond those of its width."""
    ratio = max(abs(low), abs(high)) / (high - low)
    return int(np.ceil(np.log10(max(ratio, 1.0))))


def _symbol(name: str) -> str:
    """Return a letter with an index for a letter with a number, else upright text."""
    match = re.fullmatch(r"([A-Za-z])(\d*)", name)
    if match is None:
        marks = (LATEX_ESCAPES.get(mark, mark) for mark in to_one_line(name))
        return "\\text{" + "".join(marks) + "}"
    letter, index = match.groups()
    return f"{letter}_{{{index}}}" if index else letter


class _LatexWriter:
    """Writes formulas with so many digits, and ``extra_digits`` more for values of z.

    With more than one extra digit, lines are written in z - z0: products of large numbers cancel.
    """

    def __init__(self, digits: int, extra_digits: int = 0) -> None:
        self.digits, self.extra_digits = digits, extra_digits

    def number(self, value: float, extra_digits: int = 0) -> str:
        mantissa, _, exponent = f"{value:.{self.digits + extra_digits}g}".partition("e")
        return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa

    def z(self, value: float) -> str:
        return self.number(value, self.extra_digits)

    def sum(self, terms: Iterable[tuple[float, str]], extra_digits: int = 0) -> str:
        """Return a sum of numbers times symbols; an empty symbol is 1."""
        parts: list[str] = []
        for weight, symbol in terms:
            size = self.number(abs(weight), extra_digits)
            sign = "-" if weight < 0 else "+" if parts else ""
            product = symbol if size == "1" and symbol else f"{size}\\,{symbol}" if symbol else size
            if weight != 0:
                parts.append(f"{sign} {product}" if parts else f"{sign}{product}")
        return " ".join(parts) or "0"

    def branch(self, formula: Formula, index: int, variable: str) -> list[str]:
        """Return the lines that define one branch."""
        z, t = f"{variable}_{{{index}}}", f"t_{{{index}}}"
        curve, lines = formula.curve, []
        if isinstance(curve, (Harmonics, Bumps)):
            lines.append(f"{t} &= " + self.line(curve.low + 1 / curve.rate, 0.0, curve.rate, z))
        g = self.pieces(curve, z) if isinstance(curve, Pieces) else self.smooth(curve, z, t)
        return [*lines, f"g_{{{index}}}({z}) &= {self.extrapolate(formula, g, z)}"]

    def extrapolate(self, formula: Formula, g: str, z: str) -> str:
        """Return the curve together with its extrapolation."""
        tails = formula.tails
        ends = formula.bounds if tails is None else (tails.low, tails.high)
        if ends is None:
            return g
        low, high = map(self.z, ends)
        within = (g, f"{low} \\le {z} \\le {high}")
        if tails is None:
            return _cases([within, ("\\text{undefined}", "\\text{elsewhere}")])
        before = self.line(tails.low, tails.low_value, tails.low_slope, z)
        after = self.line(tails.high, tails.high_value, tails.high_slope, z)
        return _cases([(before, f"{z} < {low}"), within, (after, f"{z} > {high}")])

    def line(self, z0: float, value: float, slope: float, z: str) -> str:
        """Return the line through (z0, value)."""
        if self.extra_digits > 1:
            return self.sum([(value, ""), (slope, self.difference(z, z0))])
        return self.sum([(value - slope * z0, ""), (slope, z)])

    def difference(self, z: str, z0: float) -> str:
        return f"({self.sum([(1.0, z), (-z0, '')], self.extra_digits)})" if z0 else z

    def pieces(self, curve: Pieces, z: str) -> str:
        """Return powers of z - break; pieces with the same text share one case."""
        polynomials = [
            self.polynomial(row, start, z)
            for row, start in zip(curve.coefficients.T[:, ::-1], curve.breaks, strict=False)
        ]
        changes = [k for k in range(1, len(polynomials)) if polynomials[k] != polynomials[k - 1]]
        if not changes:
            return polynomials[0]
        ends = [self.z(curve.breaks[k]) for k in changes]
        middle = [f"{a} \\le {z} < {b}" for a, b in pairwise(ends)]
        where = [f"{z} < {ends[0]}", *middle, f"{z} \\ge {ends[-1]}"]
        return _cases(zip([polynomials[k] for k in (0, *changes)], where, strict=True))

    def polynomial(self, row: Array, start: float, z: str) -> str:
        """Return a polynomial in z - start, lowest power first; a line in z itself."""
        if not row[2:].any():
            return self.line(start, row[0], row[1] if row.size > 1 else 0.0, z)
        return self.powers(row, self.difference(z, start))

    def powers(self, coefficients: Array, x: str) -> str:
        symbols = ["", x, *(f"{x}^{{{k}}}" for k in range(2, len(coefficients)))]
        return self.sum(zip(coefficients, symbols, strict=False))

    def smooth(self, curve: Smooth, z: str, t: str) -> str:
        if isinstance(curve, Legendre):
            centre, coefficients = expand_powers(curve)
            return self.powers(coefficients, self.difference(z, centre))
        if isinstance(curve, Harmonics):
            terms = [(curve.line, t)]
            rows = zip(curve.frequencies, curve.sines, curve.cosines, strict=True)
            for frequency, sine, cosine in rows:
                phase = f"({self.number(frequency)}\\,{t})"
                terms += [(sine, f"\\sin {phase}"), (cosine, f"\\cos {phase}")]
            return self.sum(terms)
        bumps = [self.bump(t, centre, curve.width) for centre in curve.centres]
        return self.sum(zip(curve.heights, bumps, strict=True))

    def bump(self, t: str, centre: float, width: float) -> str:
        x = f"\\frac{{{self.sum([(1.0, t), (-centre, '')])}}}{{{self.number(width)}}}"
        return f"\\exp\\left(-\\tfrac{{1}}{{2}} \\left({x}\\right)^2\\right)"


def _cases(cases: Iterable[tuple[str, str]]) -> str:
    rows = " \\\\\n  ".join(f"{value} & {condition}" for value, condition in cases)
    return f"\\begin{{cases}}\n  {rows}\n\\end{{cases}}"
