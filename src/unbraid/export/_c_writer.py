"""Functions in C: tables of parameters, branches, and what sums them."""

import textwrap
from typing import Any

import numpy as np

from ..bases._piecewise import Pieces
from ._c_templates import (
    C_BRANCH,
    C_BRANCH_TERMS,
    C_BRANCHES,
    C_BUMPS,
    C_FUNCTION,
    C_HARMONICS,
    C_LEGENDRE,
    C_LINEAR_TERMS,
    C_PIECES,
)
from ._formula import Bumps, Formula, FunctionFormula, Harmonics, Legendre, Smooth
from ._support import check_float32_range, wrap_list

C_HELPERS = {Pieces: C_PIECES, Legendre: C_LEGENDRE, Harmonics: C_HARMONICS, Bumps: C_BUMPS}


class CWriter:
    """Fills the templates with the parameters of one function."""

    def __init__(self, formula: FunctionFormula, name: str, dtype: str) -> None:
        double = dtype == "float64"
        self.formula, self.name = formula, name
        self.format, self.suffix = ("%.17g", "") if double else ("%.9g", "f")
        self.real = "double" if double else "float"
        self.words: dict[str, Any] = {
            "name": name,
            "real": self.real,
            "suffix": self.suffix,
            "m": formula.n_inputs,
            "n": formula.n_outputs,
            "r": formula.n_branches,
            "size": formula.n_inputs * formula.n_outputs,
        }

    @property
    def include(self) -> str:
        """The line that a function with sines, exponentials or NaN needs."""
        used = self.formula.curve_kinds & {Harmonics, Bumps}
        is_bounded = any(branch.bounds is not None for branch in self.formula.branches)
        return "#include <math.h>\n" if used or is_bounded else ""

    def definitions(self) -> str:
        """Return the tables and the functions of the branches."""
        f = self.formula
        tables = {"V": f.V.T, "W": f.W.T, "offset": f.offset, "linear": f.linear}
        known = {key: table for key, table in tables.items() if table is not None and table.size}
        lines = [self.array(f"{self.name}_{key}", table) for key, table in known.items()]
        kinds = f.curve_kinds
        helpers = [part.substitute(self.words) for kind, part in C_HELPERS.items() if kind in kinds]
        bodies = [self.branch(i, branch) for i, branch in enumerate(f.branches, 1)]
        names = [f"{self.name}_branch_{i}" for i in range(1, f.n_branches + 1)]
        if names:
            listed = wrap_list(names, "\n    ")
            bodies.append(C_BRANCHES.substitute(self.words, functions=listed))
        return "".join(["\n".join(lines), "\n", *helpers, *bodies])

    def function(self, signature: str) -> str:
        """Return the function from p to f with this signature."""
        terms = []
        if self.formula.linear is not None:
            terms.append(C_LINEAR_TERMS.substitute(self.words))
        if self.formula.branches:
            terms.append(C_BRANCH_TERMS.substitute(self.words))
        return C_FUNCTION.substitute(self.words, signature=signature, terms="".join(terms))

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


def write_comment(lines: list[str]) -> str:
    """Return lines of a comment, indented, that names cannot end."""
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return "".join(f"   {line}\n" for line in safe)
