"""Decoupled functions as MATLAB or Octave function files."""

from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import check_path, count_noun
from ..bases._piecewise import Pieces
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, translate_branches
from ._support import check_function, check_identifier, list_signals, wrap_list, write_file

MATLAB_RESERVED = (
    "break case catch classdef continue do else elseif end endfunction endif endwhile for "
    "function global if otherwise parfor persistent return spmd switch try until while "
    "f g p z pieces legendre_series harmonics bumps size zeros ones sin cos exp min max"
)

MATLAB_PIECES = """
function g = pieces(z, breaks, table)
% Polynomials in z - break, one row per piece, highest power first.
breaks = breaks(:);
k = ones(size(z));
for inner = breaks(2:end)'
    k = k + (z >= inner);
end
x = z - breaks(k);
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


def to_matlab(d: DecoupledFunction, path: str | Path | None = None, name: str | None = None) -> str:
    """A decoupled function as the text of a function file, for MATLAB and for Octave.

    Its help has the names of the inputs and outputs, if the function has names.

    Parameters
    ----------
    d : DecoupledFunction
    path : str or Path, optional
        Also write the text there: a file ``name.m``.
    name : str, optional
        Name of the function; by default that of the file, or "decoupled".

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> print(unbraid.export.to_matlab(d, name="toy").splitlines()[0])
    function f = toy(p)
    """
    check_function(d)
    name = _choose_function_name(path, name)
    check_identifier(name, "MATLAB", r"(?!branch_\d)[A-Za-z]\w{0,62}", MATLAB_RESERVED)
    branches = translate_branches(d)
    used = {type(formula.curve) for formula in branches}
    parts = [_write_main(d, name)]
    parts += [_write_branch(i, formula) for i, formula in enumerate(branches, 1)]
    parts += [part for kind, part in MATLAB_HELPERS.items() if kind in used]
    text = "".join(parts)
    write_file(path, text.encode())
    return text


def _choose_function_name(path: str | Path | None, name: str | None) -> str:
    """MATLAB finds a function by the name of its file, so the two must agree."""
    if path is None:
        return "decoupled" if name is None else name
    path = check_path(path)
    if path.suffix != ".m" or (name is not None and path.stem != name):
        raise InvalidOptionError(f"{path} must be called {name or path.stem}.m to be found")
    return path.stem


def _write_main(d: DecoupledFunction, name: str) -> str:
    inputs, outputs = (count_noun(n, "column") for n in (d.n_inputs, d.n_outputs))
    lines = [
        f"function f = {name}(p)",
        f"%{name.upper()}  f(p) = W g(V' p) + offset, every g_i a function of one variable.",
        f"%   f = {name}(p) takes N points as rows ({inputs}) and returns",
        f"%   N rows ({outputs}). {count_noun(d.n_branches, 'branch', 'es')}.",
        "%",
        "%   Written by unbraid from a decoupled function. Needs no toolbox.",
        *(f"%   {line}" for line in list_signals(d, "{}(:, {})", 1)),
        _assign("V", d.V),
        _assign("W", d.W),
        _assign("offset", d.offset),
        "z = p * V;",
        "g = zeros(size(z));",
        *(f"g(:, {i}) = branch_{i}(z(:, {i}));" for i in range(1, d.n_branches + 1)),
        "f = g * W' + ones(size(p, 1), 1) * offset;",
        "end",
    ]
    return "\n".join(lines) + "\n"


def _write_branch(index: int, formula: Formula) -> str:
    curve, tails, bounds = formula.curve, formula.tails, formula.bounds
    lines = ["", f"function g = branch_{index}(z)"]
    if tails is not None:
        lines.append(f"inside = min(max(z, {_number(tails.low)}), {_number(tails.high)});")
    if isinstance(curve, Pieces):
        lines += [_assign("breaks", curve.breaks[:-1]), _assign("table", curve.coefficients.T)]
        lines.append("g = pieces(z, breaks, table);")
    else:
        lines += _write_smooth(curve, "z" if tails is None else "inside")
    if tails is not None:
        lines.append(f"g = g + {_number(tails.low_slope)} * min(z - {_number(tails.low)}, 0);")
        lines.append(f"g = g + {_number(tails.high_slope)} * max(z - {_number(tails.high)}, 0);")
    if bounds is not None:
        lines.append(f"g(z < {_number(bounds[0])} | z > {_number(bounds[1])}) = NaN;")
    return "\n".join([*lines, "end"]) + "\n"


def _write_smooth(curve: Smooth, argument: str) -> list[str]:
    if isinstance(curve, Legendre):
        rows, call = {"c": curve.coefficients}, "legendre_series(t, c)"
    elif isinstance(curve, Harmonics):
        rows = {name: getattr(curve, name) for name in ("frequencies", "sines", "cosines")}
        call = f"harmonics(t, {_number(curve.line)}, frequencies, sines, cosines)"
    else:
        rows = {"centres": curve.centres, "heights": curve.heights}
        call = f"bumps(t, {_number(curve.width)}, centres, heights)"
    t = f"t = ({argument} - {_number(curve.low)}) * {_number(curve.rate)} - 1;"
    return [t, *(_assign(name, values) for name, values in rows.items()), f"g = {call};"]


def _assign(name: str, values: Any) -> str:
    """Return an assignment of a row vector or matrix, one line or more per row."""
    rows = [wrap_list((f"{x:.17g}" for x in row), " ...\n    ") for row in np.atleast_2d(values)]
    return f"{name} = [" + ";\n    ".join(rows) + "];"


def _number(value: float) -> str:
    """Return a number, in brackets where its sign would follow an operator."""
    return f"({value:.17g})" if value < 0 else f"{value:.17g}"
