"""Decoupled functions and dynamic models as plain Python files."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import count_noun
from ..bases._piecewise import Pieces
from ..model._function import DecoupledFunction
from ._formula import (
    Bumps,
    Formula,
    FunctionFormula,
    Harmonics,
    Legendre,
    Smooth,
    translate_function,
)
from ._python_templates import (
    PYTHON_BUMPS,
    PYTHON_FUNCTION,
    PYTHON_HARMONICS,
    PYTHON_LEGENDRE,
    PYTHON_MODEL,
    PYTHON_PIECES,
    PYTHON_PUSH,
    PYTHON_READ,
)
from ._step_model import StepModel
from ._support import (
    check_ending,
    check_identifier,
    collect_sizes,
    describe_run,
    describe_size,
    list_signals,
    resolve_model,
    wrap_list,
    write_file,
)

PYTHON_RESERVED = (
    f"{' '.join(keyword.kwlist)} print exec enumerate float len list math max min object sum zip"
    " TypeError ValueError"
)
PYTHON_HELPERS = {
    Pieces: PYTHON_PIECES,
    Legendre: PYTHON_LEGENDRE,
    Harmonics: PYTHON_HARMONICS,
    Bumps: PYTHON_BUMPS,
}
PYTHON_ENTRIES = "state[{}]", "u[{}]"  # of [state; u]
PYTHON_INDENT = "\n            "


def to_python(
    model: Any, path: str | Path | None = None, name: str | None = None, *, x0: Any = None
) -> str:
    """A decoupled function or a dynamic model as a plain Python file.

    It needs Python 3 and nothing else. A function takes one point at a time. A dynamic model is a
    class with ``step(u)`` and ``reset(x0)``; that of a NARX model also has ``push(u, y)``, which
    enters measured samples. Comments have the names of the signals.

    Parameters
    ----------
    model : DecoupledFunction, NARX or StateSpace
        Dynamic models must be decoupled or linear.
    path : str or Path, optional
        Also write the text there: a file that ends in .py.
    name : str, optional
        Name of the function or the class; by default "decoupled" or "Model".
    x0 : (n_x,), optional
        Initial state of a dynamic model; zero by default.

    Examples
    --------
    >>> from unbraid.statespace import StateSpace
    >>> space = {}
    >>> exec(to_python(StateSpace(None, 1, linear=[[0.5, 1.0], [2.0, 0.0]])), space)
    >>> model = space["Model"]()
    >>> [model.step(u) for u in (1.0, 0.0, 0.0)]
    [0.0, 2.0, 1.0]
    """
    model = resolve_model(model, x0)
    is_dynamic = isinstance(model, StepModel)
    name = ("Model" if is_dynamic else "decoupled") if name is None else name
    check_identifier(name, "Python", r"[A-Za-z]\w*", PYTHON_RESERVED)
    check_ending(path, ".py")
    text = _write_model(model, name) if is_dynamic else _write_function(model, name)
    write_file(path, text.encode())
    return text


def _write_function(d: DecoupledFunction, name: str) -> str:
    formula = translate_function(d)
    sizes = [count_noun(d.n_inputs, "input"), count_noun(d.n_outputs, "output")]
    sizes.append(count_noun(d.n_branches, "branch", "es"))
    title = f"f(p) = W g(V' p) + offset, every g_i a function of one variable: {', '.join(sizes)}."
    body = PYTHON_FUNCTION.substitute(
        name=name, m=d.n_inputs, result="f[0]" if d.n_outputs == 1 else "f"
    )
    signals = list_signals(d, "{}[{}]", 0)
    return _write_head(title, signals, formula) + _write_map(formula) + body


def _write_model(step: StepModel, name: str) -> str:
    formula, words = step.formula, {"name": name, **_collect_words(step)}
    title = f"A {step.kind}, one sample at a time: {describe_size(step)}."
    signals = [*describe_run(step), *list_signals(step, "{}[{}]", 0, state="state")]
    parts = [
        _write_head(title, signals, formula),
        _write_map(formula),
        f"\n\n_INITIAL = {_write_table(step.initial_state)}\n",
        PYTHON_MODEL.substitute(words),
    ]
    return "".join([*parts, PYTHON_PUSH.substitute(words)] if step.takes_measured else parts)


def _collect_words(step: StepModel) -> dict[str, Any]:
    """Return what the templates of a dynamic model need."""
    limits = [
        f"        if y[{o}] {sign} {bound!r}:\n            y[{o}] = {bound!r}\n"
        for o, sign, bound in step.limits
    ]
    names = "input_names", "output_names", "state_names"
    return {
        **{name: ascii(list(getattr(step, name))) for name in names},
        **collect_sizes(step),
        "sampling_time": None if step.sampling_time is None else repr(float(step.sampling_time)),
        "arguments": _list_entries(step, step.arguments, *PYTHON_ENTRIES),
        "updates": _list_entries(step, step.updates, *PYTHON_ENTRIES, "q[{}]"),
        "measured": _list_entries(step, step.updates, *PYTHON_ENTRIES, "y[{}]"),
        "limits": "".join(limits),
        "result": "y[0]" if step.n_outputs == 1 else "y",
    }


def _write_head(title: str, signals: list[str], formula: FunctionFormula) -> str:
    """Return the docstring, a comment with the names of the signals, and the import."""
    parts = [f'"""{title}\n\nWritten by unbraid. Needs nothing but Python 3.\n"""\n']
    if signals:
        parts.append("\n" + "".join(f"# {line}\n" for line in signals))
    if formula.curve_kinds & {Harmonics, Bumps}:
        parts.append("\nimport math\n")
    return "".join([*parts, PYTHON_READ])


def _write_map(formula: FunctionFormula) -> str:
    """Return the function from a point to the list of outputs, and what it calls."""
    kinds = formula.curve_kinds
    helpers = [part for kind, part in PYTHON_HELPERS.items() if kind in kinds]
    branches = [_write_branch(i, branch) for i, branch in enumerate(formula.branches, 1)]
    tables, terms = {"OFFSET": formula.offset}, []
    if formula.linear is not None:
        tables["LINEAR"] = formula.linear
        terms.append("    q = [b + _dot(row, p) for b, row in zip(q, _LINEAR)]\n")
    if branches:
        tables |= {"V": formula.V.T, "W": formula.W}
        calls = wrap_list((f"_branch_{i + 1}(z[{i}])" for i in range(len(branches))), "\n        ")
        terms += [
            "    z = [_dot(v, p) for v in _V]\n",
            f"    g = [\n        {calls}\n    ]\n",
            "    q = [b + _dot(w, g) for b, w in zip(q, _W)]\n",
        ]
    lines = [f"_{name} = {_write_table(table)}\n" for name, table in tables.items()]
    body = ["\n\ndef _map(p):\n    q = list(_OFFSET)\n", *terms, "    return q\n"]
    return "".join([*helpers, *branches, "\n\n", *lines, *body])


def _write_branch(index: int, formula: Formula) -> str:
    lines, argument = [], "z"
    if formula.bounds is not None:
        low, high = map(float, formula.bounds)
        lines += [f"if z < {low!r} or z > {high!r}:", "    return float('nan')"]
    tails = formula.tails
    if tails is not None:
        argument = "inside"
        lines.append(f"inside = min(max(z, {tails.low!r}), {tails.high!r})")
        lines.append(f"slope = {tails.low_slope!r} if z < {tails.low!r} else {tails.high_slope!r}")
    if isinstance(formula.curve, Pieces):
        breaks, table = formula.curve.breaks[:-1], formula.curve.coefficients.T
        lines += [f"breaks = {_write_table(breaks, 4)}", f"table = {_write_table(table, 4)}"]
        lines.append("return _pieces(z, breaks, table)")
    else:
        tail = "" if tails is None else " + slope * (z - inside)"
        lines += _write_smooth(formula.curve, argument, tail)
    return f"\n\ndef _branch_{index}(z):\n" + "".join(f"    {line}\n" for line in lines)


def _write_smooth(curve: Smooth, argument: str, tail: str) -> list[str]:
    t = f"t = ({argument} - ({float(curve.low)!r})) * {float(curve.rate)!r} - 1"
    if isinstance(curve, Legendre):
        rows, call = curve.coefficients, "_legendre(t, c)"
    elif isinstance(curve, Harmonics):
        rows = np.column_stack([curve.frequencies, curve.sines, curve.cosines])
        call = f"_harmonics(t, {float(curve.line)!r}, c)"
    else:
        rows = np.column_stack([curve.centres, curve.heights])
        call = f"_bumps(t, {float(curve.width)!r}, c)"
    return [t, f"c = {_write_table(rows, 4)}", f"return {call}{tail}"]


def _write_table(table: Any, indent: int = 0) -> str:
    """Return a list of numbers, or of rows of them."""
    space = "\n" + " " * (indent + 4)
    if np.ndim(table) == 1:
        rows = wrap_list(map(repr, table.tolist()), space)
        if "\n" not in rows:
            return f"[{rows}]"
    else:
        rows = ("," + space).join(map(repr, table.tolist()))
    return f"[{space}{rows}\n{' ' * indent}]"


def _list_entries(step: StepModel, indices: tuple[int, ...], *forms: str) -> str:
    return wrap_list(step.name_entries(indices, *forms), PYTHON_INDENT)
