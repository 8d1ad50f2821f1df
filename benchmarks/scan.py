"""Scans of 40 cells on one core and on two, workers started anew: time, and the same numbers."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor

import unbraid
from unbraid.cases import network_samples, toy_samples

TOY = {"n_branches": [1, 2, 3, 4], "degree": 3, "random_state": range(10)}
NETWORK = {"n_branches": [2, 3, 4, 5], "basis": unbraid.BSpline(8), "random_state": range(10)}


def main() -> None:
    print(f"what two cores of this machine are worth at best, just now: {at_best():.2f}")
    compare("quick cells, toy problem", toy_samples(100, random_state=0), TOY)
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


def compare(title: str, samples: unbraid.Samples, grid: dict[str, Any]) -> None:
    """Print what two cores are worth; starting the workers counts."""
    unbraid.scan(samples, n_branches=1, degree=2)  # what is loaded late is loaded
    seconds, models = {}, {}
    for n_jobs in (1, 2):
        get_reusable_executor().shutdown(wait=True)
        began = time.perf_counter()
        found = unbraid.scan(samples, **grid, n_jobs=n_jobs)
        seconds[n_jobs] = time.perf_counter() - began
        models[n_jobs] = [repr(row.document) for row in found]
    ratio = seconds[2] / seconds[1]
    print(
        f"{title}, {len(found)} cells: {seconds[1]:.1f} s on one core, {seconds[2]:.1f} s on two "
        f"({ratio:.2f}); the same to the bit: {models[1] == models[2]}",
        flush=True,
    )


if __name__ == "__main__":
    main()
