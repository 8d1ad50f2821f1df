"""How far a model is off: a table of errors, and pictures of the residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._markup import Markup, shortened, tag
from ._numbers import percent
from ._views import ModelView
from .charts._residuals import residual_charts

MOST_OUTPUTS = 6  # whose residuals are drawn
MOST_ROWS = 40  # of the table


def errors_part(view: ModelView) -> list[Any]:
    """One line an output, in percent of its spread."""
    if not view.errors:
        return [tag("p", "Its errors were not measured.", class_="note")]
    rows = [
        tag(
            "tr",
            tag("th", tag("bdi", short), scope="row", title=_title(full, short)),
            [tag("td", percent(e.values[o])) for e in view.errors],
        )
        for o, (full, short) in enumerate(zip(*view.outputs, strict=True))
    ][:MOST_ROWS]
    names = [tag("th", name, scope="col") for name in ("output", *(e.name for e in view.errors))]
    table = tag("table", tag("thead", tag("tr", names)), tag("tbody", rows))
    more = len(view.outputs.full) - len(rows)
    return [
        tag("p", "Root mean square error, in percent of the spread of the output.", class_="note"),
        tag("div", table, class_="scroll"),
        tag("p", f"and {more} more outputs", class_="note") if more else None,
    ]


def _title(full: str, short: str) -> str | None:
    return None if full == short else shortened(full, 2000)


def residuals_part(view: ModelView) -> list[Any]:
    """Three pictures an output, of the first few outputs."""
    if view.simulation is not None:
        return []
    if view.residuals is None:
        return [_how_to(view)]
    values, errors = view.residuals.values, view.residuals.errors
    words = f"Residuals, actual less fitted, at {len(values)} points."
    if values.shape[1] > MOST_OUTPUTS:
        words += f" The first {MOST_OUTPUTS} of {values.shape[1]} outputs are shown."
    rows = [
        _row(values[:, o], errors[:, o], name, values.shape[1] > 1)
        for o, name in enumerate(view.outputs.short[:MOST_OUTPUTS])
    ]
    return [tag("p", words, class_="note"), *rows]


def _how_to(view: ModelView) -> Markup:
    """What to do where there is nothing to draw."""
    what, data = ("no record", "(u, y)") if view.dynamic else ("no residuals", "(points, values)")
    call = tag("code", f"unbraid.report(..., data={data})")
    words = "simulates it" if view.dynamic else "draws them"
    return tag("p", f"This model keeps {what}: ", call, f" {words} on your data.", class_="note")


def _row(values: Any, errors: Any, name: str, named: bool) -> Markup:
    sound = np.isfinite(values) & np.isfinite(errors)
    if not sound.any():
        return tag("p", f"{name}: no residuals that are numbers.", class_="note")
    charts = residual_charts(values[sound], errors[sound], name)
    return tag(
        "figure",
        tag("figcaption", tag("h4", tag("bdi", name))) if named else None,
        tag("div", charts, class_="three"),
        class_="residuals",
    )
