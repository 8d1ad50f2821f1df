"""``unbraid show``: show a model or a scan in the terminal."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import click

from ..errors import InvalidOptionError
from ..model._description import Description
from ..model._function import DecoupledFunction
from ..model._panels import CurvePanel, list_panels, title_panel
from ..narx import NARX
from ..statespace import StateSpace
from ._options import INDEX_TYPE, json_option, name_options
from ._output import format_errors, print_json, print_result
from ._paths import JSON, check_writable
from ._scan_table import make_scan_document, print_scan_table
from ._sections import define_command, option
from ._state_models import draw_state_curve, make_state_document, rename_signals
from ._stored import StoredModel, load_stored
from ._summaries import check_name_counts, describe_model, format_summary, make_document
from ._terminal import PLOT_COLUMNS, Pen, choose_pen, draw_branch, draw_curve

LABEL_COLUMNS = 12  # columns of the terminal kept free for the numbers at an axis
MIN_PLOT_COLUMNS = 16


@define_command(
    "unbraid show net.unbraid.json",
    "unbraid show net.unbraid.json --ascii --names left,right",
    "unbraid show net.scan.db --row 2 --save two.json",
)
@click.argument("file", metavar="FILE")
@option("--no-plot", is_flag=True, help="Text only.", section="Plots")
@option("--ascii", is_flag=True, help="Draw with ASCII characters.", section="Plots")
@option("--row", type=INDEX_TYPE, help="Show this row instead of the best.", section="Scans")
@option("--save", metavar="FILE.json", help="Write the model of that row.", section="Scans")
@name_options
@json_option
def command(options: SimpleNamespace) -> None:
    """Show FILE, a model or the store of a scan: errors, description, plots.

    For a scan, show the table (a star marks the Pareto front: no smaller model has a smaller error)
    and the smallest model that is about as good as the best.
    """
    stored = load_stored(options.file, options.row)
    if isinstance(stored.model, StateSpace):
        renamed = rename_signals(stored.model, options.names, options.output_names)
        stored = replace(stored, model=renamed)
    elif stored.function is not None:
        d = stored.function
        check_name_counts(d.n_inputs, d.n_outputs, options.names, options.output_names)
    if options.save:
        _save_model(stored, options)
    if options.as_json:
        print_json(_make_document(stored, options))
        return
    if stored.scan is not None:
        print_result(f"{stored.scan.problem}\n")
        print_scan_table(stored.scan)
        row = stored.row
        choice = "No row has a model." if row is None else f"Row {row.index}: {row.label}"
        print_result(f"\n{choice}")
    _print_model(stored, options)


def _save_model(stored: StoredModel, options: SimpleNamespace) -> None:
    if stored.scan is None or stored.model is None:
        raise InvalidOptionError("--save is for the store of a scan with a model in it")
    path = check_writable(options.save, JSON)
    model = stored.model
    if isinstance(model, DecoupledFunction):
        model = model.named(options.names, options.output_names)
    model.save(path)


def _choose_names(stored: StoredModel, options: SimpleNamespace) -> tuple[Any, Any]:
    names, outputs = stored.signal_names
    return options.names or names, options.output_names or outputs


def _make_document(stored: StoredModel, options: SimpleNamespace) -> dict[str, Any]:
    document: dict[str, Any] = {"file": options.file}
    if stored.scan is not None:
        document |= make_scan_document(stored.scan)
        document["row"] = None if stored.row is None else stored.row.index
    if isinstance(stored.model, NARX):
        document["input_lags"] = stored.model.input_lags
        document["output_lags"] = stored.model.output_lags
        document["sampling_time"] = stored.model.sampling_time
    if isinstance(stored.model, StateSpace):
        document["model"] = make_state_document(stored.model)
    elif stored.function is not None:
        document["model"] = make_document(stored.function, *_choose_names(stored, options))
    return document


def _print_model(stored: StoredModel, options: SimpleNamespace) -> None:
    if isinstance(stored.model, StateSpace):
        _print_state_model(stored.model, options)
        return
    names, outputs = _choose_names(stored, options)
    d = stored.function
    if isinstance(stored.model, NARX):
        _print_lags(stored.model)
        if d is not None:
            _print_one_step_errors(d)
            d = replace(d, fitted_error=None, held_out_error=None)  # not errors of a simulation
    if d is None:
        return
    description = describe_model(d, names, outputs)
    sizes, _, _ = format_summary(d, names, outputs).partition("\n\n")
    print_result(sizes)
    if description is not None:
        print_result(f"\n{description if options.no_plot else description.words}")
    if not options.no_plot:
        _print_plots(d, description, choose_pen(options.ascii))


def _print_state_model(model: StateSpace, options: SimpleNamespace) -> None:
    """Print the words, and draw the curves."""
    description = model.describe()
    print_result(description.words)
    if not options.no_plot:
        pen, columns = choose_pen(options.ascii), _choose_columns()
        for curve in description.curves:
            _print_plot(*draw_state_curve(curve, pen, columns))


def _print_lags(model: NARX) -> None:
    inputs, outputs = (
        ", ".join(map(str, lags)) or "none" for lags in (model.input_lags, model.output_lags)
    )
    text = f"NARX model, input lags {inputs}, output lags {outputs}"
    if model.n_parameters is not None and not isinstance(model.function, DecoupledFunction):
        text += f", coupled, {model.n_parameters} parameters"
    if model.sampling_time is not None:
        text += f", sampling time {model.sampling_time:.4g} s"
    print_result(text)


def _print_one_step_errors(d: DecoupledFunction) -> None:
    """Print the one-step-ahead errors that a NARX model stores."""
    errors = {"fitted": d.fitted_error, "on new points": d.held_out_error}
    known = [f"{format_errors(e)} {kind}" for kind, e in errors.items() if e is not None]
    if known:
        text = f"one-step-ahead error: {', '.join(known)}"
        print_result(f"{text}; `unbraid report --data` shows simulations")


def _print_plots(d: DecoupledFunction, description: Description | None, pen: Pen) -> None:
    """Draw the largest terms, or all branches of a function without points."""
    columns = _choose_columns()
    if description is None or d.points is None:
        for k, branch in enumerate(d.branches):
            _print_plot(f"branch {k + 1}", draw_branch(branch, pen, columns))
        return
    panels, left_out = list_panels(description, d.points)
    for panel in panels:
        if isinstance(panel, CurvePanel):
            plot = draw_curve(panel.x, panel.y, panel.marks, pen, columns)
            _print_plot(f"{title_panel(panel)}: {panel.output} against {panel.axis}", plot)
        else:
            _print_plot(title_panel(panel), [])
    if left_out:
        print_result(f"\n... and {left_out} smaller terms")


def _choose_columns() -> int:
    """Columns of a plot that fits into the terminal."""
    free = shutil.get_terminal_size((PLOT_COLUMNS + LABEL_COLUMNS, 0)).columns - LABEL_COLUMNS
    return max(min(PLOT_COLUMNS, free), MIN_PLOT_COLUMNS)


def _print_plot(title: str, lines: Sequence[str]) -> None:
    print_result(f"\n{title}")
    for line in lines:
        print_result(f"  {line}")
