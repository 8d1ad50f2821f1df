"""Time and memory of a whole default call against N, r and m, each size in its own process."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings

import numpy as np

from unbraid import ConvergenceWarning, Samples, decouple
from unbraid.cases import random_ridges


def measure(n_points: int, m: int, n: int, r: int) -> dict[str, float]:
    """Seconds, error and peak memory of ``decouple`` on random ridge functions."""
    rng = np.random.default_rng(0)
    f = random_ridges(m, n, r, rng)
    f.V /= np.linalg.norm(f.V, axis=0)
    points = rng.uniform(-1, 1, (n_points, m))
    samples = Samples(points, f(points), f.jacobian(points))
    size = samples.points.nbytes + samples.values.nbytes + samples.jacobians.nbytes
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        d = decouple(samples, n_branches=r, random_state=0)
    assert d.held_out_error is not None
    return {
        "seconds": time.perf_counter() - began,
        "error": float(d.held_out_error.mean()),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "samples": size / 1e9,
    }


def in_its_own_process(*size: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale", *map(str, size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def print_table(title: str, varied: str, sizes: list[tuple[int, int, int, int]]) -> None:
    print(f"\n{title}")
    print(f"{varied:>9} {'seconds':>9} {'growth':>8} {'held out':>11} {'peak':>9} {'samples':>9}")
    before = None
    for size in sizes:
        found = in_its_own_process(*size)
        growth = "" if before is None else f"{found['seconds'] / before:.1f}x"
        print(
            f"{size[['N', 'm', 'n', 'r'].index(varied)]:9d} {found['seconds']:9.2f} {growth:>8} "
            f"{found['error']:9.1e} % {found['peak']:6.2f} GB {found['samples']:6.2f} GB",
            flush=True,
        )
        before = found["seconds"]


def main() -> None:
    print_table(
        "decouple() against N; m = 5, n = 2, r = 3, tanh, sin and exp branches",
        "N",
        [(n_points, 5, 2, 3) for n_points in (1_000, 10_000, 100_000, 1_000_000)],
    )
    print_table("against r; m = n = 6, N = 2000", "r", [(2000, 6, 6, r) for r in (3, 6, 12, 30)])
    print_table(
        "against m; n = 2, r = 3, N = 2000", "m", [(2000, m, 2, 3) for m in (3, 10, 100, 784)]
    )
    print_table("many of both; N = 2000", "m", [(2000, 784, 10, 30)])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(*map(int, sys.argv[1:]))))
    else:
        main()
