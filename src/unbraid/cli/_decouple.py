"""``unbraid decouple``: decouple a model, samples or data."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from .._decouple import decouple
from ..model._function import DecoupledFunction
from . import _options as opt
from ._models import ModelInput, read_model_input
from ._output import print_files, print_json, print_message, print_result
from ._paths import HTML, JSON, check_output_files, check_writable
from ._regression import cross_validated_error, fit_regressor
from ._sections import define_command, reject_options
from ._summaries import check_name_counts, format_summary, make_document
from ._tables import DataTable

PLOT_ENDINGS = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".eps", ".tif", ".tiff", ".webp")


@define_command(
    "unbraid decouple net.onnx --box -1:1",
    "unbraid decouple model:f --box -1:1,-2:2 -r 2 --names speed,load",
    "unbraid decouple model:f --points points.csv --basis poly:3 --json",
    "unbraid decouple samples.npz -r 2 -o small.json --plot branches.png",
    "unbraid decouple data.csv --target force --report data.html",
)
@click.argument("model", metavar="MODEL")
@opt.sampling_options
@opt.branches_option
@opt.fit_option(
    "--method", type=opt.METHOD_TYPE, default="varpro", help="varpro, implicit, explicit or cpd."
)
@opt.fit_option("--basis", type=opt.BASIS_TYPE, default="auto", help=f"auto, {opt.BASIS_EXAMPLES}.")
@opt.fit_option("--seed", type=opt.INDEX_TYPE, default=0, help="Seed of points and search.")
@opt.fit_option(
    "--held-out",
    type=opt.SHARE_TYPE,
    help="Share of the points kept for the error.  [default: 0.2 with varpro, else 0]",
)
@opt.fit_option(
    "--tolerance", type=opt.TOLERANCE_TYPE, help="Largest error of -r auto in %.  [default: 0.01]"
)
@opt.fit_option(
    "--max-branches",
    type=opt.COUNT_TYPE,
    help="Most branches of -r auto.  [default: 12 directions; 8 without Jacobians]",
)
@opt.starts_option
@opt.name_options
@opt.output_option(
    "-o", "--out", metavar="FILE.json", help="The model.  [default: NAME.unbraid.json after MODEL]"
)
@opt.report_option
@opt.output_option("--plot", metavar="FILE.png", help="Also plot the branches.")
@opt.json_option
@opt.output_option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
def command(options: SimpleNamespace) -> None:
    """Decouple MODEL into functions of one variable.

    MODEL is an .onnx file, a function or model in Python as module:name (modules in the current
    folder are found, too), or a .mat, .npz or .csv file of points, values and Jacobians. Data
    without Jacobians are fitted by a regression first.
    """
    started = time.perf_counter()
    files = check_output_files(
        model=(options.out, JSON), report=(options.report, HTML), plot=(options.plot, PLOT_ENDINGS)
    )
    if options.branches != "auto":
        reason = "needs -r auto, which chooses the number"
        reject_options(options, ("tolerance", "max_branches"), reason)
    source = read_model_input(options)
    if "model" not in files:
        files = {"model": check_writable(f"{source.stem}.unbraid.json"), **files}
    d, extra = _decouple(source, options)
    _write_files(d, source, files)
    if options.as_json:
        document = make_document(d, source.names, source.outputs) | extra
        document |= {"seconds": time.perf_counter() - started, "warnings": options.warnings}
        print_json({"source": options.model, **document, "written": files})
    elif not options.quiet:
        error = extra.get("cross_validated_error")
        print_result(f"{options.model}: {format_summary(d, source.names, source.outputs, error)}\n")
        print_files(files)


def _decouple(
    source: ModelInput, options: SimpleNamespace
) -> tuple[DecoupledFunction, dict[str, Any]]:
    """The decoupled function, and further entries of the JSON document."""
    samples = source.data
    if isinstance(samples, DataTable):
        missing = "Jacobians"
        if source.has_other_jacobians:
            outputs, names = ", ".join(samples.outputs), ", ".join(samples.names)
            missing += f" of {outputs} for the inputs {names} alone"
        print_message(f"{options.model} has no {missing}: fitted as data, by DecoupledRegressor")
        model = fit_regressor(samples, options)
        d = model.decoupled_.named(source.names, source.outputs)
        return d, {"cross_validated_error": cross_validated_error(model)}
    check_name_counts(samples.n_inputs, samples.n_outputs, source.names, source.outputs)
    settings = {
        "held_out": options.held_out,
        "tolerance": options.tolerance,
        "max_branches": options.max_branches,
        "n_starts": options.starts,
    }
    d = decouple(
        samples,
        n_branches=options.branches,
        method=options.method,
        basis=options.basis,
        random_state=options.seed,
        progress=False if options.quiet else None,
        **{name: value for name, value in settings.items() if value is not None},
    )
    return d.named(source.names, source.outputs), {"problem": samples.words}


def _write_files(d: DecoupledFunction, source: ModelInput, files: dict[str, Path]) -> None:
    d.save(files["model"])
    if "plot" in files:
        d.plot(files["plot"], source.names)
    if "report" in files:
        from ..reports import report

        data = (source.data.X, source.data.Y) if isinstance(source.data, DataTable) else None
        report(d, files["report"], names=source.names, outputs=source.outputs, data=data)
