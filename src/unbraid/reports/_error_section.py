"""The errors of a model: a table, and charts of the residuals."""

from typing import Any

import numpy as np

from .._typing import Array
from .._util.markup import Markup, shorten, tag
from ._model_view import ModelView
from ._number_format import format_percent
from ._page_view import PageView
from .charts._residuals import residual_charts

MOST_RESIDUAL_OUTPUTS = 6  # outputs whose residuals are drawn
MOST_ERROR_ROWS = 40  # rows of the table


def show_errors(view: PageView) -> list[Any]:
    """Return a table with one row per output, in percent of its standard deviation."""
    if not view.errors:
        return [tag("p", "The errors were not measured.", class_="note")]
    rows = []
    for o, (full, short) in enumerate(zip(*view.outputs, strict=True)):
        title = None if full == short else shorten(full, 2000)
        name = tag("th", tag("bdi", short), scope="row", title=title)
        rows.append(tag("tr", name, [tag("td", format_percent(e.values[o])) for e in view.errors]))
    names = [tag("th", name, scope="col") for name in ("output", *(e.name for e in view.errors))]
    body = tag("tbody", rows[:MOST_ERROR_ROWS])
    more = len(rows) - MOST_ERROR_ROWS
    note = "Root mean square error, in percent of the standard deviation of the output."
    return [
        tag("p", note, class_="note"),
        tag("div", tag("table", tag("thead", tag("tr", names)), body), class_="scroll errors"),
        tag("p", f"and {more} more outputs", class_="note") if more > 0 else None,
    ]


def show_residuals(view: ModelView) -> list[Any]:
    """Return three charts per output, for the first outputs."""
    if view.simulation is not None:
        return []
    if view.residuals is None:
        return [explain_data(view)]
    values, errors = view.residuals.values, view.residuals.errors
    note = f"Residuals, actual minus fitted, at {len(values)} points."
    if values.shape[1] > MOST_RESIDUAL_OUTPUTS:
        note += f" The first {MOST_RESIDUAL_OUTPUTS} of {values.shape[1]} outputs are shown."
    figures = [
        show_output_residuals(values[:, o], errors[:, o], name, values.shape[1] > 1)
        for o, name in enumerate(view.outputs.short[:MOST_RESIDUAL_OUTPUTS])
    ]
    return [tag("p", note, class_="note"), *figures]


def explain_data(view: PageView) -> Markup:
    """Return what to do if there is nothing to draw."""
    what, data = ("no record", "(u, y)") if view.dynamic else ("no residuals", "(points, values)")
    call = tag("code", f"unbraid.report(..., data={data})")
    action = "simulates it" if view.dynamic else "draws them"
    return tag("p", f"This model stores {what}: ", call, f" {action} on your data.", class_="note")


def show_output_residuals(values: Array, errors: Array, name: str, with_name: bool) -> Markup:
    """Return the charts of one output, from its finite residuals."""
    finite = np.isfinite(values) & np.isfinite(errors)
    if not finite.any():
        return tag("p", f"{name}: no finite residuals.", class_="note")
    return tag(
        "figure",
        tag("figcaption", tag("h4", tag("bdi", name))) if with_name else None,
        tag("div", residual_charts(values[finite], errors[finite], name), class_="three"),
        class_="residuals",
    )
