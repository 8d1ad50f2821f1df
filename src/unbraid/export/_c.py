"""Decoupled functions as C: one file without dependencies."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import counted
from ..bases._piecewise import Pieces
from ..errors import InvalidOption
from ..model._function import DecoupledFunction
from ._c_templates import BRANCH, BUMPS, FOOT, HARMONICS, HEAD, LEGENDRE, PIECES
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, formulas
from ._support import check_function, check_identifier, check_single, write_file

TAKEN = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm bool true false main acos asin atan atan2 cbrt ceil "
    "cos cosf cosh erf exp exp2 expf expm1 fabs floor fma fmax fmin fmod frexp hypot ldexp lgamma "
    "log log10 log1p log2 lrint lround modf nan pow remainder rint round sin sinf sinh sqrt tan "
    "tanh tgamma trunc y0 y1 yn j0 j1 jn gamma isnan isinf isfinite signbit NAN INFINITY HUGE_VAL"
)
HELPERS = {Pieces: PIECES, Legendre: LEGENDRE, Harmonics: HARMONICS, Bumps: BUMPS}


def to_c(
    d: DecoupledFunction,
    path: str | Path | None = None,
    name: str = "decoupled",
    dtype: str = "float64",
) -> str:
    """A decoupled function as the text of one C99 file: values and Jacobian at a point.

    Parameters
    ----------
    d : DecoupledFunction
    path : str or Path, optional
        Also write the text there.
    name : str
        Of the function; its Jacobian is ``name_jacobian``.
    dtype : {"float64", "float32"}
        ``double`` or ``float``.

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_c
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
    ...                      basis=unbraid.Polynomial(2), random_state=0)
    >>> "void product(const double p[2], double f[1])" in to_c(d, name="product")
    True
    """
    check_function(d)
    check_identifier(name, "C", r"[A-Za-z]\w*", TAKEN)
    if dtype not in ("float64", "float32"):
        raise InvalidOption(f"dtype is {dtype!r}: choose 'float64' or 'float32'")
    text = _Writer(d, name, dtype == "float64").text()
    write_file(path, text.encode())
    return text


class _Writer:
    """Fills the templates with the numbers of one function."""

    def __init__(self, d: DecoupledFunction, name: str, double: bool) -> None:
        self.d = d
        self.name = name
        self.branches = formulas(d)
        self.format, self.suffix = ("%.17g", "") if double else ("%.9g", "f")
        self.words: dict[str, Any] = {
            "name": name,
            "real": "double" if double else "float",
            "suffix": self.suffix,
            "m": d.n_inputs,
            "n": d.n_outputs,
            "r": d.n_branches,
            "size": d.n_inputs * d.n_outputs,
        }

    def text(self) -> str:
        """The whole file."""
        d = self.d
        head = HEAD.substitute(
            self.words,
            inputs=counted(d.n_inputs, "input"),
            outputs=counted(d.n_outputs, "output"),
            branches=counted(d.n_branches, "branch", "es"),
            include="\n#include <math.h>\n" if self._needs_math() else "",
        )
        tables = [
            self.array(f"{self.name}_V", d.V.T),
            self.array(f"{self.name}_W", d.W.T),
            self.array(f"{self.name}_offset", d.offset),
        ]
        used = {type(formula.curve) for formula in self.branches}
        helpers = [part.substitute(self.words) for kind, part in HELPERS.items() if kind in used]
        bodies = [self.branch(i, formula) for i, formula in enumerate(self.branches)]
        functions = [f"{self.name}_branch_{i + 1}" for i in range(d.n_branches)]
        foot = FOOT.substitute(self.words, functions=_wrapped(functions))
        return "".join([head, "\n".join(tables), "\n", *helpers, *bodies, foot])

    def _needs_math(self) -> bool:
        return any(
            isinstance(formula.curve, (Harmonics, Bumps)) or formula.bounds is not None
            for formula in self.branches
        )

    def branch(self, index: int, formula: Formula) -> str:
        """The function of one branch."""
        lines = []
        if formula.bounds is not None:
            low, high = (self.number(bound) for bound in formula.bounds)
            lines += [f"if (z < {low} || z > {high})", "    return *slope = NAN;"]
        curve = formula.curve
        lines += self.pieces(curve) if isinstance(curve, Pieces) else self.smooth(curve, formula)
        body = textwrap.indent("\n".join(lines), "    ")
        return BRANCH.substitute(self.words, index=index + 1, body=body)

    def pieces(self, curve: Pieces) -> list[str]:
        last = curve.coefficients.shape[1] - 1
        return [
            self.array("breaks", curve.breaks[:-1]),
            self.array("table", curve.coefficients.T.ravel()),
            f"return {self.name}_pieces(z, {last}, breaks, {curve.degree}, table, slope);",
        ]

    def smooth(self, curve: Smooth, formula: Formula) -> list[str]:
        """In t, and straight on with the slope at the edge where there are tails."""
        real = self.words["real"]
        place, lines, tail = "z", [], ""
        if formula.tails is not None:
            low, high = self.number(formula.tails.low), self.number(formula.tails.high)
            place, tail = "inside", " + *slope * (z - inside)"
            lines = [
                f"const {real} low = {low}, high = {high};",
                f"const {real} inside = z < low ? low : z > high ? high : z;",
            ]
        t = f"({place} - {self.number(curve.low)}) * {self.number(curve.rate)} - 1"
        table, call = self.series(curve)
        return [
            self.array("table", table),
            *lines,
            f"const {real} t = {t.replace('- -', '+ ')};",
            f"const {real} g = {self.name}_{call};",
            f"*slope *= {self.number(curve.rate)};",
            f"return g{tail};",
        ]

    def series(self, curve: Smooth) -> tuple[Any, str]:
        """The table of a smooth curve, and the call that sums it."""
        if isinstance(curve, Legendre):
            return curve.coefficients, f"legendre(t, {curve.coefficients.size}, table, slope)"
        if isinstance(curve, Harmonics):
            rows = np.column_stack([curve.frequencies, curve.sines, curve.cosines])
            arguments = f"{self.number(curve.line)}, {len(rows)}"
            return rows.ravel(), f"harmonics(t, {arguments}, table, slope)"
        rows = np.column_stack([curve.centres, curve.heights])
        arguments = f"{self.number(curve.width)}, {len(rows)}"
        return rows.ravel(), f"bumps(t, {arguments}, table, slope)"

    def array(self, name: str, values: Any) -> str:
        """A constant array of one dimension or two."""
        shape = "".join(f"[{size}]" for size in values.shape)
        if values.ndim == 1:
            rows = _wrapped([self.number(value) for value in values])
        else:
            inner = (", ".join(self.number(value) for value in row) for row in values)
            rows = ",\n    ".join("{" + row + "}" for row in inner)
        return f"static const {self.words['real']} {name}{shape} = {{\n    {rows}\n}};"

    def number(self, value: float) -> str:
        if self.suffix:
            check_single(value)
        text = self.format % value
        return (text if set(text) & set(".e") else text + ".0") + self.suffix


def _wrapped(items: list[str]) -> str:
    return "\n    ".join(textwrap.wrap(", ".join(items), 88, break_on_hyphens=False))
