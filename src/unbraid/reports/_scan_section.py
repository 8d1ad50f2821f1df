"""A scan on the page: two pictures to pick a model from, a list to do the same, a table."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from .._util.validation import counted
from ._download import LARGEST
from ._markup import Markup, shortened, tag
from ._model_section import LONGEST, model_section
from ._numbers import counting, steady
from ._scan_view import MOST_SECTIONS, ScanView, key_of
from ._summary import claim, notice, verdict
from .charts._scan import BEATEN, ScanCharts

WORDS = 300  # characters of a reason or a warning
FILES = 6_000_000  # bytes of models in a page


def scan_claim(view: ScanView) -> list[Any]:
    """What was tried, and what the first pick amounts to."""
    failed = sum(bool(row.failure) for row in view.scan.rows)
    tried = counted(len(view.scan.rows), "model") + " tried" + f", {failed} failed" * bool(failed)
    tried += f". {shortened(view.scan.problem, 300)}."
    if view.first is None:
        return [tag("p", tried, class_="claim"), notice("No model came out: see the table.")]
    best = tag("p", "The pick: ", tag("strong", claim(view.first)), class_="claim")
    return [tag("p", tried, class_="claim"), best, verdict(view.first)]


def scan_body(view: ScanView) -> list[Any]:
    """The picker, the models (one of them shown), the table."""
    largest = min(LARGEST, FILES // max(len(view.models), 1))
    models = [
        model_section(model, alone=False, hidden=model.key != view.picked, largest=largest)
        for model in view.models
    ]
    return [picker(view), tag("div", models, id="models"), table_part(view)]


def picker(view: ScanView) -> Markup | None:
    """Error against branches and numbers, and a list that says the same."""
    if not view.points:
        return None
    charts = ScanCharts(view.points, view.picked, _reference(view.scan))
    options = [
        tag("option", shortened(m.heading, LONGEST), value=m.key, selected=m.key == view.picked)
        for m in view.models
    ]
    choice = tag(
        "p",
        tag("label", "Model ", tag("select", options, id="choice")),
        tag("a", "Go to the model", href=f"#{view.picked}", class_="go", id="go"),
        class_="controls",
    )
    missing = len(view.points) - len(view.models)
    return tag(
        "section",
        tag("h2", "Error against size"),
        tag("p", _how(view.scan), class_="note"),
        tag("div", charts.by_branches(), charts.by_size(), class_="two"),
        charts.legend(view.scan.kind == "narx"),
        choice,
        tag("p", _left_out(missing), class_="note") if missing else None,
        tag("p", "", id="said", class_="unseen", role="status"),
        class_="picker",
    )


def _how(scan: Any) -> str:
    error = "Simulation error on the test record" if scan.kind == "narx" else "Held-out error"
    if all(row.held_out_error is None for row in scan.rows):
        error = "Simulation error" if scan.kind == "narx" else "Fitted error"
    return f"{error}, mean of the outputs. Pick a point to see its model below, also by arrow keys."


def _left_out(missing: int) -> str:
    return (
        f"The front and the best of every method and number of branches are shown in full, at most "
        f"{MOST_SECTIONS}; {counting(missing)} faint points are not."
    )


def _reference(scan: Any) -> float | None:
    """The error of the model before it was decoupled, on the same record as the points."""
    fitted, held = scan.reference_errors
    tested = any(row.held_out_error is not None for row in scan.rows)
    found: float | None = held if tested else fitted
    return found if found is not None and np.isfinite(found) else None


class Column(NamedTuple):
    """A column of the table: its heading (and that for NARX models), what it holds, its text."""

    name: str
    dynamic_name: str
    value: Callable[[Any], Any]
    text: Callable[[Any], str]


def _two(value: float) -> str:
    return steady(value, 2)


COLUMNS = (
    Column("branches", "branches", attrgetter("n_branches"), str),
    Column("numbers", "numbers", attrgetter("n_parameters"), counting),
    Column("ratio", "ratio", attrgetter("compression"), _two),
    Column("fitted %", "training %", attrgetter("fitted_error"), steady),
    Column("held out %", "test %", attrgetter("held_out_error"), steady),
    Column("seconds", "seconds", attrgetter("seconds"), _two),
)


def table_part(view: ScanView) -> Markup:
    """All rows, also those that failed; a click on a heading sorts."""
    rows = view.scan.rows
    columns = [c for c in COLUMNS if any(c.value(row) is not None for row in rows)]
    names = [c.dynamic_name if view.scan.kind == "narx" else c.name for c in columns]
    buttons = [tag("button", name, type="button", class_="sort") for name in ("model", *names)]
    remarked = any(row.failure or row.warnings for row in rows)
    head = tag(
        "tr",
        [tag("th", button, scope="col") for button in buttons],
        tag("th", "remarks", scope="col", class_="remarks") if remarked else None,
    )
    body = [_row(view, row, columns) for row in rows]
    table = tag("table", tag("thead", head), tag("tbody", body), class_="sortable")
    return tag(
        "section",
        tag("h2", "All models"),
        tag("p", f"★ {BEATEN}", class_="note") if view.points else None,
        tag("div", table, class_="scroll"),
        class_="all",
    )


def _row(view: ScanView, row: Any, columns: list[Column]) -> Markup:
    key, name = key_of(row.index), shortened(row.label, 80)
    if any(model.key == key for model in view.models):
        name = tag("a", name, href=f"#{key}", data_model=key)
    star = " ★" if any(point.key == key and point.on_front for point in view.points) else ""
    remarks = [f"failed: {shortened(row.failure, WORDS)}"] if row.failure else []
    remarks += [shortened(warning, WORDS) for warning in row.warnings]
    return tag(
        "tr",
        tag("th", name, star, scope="row", data_sort=row.index),
        [_cell(column.value(row), column.text) for column in columns],
        tag("td", "; ".join(remarks), class_="remarks") if remarks else None,
        class_="failed" if row.failure else None,
        aria_current="true" if key == view.picked else None,
        data_row=key,
    )


def _cell(value: Any, text: Callable[[Any], str]) -> Markup:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return tag("td", "", data_sort="inf")
    return tag("td", text(value), data_sort=f"{value:.6g}")
