"""Scans of 40 cells on one core and on two, workers started anew: time, and the same numbers."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor

import unbraid
from unbraid.cases import network_samples, toy_samples

TOY = {"n_branches": [1, 2, 3, 4], "degree": 3, "random_state": range(10)}
NETWORK = {"n_branches": [2, 3, 4, 5], "basis": unbraid.BSpline(8), "random_state": range(10)}


def main() -> None:
    print(f"what two cores of this machine are worth at best, just now: {at_best():.2f}")
    compare("quick cells, toy problem", toy_samples(100, random_state=0), TOY, n_times=7)
    compare("longer cells, network", network_samples(400, random_state=0), NETWORK)


def at_best() -> float:
    """Time of two equal pieces of work side by side over one after the other, workers running."""
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(piece, [1, 1, 1, 1]))
        began = time.perf_counter()
        list(pool.map(piece, [200, 200]))
        beside = time.perf_counter() - began
    began = time.perf_counter()
    piece(200), piece(200)
    return beside / (time.perf_counter() - began)


def piece(n_rounds: int) -> float:
    """Small arrays, as in a cell: as much Python as arithmetic."""
    table = np.linspace(0, 1, 300).reshape(3, 100)
    return sum(float((table @ table.T + k)[0, 0]) for k in range(1000 * n_rounds))


def compare(title: str, samples: unbraid.Samples, grid: dict[str, Any], n_times: int = 1) -> None:
    """Print what two cores are worth, in turns with one; starting the workers counts."""
    unbraid.scan(samples, n_branches=1, degree=2)  # what is loaded late is loaded
    runs = [(timed(samples, grid, 1), timed(samples, grid, 2)) for _ in range(n_times)]
    one, two = (median(run[k][0] for run in runs) for k in (0, 1))
    ratios = sorted(run[1][0] / run[0][0] for run in runs)
    spread = "" if n_times == 1 else f", {ratios[0]:.2f} to {ratios[-1]:.2f} in {n_times} turns"
    same = all(run[0][1] == run[1][1] for run in runs)
    print(
        f"{title}: {one:.1f} s on one core, {two:.1f} s on two ({median(ratios):.2f}{spread}); "
        f"the same to the bit: {same}",
        flush=True,
    )


def timed(samples: unbraid.Samples, grid: dict[str, Any], n_jobs: int) -> tuple[float, list[str]]:
    """Seconds, and all models."""
    get_reusable_executor().shutdown(wait=True)
    began = time.perf_counter()
    found = unbraid.scan(samples, **grid, n_jobs=n_jobs)
    seconds = time.perf_counter() - began
    return seconds, [repr(row.document) for row in found]


if __name__ == "__main__":
    main()
