"""``unbraid demo``: the toy problem of the paper as a table, a plot and a report."""

from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

from .. import __version__
from ..cases import toy_samples
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..reproduce._published import TABLE1_ERRORS
from ..reproduce._tables import Table1Row, run_table1
from ..scans import Scan
from ._options import INDEX_TYPE
from ._output import open_page, print_result
from ._paths import make_folder
from ._sections import define_command, option

PAPER_OPTIONS: dict[str, dict[str, float]] = {
    "implicit": {"n_starts": 1},  # more starts change the errors by a few percent of them
    "explicit": {"n_starts": 2, "smoothness": 1e4},  # sqrt(lambda) = 100 suits every r
}
EXACT_BRANCHES = 3
TOY_COEFFICIENTS = 14  # of the polynomial that is decoupled
INTRODUCTION = """\
A polynomial with two inputs, two outputs and 14 coefficients is known at 100 points.
It is written as W g(V'p) + c. Relative rms error of f in % (e1, e2), as in Table 1 of the paper:
"""
CONCLUSION = """
varpro recovers the exact function at r = 3. The errors of the paper's methods are limited by
their finite-difference filters.
All outputs have the same weight here, so e1 and e2 are close to each other. The objective of
the paper favours the larger output, and its figures belong to another draw of the points.
"""


@define_command("unbraid demo --out demo")
@option("--out", metavar="FOLDER", default="unbraid-demo", help="Output folder.")
@option("--seed", type=INDEX_TYPE, default=0, help="Seed of the 100 operating points.")
@option("--open", "show", is_flag=True, help="Open the report in a browser.")
def command(options: SimpleNamespace) -> None:
    """Decouple the toy problem of the paper for r = 1 to 4; write plot and report."""
    out = make_folder(options.out)
    samples = toy_samples(100, random_state=options.seed)
    print_result(INTRODUCTION)
    heads = f"{'e1':>9} {'e2':>9}   {'paper e1':>9} {'paper e2':>9} {'seconds':>8}"
    print_result(f"{'method':10} {'r':>2} {heads}")
    result = _scan_branches(samples, out, options.seed)
    d = _print_scanned(result)
    _print_published(samples)
    plot, model = out / "branches.png", out / "toy.json"
    d.save(model)
    d.plot(plot)
    report = _write_report(result, out)
    print_result(CONCLUSION)
    print_result(f"The curves:         {plot}\nThe model:          {model}")
    print_result(f"Show it:            unbraid show {model}")
    print_result(f"Load it:            unbraid.load({str(model)!r})")
    print_result(f"The report:         {report}  (open it in a browser)")
    if options.show:
        open_page(report)


def _scan_branches(samples: Samples, out: Path, seed: int) -> Scan:
    """Scan the number of branches, with one store per draw."""
    from ..scans import scan

    return scan(
        samples,
        n_branches=list(TABLE1_ERRORS["implicit"]),
        degree=3,
        coupled_parameters=TOY_COEFFICIENTS,
        store=out / f"toy-seed-{seed}-{__version__}.scan.db",
        progress=False,
    )


def _print_scanned(result: Scan) -> DecoupledFunction:
    """Print the rows of varpro; returns the model with three branches."""
    for row, errors in zip(result.rows, TABLE1_ERRORS["implicit"].values(), strict=True):
        d = row.model
        _print_row(Table1Row("varpro", d.n_branches, d, errors), row.seconds)
    found: DecoupledFunction = result.rows[EXACT_BRANCHES - 1].model
    return found


def _print_published(samples: Samples) -> None:
    """Print the rows of the paper's methods, one by one."""
    for method, options in PAPER_OPTIONS.items():
        began = perf_counter()
        for row in run_table1(samples, method, random_state=0, **options):
            _print_row(row, perf_counter() - began)
            began = perf_counter()


def _write_report(result: Scan, out: Path) -> Path:
    from ..reports import report

    return report(result, out / "report.html", title="The toy problem")


def _print_row(row: Table1Row, seconds: float) -> None:
    error = row.function.fitted_error
    assert error is not None
    e1, e2 = (f"{e:9.3f}" if e >= 1e-3 else f"{e:9.0e}" for e in error)
    print_result(
        f"{row.method:10} {row.n_branches:2d} {e1} {e2}   "
        f"{row.published[0]:9.1f} {row.published[1]:9.1f} {seconds:8.2f}"
    )
