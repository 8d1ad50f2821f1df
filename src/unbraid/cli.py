"""The command line. ``unbraid demo`` is what ``make demo`` runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .cases import toy_samples
from .cases.table1 import Cell, table1
from .errors import UnbraidError

EXPLICIT_QUICK = (1e2, 1e4)  # sqrt(lambda) = 10 and 100, where the toy problem is at its best


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 with a one-line reason."""
    parser = argparse.ArgumentParser(
        prog="unbraid", description="Decouple multivariate functions into univariate ones."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser(
        "demo", help="the toy problem of the paper, r = 1 to 4, and a picture"
    )
    demo.add_argument("--out", type=Path, default=Path("unbraid-demo"), help="folder to write to")
    demo.add_argument("--seed", type=int, default=0, help="draw of the 100 operating points")
    chosen = parser.parse_args(arguments)
    try:
        run_demo(chosen.out, chosen.seed)
    except (UnbraidError, OSError) as error:
        print(f"unbraid: {error}", file=sys.stderr)
        return 2
    return 0


def run_demo(out: Path, seed: int) -> None:
    """Print Table 1 beside the published figures and draw the branches at r = 3."""
    samples = toy_samples(100, random_state=seed)
    print("A polynomial of two inputs, two outputs and 14 coefficients, known at 100 points,")
    print("becomes W g(V'p) + c. Relative rms error of f in % (e1, e2), Table 1 of the paper:\n")
    heads = f"{'e1':>9} {'e2':>9}   {'paper e1':>9} {'paper e2':>9} {'seconds':>8}"
    print(f"{'method':10} {'r':>2} {heads}")
    drawn = None
    for cell in table1(samples, "varpro", random_state=0):
        print_cell(cell)
        drawn = cell.function if cell.n_branches == 3 else drawn
    for cell in table1(samples, "implicit", random_state=0):
        print_cell(cell)
    for cell in table1(samples, "explicit", random_state=0, smoothness=EXPLICIT_QUICK):
        print_cell(cell)
    assert drawn is not None
    out.mkdir(parents=True, exist_ok=True)
    picture, model = out / "branches.png", out / "toy.json"
    drawn.save(model)
    drawn.plot(picture)
    print(
        "\nvarpro goes past the paper and finds the function itself at r = 3; the paper's methods"
    )
    print("stop where their filters do.")
    print("Outputs count alike here whatever their size, so e1 and e2 come out close together; the")
    print("paper's objective favours the larger output, and its figures are for one other draw.")
    print(f"\nThe three branches: {picture}\nThe model:          {model}")
    print(f"Load it:            unbraid.load({str(model)!r})")


def print_cell(cell: Cell) -> None:
    """One row of Table 1."""
    error, solution = cell.function.fitted_error, cell.function.solution
    assert error is not None
    assert solution is not None
    print(
        f"{cell.method:10} {cell.n_branches:2d} {number(error[0])} {number(error[1])}   "
        f"{cell.published[0]:9.1f} {cell.published[1]:9.1f} {solution.seconds:8.2f}",
        flush=True,
    )


def number(error: float) -> str:
    """Nine characters: three decimals, or a power of ten where these show nothing."""
    return f"{error:9.3f}" if error >= 1e-3 else f"{error:9.0e}"


if __name__ == "__main__":
    sys.exit(main())
