"""``unbraid demo``: the toy problem of the paper, from the table to the report."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from .. import __version__
from ..cases import toy_samples
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..reproduce._table1 import Row, table1
from ._options import SEED
from ._output import say
from ._paths import folder
from ._sections import command as new_command
from ._sections import option

EXAMPLES = """
unbraid demo --out demo
"""
EXPLICIT_QUICK = 1e4  # sqrt(lambda) = 100, which suits every r here
COUPLED = 14  # coefficients of the polynomial
HEAD = """\
A polynomial of two inputs, two outputs and 14 coefficients, known at 100 points,
becomes W g(V'p) + c. Relative rms error of f in % (e1, e2), Table 1 of the paper:
"""
TAIL = """
varpro goes past the paper and finds the function itself at r = 3; the paper's methods
stop where their filters do.
Outputs count alike here whatever their size, so e1 and e2 come out close together; the
paper's objective favours the larger output, and its figures are for one other draw.
"""


@new_command(EXAMPLES)
@option("Options", "--out", metavar="FOLDER", default="unbraid-demo", help="Where to write.")
@option("Options", "--seed", type=SEED, default=0, help="Draw of the 100 operating points.")
def command(options: SimpleNamespace) -> None:
    """Decouple the toy problem of the paper for r = 1 to 4, and write a picture and a report."""
    out = folder(options.out)
    samples = toy_samples(100, random_state=options.seed)
    say(HEAD)
    heads = f"{'e1':>9} {'e2':>9}   {'paper e1':>9} {'paper e2':>9} {'seconds':>8}"
    say(f"{'method':10} {'r':>2} {heads}")
    drawn = _say_table1(samples)
    picture, model = out / "branches.png", out / "toy.json"
    drawn.save(model)
    drawn.plot(picture)
    report = _reported(samples, out, options.seed)
    say(TAIL)
    say(f"The three branches: {picture}\nThe model:          {model}")
    say(f"Look at it:         unbraid show {model}")
    say(f"Load it:            unbraid.load({str(model)!r})")
    say(f"The report: {report}  (open it in a browser)")


def _say_table1(samples: Samples) -> DecoupledFunction:
    """Print the table row by row; the model with three branches."""
    drawn = None
    for cell in table1(samples, "varpro", random_state=0):
        _say_cell(cell)
        drawn = cell.function if cell.n_branches == 3 else drawn
    for cell in table1(samples, "implicit", random_state=0):
        _say_cell(cell)
    for cell in table1(samples, "explicit", random_state=0, smoothness=EXPLICIT_QUICK):
        _say_cell(cell)
    assert drawn is not None
    return drawn


def _reported(samples: Samples, out: Path, seed: int) -> Path:
    """A scan over branches and degrees, in one store per draw, and its report."""
    from ..reports import report
    from ..scans import scan

    found = scan(
        samples,
        n_branches=[1, 2, 3, 4],
        degree=[2, 3],
        coupled_parameters=COUPLED,
        store=out / f"toy-seed-{seed}-{__version__}.scan.db",
    )
    path: Path = report(found, out / "report.html", title="The toy problem")
    return path


def _say_cell(cell: Row) -> None:
    """One row of Table 1."""
    error, solution = cell.function.fitted_error, cell.function.solution
    assert error is not None
    assert solution is not None
    say(
        f"{cell.method:10} {cell.n_branches:2d} {_number(error[0])} {_number(error[1])}   "
        f"{cell.published[0]:9.1f} {cell.published[1]:9.1f} {solution.seconds:8.2f}"
    )


def _number(error: float) -> str:
    """Nine characters: three decimals, or a power of ten where these show nothing."""
    return f"{error:9.3f}" if error >= 1e-3 else f"{error:9.0e}"
