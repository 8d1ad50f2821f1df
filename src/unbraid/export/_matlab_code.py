"""Branches and their sum as MATLAB code for Octave and code generation, too."""

from typing import Any

import numpy as np

from ..bases._piecewise import Pieces
from ._formula import Bumps, Formula, FunctionFormula, Harmonics, Legendre, Smooth
from ._support import wrap_list

MATLAB_PIECES = """
function g = pieces(z, breaks, table)
% Polynomials in z - break, one row per piece, highest power first.
starts = breaks(:);
k = ones(size(z));
for i = 2:numel(starts)
    k = k + (z >= starts(i));
end
x = z - starts(k);
g = table(k, 1);
for column = 2:size(table, 2)
    g = g .* x + table(k, column);
end
end
"""
MATLAB_LEGENDRE = """
function g = legendre_series(t, c)
% c(1) P1(t) + c(2) P2(t) + ..., Legendre polynomials.
below = ones(size(t));
current = t;
g = c(1) * t;
for k = 1:numel(c) - 1
    next = ((2 * k + 1) * t .* current - k * below) / (k + 1);
    below = current;
    current = next;
    g = g + c(k + 1) * current;
end
end
"""
MATLAB_HARMONICS = """
function g = harmonics(t, line, frequencies, sines, cosines)
% A line plus sines and cosines.
phase = t * frequencies;
g = line * t + sin(phase) * sines' + cos(phase) * cosines';
end
"""
MATLAB_BUMPS = """
function g = bumps(t, width, centres, heights)
% A sum of Gaussian bumps.
g = zeros(size(t));
for k = 1:numel(centres)
    g = g + heights(k) * exp(-((t - centres(k)) / width) .^ 2 / 2);
end
end
"""
MATLAB_HELPERS = {
    Pieces: MATLAB_PIECES,
    Legendre: MATLAB_LEGENDRE,
    Harmonics: MATLAB_HARMONICS,
    Bumps: MATLAB_BUMPS,
}


def write_functions(formula: FunctionFormula) -> str:
    """Return the functions of all branches and those that they call."""
    parts = [write_branch(i, branch) for i, branch in enumerate(formula.branches, 1)]
    kinds = formula.curve_kinds
    return "".join([*parts, *(part for kind, part in MATLAB_HELPERS.items() if kind in kinds)])


def write_map(formula: FunctionFormula, argument: str, result: str) -> list[str]:
    """Return the lines that compute the function at rows of points."""
    lines, terms = [], []
    if formula.linear is not None:
        lines.append(assign("linear", formula.linear))
        terms.append(f"{argument} * linear'")
    if formula.branches:
        lines += [assign("V", formula.V), assign("W", formula.W)]
        terms.append("g * W'")
    lines.append(assign("offset", formula.offset))
    if formula.branches:
        lines += [f"z = {argument} * V;", "g = zeros(size(z));"]
        lines += [f"g(:, {i}) = branch_{i}(z(:, {i}));" for i in range(1, formula.n_branches + 1)]
    terms.append(f"ones(size({argument}, 1), 1) * offset")
    return [*lines, f"{result} = {' + '.join(terms)};"]


def write_branch(index: int, formula: Formula) -> str:
    curve, tails, bounds = formula.curve, formula.tails, formula.bounds
    lines = ["", f"function g = branch_{index}(z)"]
    if tails is not None:
        low, high = number(tails.low), number(tails.high)
        lines += ["inside = z;", f"inside(z < {low}) = {low};", f"inside(z > {high}) = {high};"]
    if isinstance(curve, Pieces):
        lines += [assign("breaks", curve.breaks[:-1]), assign("table", curve.coefficients.T)]
        lines.append("g = pieces(z, breaks, table);")
    else:
        lines += _write_smooth(curve, "z" if tails is None else "inside")
    if tails is not None:
        lines.append(f"g = g + {number(tails.low_slope)} * min(z - {low}, 0);")
        lines.append(f"g = g + {number(tails.high_slope)} * max(z - {high}, 0);")
    if bounds is not None:
        lines.append(f"g(z < {number(bounds[0])} | z > {number(bounds[1])}) = NaN;")
    return "\n".join([*lines, "end"]) + "\n"


def _write_smooth(curve: Smooth, argument: str) -> list[str]:
    if isinstance(curve, Legendre):
        rows, call = {"c": curve.coefficients}, "legendre_series(t, c)"
    elif isinstance(curve, Harmonics):
        rows = {name: getattr(curve, name) for name in ("frequencies", "sines", "cosines")}
        call = f"harmonics(t, {number(curve.line)}, frequencies, sines, cosines)"
    else:
        rows = {"centres": curve.centres, "heights": curve.heights}
        call = f"bumps(t, {number(curve.width)}, centres, heights)"
    t = f"t = ({argument} - {number(curve.low)}) * {number(curve.rate)} - 1;"
    return [t, *(assign(name, values) for name, values in rows.items()), f"g = {call};"]


def assign(name: str, values: Any) -> str:
    """Return an assignment of a row vector or matrix, one line or more per row."""
    rows = [wrap_list((f"{x:.17g}" for x in row), " ...\n    ") for row in np.atleast_2d(values)]
    return f"{name} = [" + ";\n    ".join(rows) + "];"


def number(value: float) -> str:
    """Return a number, in brackets where its sign would follow an operator."""
    return f"({value:.17g})" if value < 0 else f"{value:.17g}"
