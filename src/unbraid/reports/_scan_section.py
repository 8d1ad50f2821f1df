"""A scan on the page: two charts and a list to select a model from, and a table."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._util.markup import Markup, shorten, tag
from .._util.validation import count_noun
from ..model._direction_text import join_terms
from ..scans._row import Row
from ..scans._table import Scan
from ._article import HEADING_LENGTH, MOST_FILE_BYTES, show_model
from ._number_format import format_fixed
from ._scan_view import MOST_SECTIONS, ScanView, make_key
from ._summary import show_notice, summarise
from ._verdict import show_verdict
from .charts._scan import FRONT_MEANING, ScanCharts

SETTING_LENGTH, MOST_SETTINGS = 40, 8  # characters, and names of settings that are listed
REMARK_LENGTH = 300  # characters of a reason or a warning
MOST_PAGE_BYTES = 6_000_000  # of model files in a page


def summarise_scan(view: ScanView) -> list[Any]:
    """Return what was tried, and the summary of the selected model."""
    failed = sum(bool(row.failure) for row in view.scan.rows)
    models = count_noun(len(view.scan.rows), "model")
    tried = f"{models} tried" + f", {failed} failed" * bool(failed)
    head = tag("p", f"{tried}. {shorten(view.scan.problem, 300)}.", class_="claim")
    model = view.selected_model
    if model is None:
        return [head, show_notice("No model was found: see the table.")]
    return [
        head,
        tag("p", f"{view.choice}: ", tag("strong", summarise(model)), class_="claim"),
        show_verdict(model, brief=True),
    ]


def show_scan(view: ScanView) -> list[Any]:
    """Return the charts, the models (one of them visible) and the table."""
    largest = min(MOST_FILE_BYTES, MOST_PAGE_BYTES // max(len(view.models), 1))
    models = [
        show_model(model, alone=False, hidden=model.key != view.selected, largest=largest)
        for model in view.models
    ]
    comparison = tag("section", id="comparison", hidden=True)
    return [_show_charts(view), comparison, tag("div", models, id="models"), _show_table(view)]


def _show_charts(view: ScanView) -> Markup | None:
    """Return error against branches and parameters, and a list of the same models."""
    if not view.points:
        return None
    charts = ScanCharts(view.points, view.selected, _find_reference(view.scan))
    missing = len(view.points) - len(view.models)
    rivals = [tag("option", "none", value=""), *_list_options(view, None)]
    note = (
        f"The front and the best of every method and number of branches are shown in full, at most "
        f"{MOST_SECTIONS}; {missing:,} faint points are not."
    )
    return tag(
        "section",
        tag("h2", "Error against size"),
        tag("p", _explain_charts(view.scan), class_="note"),
        tag("div", charts.by_branches(), charts.by_parameters(), class_="two"),
        charts.legend(view.scan.is_dynamic, view.scan.reference_name),
        tag(
            "p",
            tag("label", "Model ", tag("select", _list_options(view, view.selected), id="choice")),
            tag("a", "Go to the model", href=f"#{view.selected}", class_="go", id="go"),
            class_="controls",
        ),
        tag(
            "p",
            tag("label", "Compare with ", tag("select", rivals, class_="rival")),
            tag("label", "and ", tag("select", rivals, class_="rival")),
            class_="controls",
        )
        if len(view.models) > 1
        else None,
        tag("p", note, class_="note") if missing else None,
        tag("p", "", id="status", class_="unseen", role="status"),
        class_="picker",
    )


def _list_options(view: ScanView, selected: str | None) -> list[Markup]:
    """Return the models of the page as options of a list."""
    return [
        tag("option", shorten(m.heading, HEADING_LENGTH), value=m.key, selected=m.key == selected)
        for m in view.models
    ]


def _explain_charts(scan: Scan) -> str:
    tested = any(row.held_out_error is not None for row in scan.rows)
    if scan.is_dynamic:
        error = "Simulation error" + " on the test record" * tested
    else:
        error = "Held-out error" if tested else "Fitted error"
    varying = [name.replace("_", " ") for name in _list_varying(scan)]
    return (
        f"{error}, mean of the outputs. Select a point with the mouse or the arrow keys to see its "
        f"model below. A model is named by its method and r, its number of branches"
        f"{'' if len(varying) == 0 else f', and by {join_terms(varying)}'}."
    )


def _list_varying(scan: Scan) -> list[str]:
    """Return the settings in the names of the models, beside method and branches."""
    names = dict.fromkeys(name for row in scan.rows for name in row.varying)
    others = [name for name in names if name not in ("method", "n_branches")]
    return [shorten(name, SETTING_LENGTH) for name in others[:MOST_SETTINGS]]


def _find_reference(scan: Scan) -> float | None:
    """Return the error of the reference on the same record as the points."""
    fitted, held_out = scan.reference_errors
    tested = any(row.held_out_error is not None for row in scan.rows)
    error: float | None = held_out if tested else fitted
    return error if error is not None and np.isfinite(error) else None


PAGE_COLUMNS = (  # attribute of a row, heading, heading for NARX models, text of a value
    ("n_branches", "branches", "branches", str),
    ("n_parameters", "parameters", "parameters", "{:,}".format),
    ("compression", "compression", "compression", partial(format_fixed, digits=2)),
    ("fitted_error", "fitted %", "training %", format_fixed),
    ("held_out_error", "held out %", "test %", format_fixed),
    ("seconds", "seconds", "seconds", partial(format_fixed, digits=2)),
)


def _show_table(view: ScanView) -> Markup:
    """Return all rows, also those that failed; a click on a heading sorts them."""
    rows = view.scan.rows
    columns = [c for c in PAGE_COLUMNS if any(getattr(row, c[0]) is not None for row in rows)]
    names = [column[2 if view.scan.is_dynamic else 1] for column in columns]
    buttons = [tag("button", name, type="button", class_="sort") for name in ("model", *names)]
    remarks = any(row.failure or row.warnings for row in rows)
    head = tag(
        "tr",
        [tag("th", button, scope="col") for button in buttons],
        tag("th", "remarks", scope="col", class_="remarks") if remarks else None,
    )
    body = [_show_row(view, row, columns) for row in rows]
    table = tag("table", tag("thead", head), tag("tbody", body), class_="sortable")
    return tag(
        "section",
        tag("h2", "All models"),
        tag("p", f"★ {FRONT_MEANING}", class_="note") if view.points else None,
        tag("div", table, class_="scroll"),
        class_="all",
    )


def _show_row(view: ScanView, row: Row, columns: list[Any]) -> Markup:
    key, name = make_key(row), shorten(row.label, 80)
    if any(model.key == key for model in view.models):
        name = tag("a", name, href=f"#{key}", data_model=key)
    star = " ★" if any(point.key == key and point.on_front for point in view.points) else ""
    remarks = [f"failed: {shorten(row.failure, REMARK_LENGTH)}"] if row.failure else []
    remarks += [shorten(warning, REMARK_LENGTH) for warning in row.warnings]
    return tag(
        "tr",
        tag("th", name, star, scope="row", data_sort=row.index),
        [_show_cell(getattr(row, attribute), text) for attribute, *_, text in columns],
        tag("td", "; ".join(remarks), class_="remarks") if remarks else None,
        class_="failed" if row.failure else None,
        aria_current="true" if key == view.selected else None,
        data_row=key,
    )


def _show_cell(value: Any, text: Callable[[Any], str]) -> Markup:
    if value is None or np.isnan(value):
        return tag("td", "", data_sort="inf")
    return tag("td", text(value), data_sort=f"{value:.6g}")
