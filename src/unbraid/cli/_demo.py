"""``unbraid demo``: the toy problem of the paper as a table, a plot and a report."""

from itertools import chain
from pathlib import Path
from types import SimpleNamespace

from .. import __version__
from ..cases import toy_samples
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..reproduce._tables import Table1Row, run_table1
from ._options import INDEX_TYPE
from ._output import print_result
from ._paths import make_folder
from ._sections import define_command, option

QUICK_STARTS = 2  # of the paper's methods: more change the errors by a few percent of them
QUICK_SMOOTHNESS = 1e4  # sqrt(lambda) = 100, which suits every r of this problem
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
def command(options: SimpleNamespace) -> None:
    """Decouple the toy problem of the paper for r = 1 to 4; write plot and report."""
    out = make_folder(options.out)
    samples = toy_samples(100, random_state=options.seed)
    print_result(INTRODUCTION)
    heads = f"{'e1':>9} {'e2':>9}   {'paper e1':>9} {'paper e2':>9} {'seconds':>8}"
    print_result(f"{'method':10} {'r':>2} {heads}")
    d = _print_table1(samples)
    plot, model = out / "branches.png", out / "toy.json"
    d.save(model)
    d.plot(plot)
    report = _write_report(samples, out, options.seed)
    print_result(CONCLUSION)
    print_result(f"The curves:         {plot}\nThe model:          {model}")
    print_result(f"Show it:            unbraid show {model}")
    print_result(f"Load it:            unbraid.load({str(model)!r})")
    print_result(f"The report:         {report}  (open it in a browser)")


def _print_table1(samples: Samples) -> DecoupledFunction:
    """Print the table row by row; returns the model of varpro with three branches."""
    rows = chain(
        run_table1(samples, "varpro", random_state=0),
        run_table1(samples, "implicit", random_state=0, n_starts=QUICK_STARTS),
        run_table1(
            samples,
            "explicit",
            random_state=0,
            n_starts=QUICK_STARTS,
            smoothness=QUICK_SMOOTHNESS,
        ),
    )
    functions = {}
    for row in rows:
        _print_row(row)
        functions[row.method, row.n_branches] = row.function
    return functions["varpro", 3]


def _write_report(samples: Samples, out: Path, seed: int) -> Path:
    """Scan the number of branches, with one store per draw, and write the report."""
    from ..reports import report
    from ..scans import scan

    result = scan(
        samples,
        n_branches=[1, 2, 3, 4],
        degree=3,
        coupled_parameters=TOY_COEFFICIENTS,
        store=out / f"toy-seed-{seed}-{__version__}.scan.db",
    )
    return report(result, out / "report.html", title="The toy problem")


def _print_row(row: Table1Row) -> None:
    error, solution = row.function.fitted_error, row.function.solution
    assert error is not None
    assert solution is not None
    e1, e2 = (f"{e:9.3f}" if e >= 1e-3 else f"{e:9.0e}" for e in error)
    print_result(
        f"{row.method:10} {row.n_branches:2d} {e1} {e2}   "
        f"{row.published[0]:9.1f} {row.published[1]:9.1f} {solution.seconds:8.2f}"
    )
