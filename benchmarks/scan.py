"""Scans of 40 cells on one core and on two, workers started anew: time, and the same numbers."""

from __future__ import annotations

import time
from typing import Any

from joblib.externals.loky import get_reusable_executor

import unbraid
from unbraid.cases import network_samples, toy_samples

TOY = {"n_branches": [1, 2, 3, 4], "degree": 3, "random_state": range(10)}
NETWORK = {"n_branches": [2, 3, 4, 5], "basis": unbraid.BSpline(8), "random_state": range(10)}


def main() -> None:
    compare("quick cells, toy problem", toy_samples(100, random_state=0), TOY)
    compare("longer cells, network", network_samples(400, random_state=0), NETWORK)


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
