"""Decoupled functions as HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._typing import Array
from .._util.markup import Markup, abbreviate, join_children, make_facts_table, tag
from ..errors import UnbraidError
from ._error_summary import format_error_list
from ._names import resolve_names
from ._views import describe_function

if TYPE_CHECKING:
    from ._function import DecoupledFunction

MAX_DESCRIPTION_LINES = 30


def render_function(d: DecoupledFunction, dynamic: bool = False) -> Markup:
    """A table of sizes, errors and status, and the description below it.

    A dynamic model is read as a linear model plus curved remainders.
    """
    inputs = resolve_names("inputs", d.input_names, d.n_inputs, "p")
    outputs = resolve_names("outputs", d.output_names, d.n_outputs, "f")
    facts = {
        "inputs": f"{d.n_inputs} ({abbreviate(inputs)})",
        "outputs": f"{d.n_outputs} ({abbreviate(outputs)})",
        "branches": d.n_branches,
        "parameters": d.n_parameters,
        "fitted error": _format_error(d.fitted_error),
        "held-out error": _format_error(d.held_out_error),
        "converged": _format_flag(d.converged),
        "identified": _format_flag(None if d.fit is None else d.fit.identified),
    }
    return join_children(
        [make_facts_table("DecoupledFunction", facts), _render_description(d, dynamic)]
    )


def _render_description(d: DecoupledFunction, dynamic: bool) -> Markup | None:
    """The description as text; None for a function that keeps no points."""
    try:
        lines = str(describe_function(d, dynamic=dynamic)).splitlines()
    except UnbraidError:
        return None
    if len(lines) > MAX_DESCRIPTION_LINES:
        lines = [*lines[:MAX_DESCRIPTION_LINES], "..."]
    return tag("pre", "\n".join(lines), style="white-space: pre-wrap")


def _format_error(error: Array | None) -> str | None:
    return None if error is None else f"{format_error_list(error)} %"


def _format_flag(flag: bool | None) -> str:
    return "unknown" if flag is None else "yes" if flag else "no"
