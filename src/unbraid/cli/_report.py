"""``unbraid report``: a model or a scan as a page that people would rather look at than read."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from ..errors import InvalidFile, InvalidOption
from ..narx import NARX
from ..sources import read_samples
from ._options import WORDS, naming
from ._output import note, say
from ._paths import writable
from ._sections import command as new_command
from ._sections import option
from ._stored import Stored, stored
from ._tables import flat, lacks_jacobians, record_of, table_of

EXAMPLES = """
unbraid report net.unbraid.json -o net.html --title "The network"
unbraid report net.scan.db -o scan.html --names left,right
unbraid report record.unbraid.json -o record.html --data record.csv
"""


@new_command(EXAMPLES)
@click.argument("file", metavar="FILE")
@option(
    "Options",
    "-o",
    "--out",
    metavar="FILE.html",
    default="report.html",
    help="The page: one file, nothing is loaded from elsewhere.",
)
@option("Options", "--title", help="Of the page.")
@option(
    "Options",
    "--data",
    metavar="FILE",
    help="Where errors are shown, .csv, .npz or .mat; of a NARX model a record to simulate.",
)
@option("Options", "--u", "--features", "inputs", type=WORDS, help="Columns that are inputs.")
@option("Options", "--y", "--target", "outputs", type=WORDS, help="Columns that are outputs.")
@option("Options", "--open", "show", is_flag=True, help="Open it in a browser.")
@naming
def command(options: SimpleNamespace) -> None:
    """Write a report of FILE, a model or the store of a scan: one page that needs no network."""
    out = writable(options.out, ".html", ".htm")
    found = stored(options.file)
    data = _data(found, options)
    from ..reports import report

    whole = found.model if found.scan is None else found.scan
    if whole is found.model and found.function is None:
        raise InvalidFile(f"{options.file} holds a coupled model, which has no branches to show")
    path = report(
        whole,
        out,
        title=options.title,
        names=options.names,
        outputs=options.output_names,
        data=data,
    )
    say(str(path))
    if options.show and not webbrowser.open(Path(path).resolve().as_uri()):
        note(f"there is no browser to be had here: open {path} yourself")


def _data(found: Stored, options: SimpleNamespace) -> Any:
    """A record (u, y) for a NARX model; for others samples, or points and values."""
    if options.data is None:
        for given, name in ((options.inputs, "features"), (options.outputs, "target")):
            if given:
                raise InvalidOption(f"--{name} names columns of --data FILE, which is missing")
        return None
    if isinstance(found.model, NARX):
        return flat(*record_of(options.data, options.inputs, options.outputs))
    if not (options.inputs or options.outputs or lacks_jacobians(options.data)):
        return read_samples(options.data)
    table = table_of(options.data, options.outputs, options.inputs)
    return table.X, table.Y
