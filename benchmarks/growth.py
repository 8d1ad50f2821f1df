"""Time and memory of a whole default call against N, r, m and n, each size in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.cell import CELLS, ROOT, sources
from benchmarks.memory import peak
from unbraid import ConvergenceWarning, Samples, decouple
from unbraid.cases import random_ridges

LIMIT = 200.0
Size = tuple[int, int, int, int]  # N, m, n, r
CURVES: dict[str, tuple[str, str, list[Size]]] = {
    "N": ("m = 5, n = 2, r = 3", "N", [(10**k, 5, 2, 3) for k in (3, 4, 5, 6)]),
    "r": ("m = n = 6, N = 2000", "r", [(2000, 6, 6, r) for r in (3, 6, 12)]),
    "m": ("n = 2, r = 3, N = 2000", "m", [(2000, m, 2, 3) for m in (3, 10, 100, 784)]),
    "n": ("m = 5, r = 3, N = 2000", "n", [(2000, 5, n, 3) for n in (1, 3, 10, 100)]),
}


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
        "peak": peak() / 1e3,
        "samples": size / 1e9,
    }


def outcome(size: Size, again: bool = False) -> dict[str, Any]:
    """Run it in its own process, or look it up."""
    path = CELLS / f"growth-{'-'.join(map(str, size))}-{sources('ours')[:16]}.json"
    if path.exists() and not again:
        known: dict[str, Any] = json.loads(path.read_text())
        return known
    command = [sys.executable, "-m", "benchmarks.growth", *map(str, size)]
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT
        )
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        found = {"failed": f"over time ({LIMIT:.0f} s)"}
    except subprocess.CalledProcessError as error:
        found = {"failed": error.stderr.strip().splitlines()[-1][:120]}
    CELLS.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))
    return found


def curves(quick: bool, again: bool) -> dict[str, list[dict[str, Any]]]:
    """All of them, printed as they come; a quick run has the first two sizes of each."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, (_, _, sizes) in CURVES.items():
        found[name] = []
        for size in sizes[:2] if quick else sizes:
            found[name].append(
                {"size": size[("N", "m", "n", "r").index(name)], **outcome(size, again)}
            )
        print("\n".join(table(name, found[name])), flush=True)
    return found


def table(name: str, rows: list[dict[str, Any]]) -> list[str]:
    """As lines of text."""
    fixed, varied, _ = CURVES[name]
    lines = [f"decouple() against {name}; {fixed}"]
    lines.append(
        f"{varied:>9} {'seconds':>9} {'growth':>8} {'held out':>11} {'peak':>9} {'samples':>9}"
    )
    before = None
    for row in rows:
        if "failed" in row:
            lines.append(f"{row['size']:9d} {row['failed']}")
            continue
        growth = "" if before is None else f"{row['seconds'] / before:.1f}x"
        lines.append(
            f"{row['size']:9d} {row['seconds']:9.2f} {growth:>8} {row['error']:9.1e} % "
            f"{row['peak']:6.2f} GB {row['samples']:6.3f} GB"
        )
        before = row["seconds"]
    return [*lines, ""]


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:]))))
