"""``unbraid decouple``: a model, samples or data, taken apart."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from .._decouple import decouple
from ..model._function import DecoupledFunction
from ._models import Problem, problem_of
from ._options import (
    SEED,
    SHARE,
    WHAT,
    Text,
    basis,
    branches_option,
    json_option,
    method,
    naming,
    report_option,
    where,
)
from ._output import note, say, say_json, warnings_collected
from ._paths import writable
from ._progress import waiting
from ._regression import cross_validated, regress
from ._sections import command as new_command
from ._sections import option, refuse
from ._summaries import check_names, document, summary

EXAMPLES = """
unbraid decouple net.onnx --box -1:1
unbraid decouple model:f --box -1:1,-2:2 -r 2 --names speed,load
unbraid decouple model:f --points points.csv --basis poly:3 --json
unbraid decouple samples.npz -r 2 -o small.json --plot branches.png
unbraid decouple data.csv --target force --report data.html
"""
PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".eps", ".tif", ".tiff", ".webp")


@new_command(EXAMPLES)
@click.argument("model", metavar="MODEL")
@where
@branches_option
@option(
    WHAT,
    "--method",
    type=Text("NAME", method),
    default="varpro",
    help="varpro, implicit, explicit or cpd.",
)
@option(
    WHAT,
    "--basis",
    type=Text("NAME:SIZE", basis),
    default="auto",
    help="auto, poly:5, spline:12, linear:8, fourier:3 or rbf:8.",
)
@option(
    WHAT,
    "--seed",
    type=SEED,
    default=0,
    help="Of the points drawn and of the search.",
)
@option(
    WHAT,
    "--held-out",
    type=SHARE,
    help="Share of the points kept for the error.  [default: a fifth with varpro, else none]",
)
@option(
    WHAT,
    "--tolerance",
    type=click.FloatRange(0, min_open=True),
    help="With -r auto: error in % that is good enough.  [default: 0.01]",
)
@option(
    WHAT,
    "--max-branches",
    type=click.IntRange(min=1),
    help="With -r auto: most branches.  [default: 12; 8 for data without Jacobians]",
)
@option(
    WHAT,
    "--starts",
    type=click.IntRange(min=1),
    help="Random starts of the search.  [default: varpro 1 to 24 as needed, cpd 20, others 10]",
)
@naming
@option(
    "Output",
    "-o",
    "--out",
    metavar="FILE.json",
    help="The model; by default MODEL's name with .unbraid.json, here.",
)
@report_option
@option("Output", "--plot", metavar="FILE.png", help="Also draw the branches.")
@json_option
@option("Output", "-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
def command(options: SimpleNamespace) -> None:
    """Decouple MODEL into functions of one variable.

    MODEL is an .onnx file, a function or model in Python as module:name (the current folder is
    looked at, too), or a .mat, .npz or .csv file of points, values and Jacobians. Data without
    Jacobians are fitted first, as by a regression.
    """
    began = time.perf_counter()
    files = _files(options)
    if options.branches != "auto":
        refuse(options, ("tolerance", "max_branches"), "needs -r auto, which chooses the number")
    problem = problem_of(options)
    files = {"model": Path(options.out or f"{problem.stem}.unbraid.json"), **files}
    files["model"] = writable(files["model"], ".json")
    with warnings_collected() as said:
        d, extra = _decoupled(problem, options)
    _write(d, problem, files)
    if options.as_json:
        found = {"source": options.model, **document(d, problem.names, problem.outputs), **extra}
        found |= {"seconds": time.perf_counter() - began, "warnings": said, "written": files}
        say_json(found)
    elif not options.quiet:
        error = extra.get("cross_validated_error")
        say(f"{options.model}: {summary(d, problem.names, problem.outputs, error)}\n")
        for what, path in files.items():
            say(f"{what + ':':8}{path}")


def _files(options: SimpleNamespace) -> dict[str, Path]:
    """What is to be written beside the model, checked before any work is done."""
    files = {}
    if options.out is not None:
        writable(options.out, ".json")
    if options.report:
        files["report"] = writable(options.report, ".html", ".htm")
    if options.plot:
        files["plot"] = writable(options.plot, *PICTURES)
    return files


def _decoupled(
    problem: Problem, options: SimpleNamespace
) -> tuple[DecoupledFunction, dict[str, Any]]:
    """The function, and what else there is to say of it."""
    if problem.table is not None:
        note(f"{options.model} has no {_lacking(problem)}: fitted as data, by DecoupledRegressor")
        with waiting("Fitting", options.quiet):
            model = regress(problem.table, options)
        d = model.decoupled_.named(problem.names, problem.outputs)
        return d, {"cross_validated_error": cross_validated(model)}
    samples = problem.samples
    assert samples is not None
    check_names(samples.n_inputs, samples.n_outputs, problem.names, problem.outputs)
    with waiting("Decoupling", options.quiet) as callback:
        d = decouple(
            samples,
            n_branches=options.branches,
            method=options.method,
            basis=options.basis,
            callback=callback,
            random_state=options.seed,
            **_given(options),
        )
    return d.named(problem.names, problem.outputs), {"problem": samples.words}


def _lacking(problem: Problem) -> str:
    if not problem.partial or problem.table is None:
        return "Jacobians"
    names, outputs = problem.table.names, problem.table.outputs
    return f"Jacobians of {', '.join(outputs)} by {', '.join(names)} and no more"


def _given(options: SimpleNamespace) -> dict[str, Any]:
    """Options that are left to their defaults unless they are given."""
    named = {
        "held_out": options.held_out,
        "tolerance": options.tolerance,
        "max_branches": options.max_branches,
        "n_starts": options.starts,
    }
    return {name: value for name, value in named.items() if value is not None}


def _write(d: DecoupledFunction, problem: Problem, files: dict[str, Path]) -> None:
    d.save(files["model"])
    if "plot" in files:
        d.plot(files["plot"], problem.names)
    if "report" in files:
        from ..reports import report

        table = problem.table
        data = None if table is None else (table.X, table.Y)
        report(d, files["report"], names=problem.names, outputs=problem.outputs, data=data)
