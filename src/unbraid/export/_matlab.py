"""Decoupled functions as MATLAB or Octave function files."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from .._util.validation import counted, file_path
from ..bases._piecewise import Pieces
from ..errors import InvalidOption
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, formulas
from ._support import check_function, check_identifier, write_file

TAKEN = (
    "break case catch classdef continue do else elseif end endfunction endif endwhile for "
    "function global if otherwise parfor persistent return spmd switch try until while "
    "f g p z pieces legendre_series harmonics bumps size zeros ones sin cos exp min max"
)

PIECES = """
function g = pieces(z, breaks, table)
% Polynomials in z less the break before it, a row each, highest power first.
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
LEGENDRE = """
function g = legendre_series(t, c)
% c(1) P1(t) + c(2) P2(t) + ..., Legendre's polynomials.
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
HARMONICS = """
function g = harmonics(t, line, frequencies, sines, cosines)
% A line and waves.
phase = t * frequencies;
g = line * t + sin(phase) * sines' + cos(phase) * cosines';
end
"""
BUMPS = """
function g = bumps(t, width, centres, heights)
% Gaussian bumps.
g = zeros(size(t));
for k = 1:numel(centres)
    g = g + heights(k) * exp(-((t - centres(k)) / width) .^ 2 / 2);
end
end
"""
HELPERS = {Pieces: PIECES, Legendre: LEGENDRE, Harmonics: HARMONICS, Bumps: BUMPS}


def to_matlab(d: DecoupledFunction, path: str | Path | None = None, name: str | None = None) -> str:
    """A decoupled function as the text of a function file, for MATLAB and for Octave.

    Parameters
    ----------
    d : DecoupledFunction
    path : str or Path, optional
        Also write the text there: a file ``name.m``.
    name : str, optional
        Of the function; that of the file unless given, or "decoupled".

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_matlab
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
    ...                      basis=unbraid.Polynomial(2), random_state=0)
    >>> print(to_matlab(d, name="product").splitlines()[0])
    function f = product(p)
    """
    check_function(d)
    name = check_identifier(
        _function_name(path, name), "MATLAB", r"(?!branch_\d)[A-Za-z]\w{0,62}", TAKEN
    )
    branches = formulas(d)
    used = {type(formula.curve) for formula in branches}
    parts = [
        _main(d, name),
        *(_branch(i, formula) for i, formula in enumerate(branches)),
        *(part for kind, part in HELPERS.items() if kind in used),
    ]
    text = "".join(parts)
    write_file(path, text.encode())
    return text


def _function_name(path: str | Path | None, name: str | None) -> str:
    """A function is called by the name of its file, so the two must agree."""
    if path is None:
        return "decoupled" if name is None else name
    path = file_path(path)
    if path.suffix != ".m" or (name is not None and path.stem != name):
        raise InvalidOption(f"{path} must be called {name or path.stem}.m to be found")
    return path.stem


def _main(d: DecoupledFunction, name: str) -> str:
    lines = [
        f"function f = {name}(p)",
        f"%{name.upper()}  f(p) = W g(V' p) + offset, every g_i a function of one variable.",
        f"%   f = {name}(p) takes N points as rows ({counted(d.n_inputs, 'column')}) and returns",
        f"%   N rows ({counted(d.n_outputs, 'column')}). {counted(d.n_branches, 'branch', 'es')}.",
        "%",
        "%   Written by unbraid from a decoupled function. Needs no toolbox.",
        _matrix("V", d.V),
        _matrix("W", d.W),
        _matrix("offset", d.offset[None]),
        "z = p * V;",
        "g = zeros(size(z));",
        *(f"g(:, {i}) = branch_{i}(z(:, {i}));" for i in range(1, d.n_branches + 1)),
        "f = g * W' + ones(size(p, 1), 1) * offset;",
        "end",
    ]
    return "\n".join(lines) + "\n"


def _branch(index: int, formula: Formula) -> str:
    curve, tails, bounds = formula.curve, formula.tails, formula.bounds
    lines = ["", f"function g = branch_{index + 1}(z)"]
    if tails is not None:
        lines.append(f"inside = min(max(z, {_number(tails.low)}), {_number(tails.high)});")
    lines += _pieces(curve) if isinstance(curve, Pieces) else _smooth(curve, tails is not None)
    if tails is not None:
        lines.append(f"g = g + {_number(tails.low_slope)} * min(z - {_number(tails.low)}, 0);")
        lines.append(f"g = g + {_number(tails.high_slope)} * max(z - {_number(tails.high)}, 0);")
    if bounds is not None:
        lines.append(f"g(z < {_number(bounds[0])} | z > {_number(bounds[1])}) = NaN;")
    return "\n".join([*lines, "end"]) + "\n"


def _pieces(curve: Pieces) -> list[str]:
    return [
        _matrix("breaks", curve.breaks[None, :-1]),
        _matrix("table", curve.coefficients.T),
        "g = pieces(z, breaks, table);",
    ]


def _smooth(curve: Smooth, clipped: bool) -> list[str]:
    place = "inside" if clipped else "z"
    t = f"t = ({place} - {_number(curve.low)}) * {_number(curve.rate)} - 1;"
    if isinstance(curve, Legendre):
        return [t, _matrix("c", curve.coefficients[None]), "g = legendre_series(t, c);"]
    if isinstance(curve, Harmonics):
        return [
            t,
            _matrix("frequencies", curve.frequencies[None]),
            _matrix("sines", curve.sines[None]),
            _matrix("cosines", curve.cosines[None]),
            f"g = harmonics(t, {_number(curve.line)}, frequencies, sines, cosines);",
        ]
    return [
        t,
        _matrix("centres", curve.centres[None]),
        _matrix("heights", curve.heights[None]),
        f"g = bumps(t, {_number(curve.width)}, centres, heights);",
    ]


def _matrix(name: str, values: Any) -> str:
    """An assignment, with a line a row and long rows continued."""
    rows = [" ...\n    ".join(_lines([f"{value:.17g}" for value in row])) for row in values]
    return f"{name} = [" + ";\n    ".join(rows) + "];"


def _lines(items: list[str]) -> list[str]:
    return textwrap.wrap(", ".join(items), 88, break_on_hyphens=False)


def _number(value: float) -> str:
    """In brackets where a sign would meet an operator."""
    return f"({value:.17g})" if value < 0 else f"{value:.17g}"
