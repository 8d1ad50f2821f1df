"""Decoupled functions as C: one file without dependencies."""

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import count_noun
from ..bases._piecewise import Pieces
from ..model._function import DecoupledFunction
from ._c_templates import C_BRANCH, C_BUMPS, C_FOOT, C_HARMONICS, C_HEAD, C_LEGENDRE, C_PIECES
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, translate_branches
from ._support import (
    check_dtype,
    check_float32_range,
    check_function,
    check_identifier,
    list_signals,
    wrap_list,
    write_file,
)

C_RESERVED = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm bool true false main acos asin atan atan2 cbrt ceil "
    "cos cosf cosh erf exp exp2 expf expm1 fabs floor fma fmax fmin fmod frexp hypot ldexp lgamma "
    "log log10 log1p log2 lrint lround modf nan pow remainder rint round sin sinf sinh sqrt tan "
    "tanh tgamma trunc y0 y1 yn j0 j1 jn gamma isnan isinf isfinite signbit NAN INFINITY HUGE_VAL"
)
C_HELPERS = {Pieces: C_PIECES, Legendre: C_LEGENDRE, Harmonics: C_HARMONICS, Bumps: C_BUMPS}


def to_c(
    d: DecoupledFunction,
    path: str | Path | None = None,
    name: str = "decoupled",
    dtype: str = "float64",
) -> str:
    """Return a C99 file as text: values and Jacobian of a decoupled function.

    A comment has the names of the inputs and outputs, if the function has names.

    Parameters
    ----------
    d : DecoupledFunction
    path : str or Path, optional
        Also write the text there.
    name : str
        Name of the C function; the Jacobian is ``name_jacobian``.
    dtype : {"float64", "float32"}
        ``double`` or ``float``.

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> "void toy(const double p[2], double f[2])" in unbraid.export.to_c(d, name="toy")
    True
    """
    check_function(d)
    check_identifier(name, "C", r"[A-Za-z]\w*", C_RESERVED)
    check_dtype(dtype)
    text = _CWriter(d, name, dtype == "float64").text()
    write_file(path, text.encode())
    return text


class _CWriter:
    """Fills the templates with the parameters of one function."""

    def __init__(self, d: DecoupledFunction, name: str, double: bool) -> None:
        self.d, self.name, self.branches = d, name, translate_branches(d)
        self.format, self.suffix = ("%.17g", "") if double else ("%.9g", "f")
        self.real = "double" if double else "float"
        self.words: dict[str, Any] = {
            "name": name,
            "real": self.real,
            "suffix": self.suffix,
            "m": d.n_inputs,
            "n": d.n_outputs,
            "r": d.n_branches,
            "size": d.n_inputs * d.n_outputs,
        }

    def text(self) -> str:
        """Return the C file."""
        d, curves = self.d, [formula.curve for formula in self.branches]
        math = any(isinstance(curve, (Harmonics, Bumps)) for curve in curves) or any(
            formula.bounds is not None for formula in self.branches
        )
        head = C_HEAD.substitute(
            self.words,
            inputs=count_noun(d.n_inputs, "input"),
            outputs=count_noun(d.n_outputs, "output"),
            branches=count_noun(d.n_branches, "branch", "es"),
            signals=self.signals(),
            include="\n#include <math.h>\n" if math else "",
        )
        parameters = {"V": d.V.T, "W": d.W.T, "offset": d.offset}
        tables = [self.array(f"{self.name}_{key}", table) for key, table in parameters.items()]
        used = set(map(type, curves))
        helpers = [part.substitute(self.words) for kind, part in C_HELPERS.items() if kind in used]
        bodies = [self.branch(i, formula) for i, formula in enumerate(self.branches, 1)]
        names = [f"{self.name}_branch_{i}" for i in range(1, d.n_branches + 1)]
        foot = C_FOOT.substitute(self.words, functions=wrap_list(names, "\n    "))
        return "".join([head, "\n".join(tables), "\n", *helpers, *bodies, foot])

    def signals(self) -> str:
        """Return the names of inputs and outputs as lines of a comment."""
        lines = [line.replace("*/", "* /") for line in list_signals(self.d, "{}[{}]", 0)]
        lines = [line.replace("/*", "/ *") for line in lines]
        return "".join(f"   {line}\n" for line in lines) + ("\n" if lines else "")

    def branch(self, index: int, formula: Formula) -> str:
        """Return the function of one branch."""
        lines = []
        if formula.bounds is not None:
            low, high = (self.number(bound) for bound in formula.bounds)
            lines += [f"if (z < {low} || z > {high})", "    return *slope = NAN;"]
        if isinstance(formula.curve, Pieces):
            lines += self.pieces(formula.curve)
        else:
            lines += self.smooth(formula.curve, formula)
        body = textwrap.indent("\n".join(lines), "    ")
        return C_BRANCH.substitute(self.words, index=index, body=body)

    def pieces(self, curve: Pieces) -> list[str]:
        last = curve.coefficients.shape[1] - 1
        return [
            self.array("breaks", curve.breaks[:-1]),
            self.array("table", curve.coefficients.T.ravel()),
            f"return {self.name}_pieces(z, {last}, breaks, {curve.degree}, table, slope);",
        ]

    def smooth(self, curve: Smooth, formula: Formula) -> list[str]:
        """Return the lines of a smooth curve and of its linear extrapolation."""
        real, rate = self.real, self.number(curve.rate)
        argument, clip, tail = "z", [], ""
        if formula.tails is not None:
            low, high = self.number(formula.tails.low), self.number(formula.tails.high)
            argument, tail = "inside", " + *slope * (z - inside)"
            clip = [
                f"const {real} low = {low}, high = {high};",
                f"const {real} inside = z < low ? low : z > high ? high : z;",
            ]
        t = f"({argument} - {self.number(curve.low)}) * {rate} - 1"
        table, call = self.series(curve)
        return [
            self.array("table", table),
            *clip,
            f"const {real} t = {t.replace('- -', '+ ')};",
            f"const {real} g = {self.name}_{call};",
            f"*slope *= {rate};",
            f"return g{tail};",
        ]

    def series(self, curve: Smooth) -> tuple[Any, str]:
        """Return the table of a smooth curve and the call that sums it."""
        if isinstance(curve, Legendre):
            return curve.coefficients, f"legendre(t, {curve.coefficients.size}, table, slope)"
        if isinstance(curve, Harmonics):
            rows = np.column_stack([curve.frequencies, curve.sines, curve.cosines])
            call = f"harmonics(t, {self.number(curve.line)}"
        else:
            rows = np.column_stack([curve.centres, curve.heights])
            call = f"bumps(t, {self.number(curve.width)}"
        return rows.ravel(), f"{call}, {len(rows)}, table, slope)"

    def array(self, name: str, values: Any) -> str:
        """Return the declaration of a constant array with one or two dimensions."""
        shape = "".join(f"[{size}]" for size in values.shape)
        if values.ndim == 1:
            rows = wrap_list(map(self.number, values), "\n    ")
        else:
            rows = ",\n    ".join("{" + ", ".join(map(self.number, row)) + "}" for row in values)
        return f"static const {self.real} {name}{shape} = {{\n    {rows}\n}};"

    def number(self, value: float) -> str:
        if self.suffix:
            check_float32_range(value)
        text = self.format % value
        return (text if set(text) & set(".e") else text + ".0") + self.suffix
