"""``unbraid show``: a model or a scan in the terminal."""

from __future__ import annotations

import shutil
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidOption
from ..model._description import Description
from ..model._function import DecoupledFunction
from ..narx import NARX
from ._options import json_option, naming
from ._output import percent, plain_letters, say, say_json
from ._paths import writable
from ._scan_table import say_scan_table, scan_document
from ._sections import command as new_command
from ._sections import option
from ._stored import Stored, stored
from ._summaries import check_names, described, document, summary
from ._terminal import HEIGHT, WIDTH, Pen, pen_for, picture

if TYPE_CHECKING:
    from ..scans import Scan

EXAMPLES = """
unbraid show net.unbraid.json
unbraid show net.unbraid.json --ascii --names left,right
unbraid show net.scan.db --row 2 --save two.json
"""
ROOM = 12  # columns that the numbers at an axis may take
NARROWEST = 16


@new_command(EXAMPLES)
@click.argument("file", metavar="FILE")
@option("Pictures", "--no-plot", is_flag=True, help="Words and numbers only.")
@option("Pictures", "--ascii", "plain", is_flag=True, help="Draw with plain letters.")
@option("Scans", "--row", type=click.IntRange(min=0), help="Look at this row instead of the best.")
@option("Scans", "--save", metavar="FILE.json", help="Write the model of that row.")
@naming
@json_option
def command(options: SimpleNamespace) -> None:
    """Show FILE, a model or the store of a scan: errors, words, and every branch as a curve.

    Of a scan, the table (a star marks the Pareto front: nothing smaller is better) and the
    smallest model that is about as good as the best.
    """
    found = stored(options.file, options.row)
    if found.function is not None:
        d = found.function
        check_names(d.n_inputs, d.n_outputs, options.names, options.output_names)
    if options.save:
        _save(found, options)
    if options.as_json:
        say_json(_document(found, options))
        return
    with plain_letters(options.plain):
        _say(found, options)


def _say(found: Stored, options: SimpleNamespace) -> None:
    if found.scan is not None:
        _say_scan(found.scan)
        _say_choice(found)
    _say_model(found, options)


def _save(found: Stored, options: SimpleNamespace) -> None:
    if found.scan is None or found.model is None:
        raise InvalidOption("--save is for the store of a scan with a model in it")
    path = writable(options.save, ".json")
    model = found.model
    if isinstance(model, DecoupledFunction):
        model = model.named(options.names, options.output_names)
    model.save(path)


def _names(found: Stored, options: SimpleNamespace) -> tuple[Any, Any]:
    return options.names or found.names, options.output_names or found.outputs


def _document(found: Stored, options: SimpleNamespace) -> dict[str, Any]:
    body: dict[str, Any] = {"file": options.file}
    if found.scan is not None:
        body |= scan_document(found.scan)
        body["row"] = None if found.row is None else found.row.index
    if isinstance(found.model, NARX):
        body |= {"input_lags": found.model.input_lags, "output_lags": found.model.output_lags}
    if found.function is not None:
        body["model"] = document(found.function, *_names(found, options))
    return body


def _say_scan(scan: Scan) -> None:
    say(f"{scan.problem}\n")
    say_scan_table(scan)


def _say_choice(found: Stored) -> None:
    row = found.row
    if row is None:
        say("\nNo row has a model.")
        return
    say(f"\nRow {row.index}: {row.label}")


def _say_model(found: Stored, options: SimpleNamespace) -> None:
    names, outputs = _names(found, options)
    if isinstance(found.model, NARX):
        say(_narx_line(found.model))
    if found.function is None:
        return
    d = found.function
    if isinstance(found.model, NARX):  # its errors are those of simulations
        _say_one_step(d)
        d = replace(d, fitted_error=None, held_out_error=None)
    words = described(d, names, outputs)
    sizes, _, _ = summary(d, names, outputs).partition("\n\n")
    say(sizes)
    if words is not None:
        say(f"\n{words if options.no_plot else words.words}")
    if not options.no_plot:
        _say_pictures(d, words, pen_for(options.plain))


def _say_one_step(d: DecoupledFunction) -> None:
    """The errors that a NARX model keeps: of its function, on measured outputs."""
    errors = {"fitted": d.fitted_error, "on points held out": d.held_out_error}
    said = [f"{percent(error)} {where}" for where, error in errors.items() if error is not None]
    if said:
        say(f"error of one step ahead: {', '.join(said)}; `unbraid report --data` has free runs")


def _narx_line(model: NARX) -> str:
    text = f"NARX model, input lags {_listed(model.input_lags)}, output lags "
    text += _listed(model.output_lags)
    if model.n_parameters is not None and not isinstance(model.function, DecoupledFunction):
        text += f", coupled, {model.n_parameters} numbers"
    return text


def _listed(lags: Any) -> str:
    return ", ".join(map(str, lags)) or "none"


def _say_pictures(d: DecoupledFunction, words: Description | None, pen: Pen) -> None:
    """All branches, the one that contributes most first."""
    columns = shutil.get_terminal_size((WIDTH + ROOM, 0)).columns - ROOM
    width = max(min(WIDTH, columns), NARROWEST)
    said = {} if words is None else {b.index: str(b) for b in words.branches}
    for index in said or range(d.n_branches):
        say()
        say(said.get(index, f"branch {index + 1}"))
        for line in picture(d.branches[index], pen, width, HEIGHT):
            say("  " + line)
