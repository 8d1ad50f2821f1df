"""A scan of 40 cells on one core and on two, and the same numbers from both."""

from __future__ import annotations

import time

import unbraid
from unbraid.cases import network_samples

GRID = {"n_branches": [2, 3, 4, 5], "random_state": range(10), "basis": unbraid.BSpline(8)}


def main() -> None:
    samples = network_samples(400, random_state=0)
    warm_up(samples)
    seconds, tables = {}, {}
    for n_jobs in (1, 2):
        began = time.perf_counter()
        found = unbraid.scan(samples, **GRID, n_jobs=n_jobs)
        seconds[n_jobs] = time.perf_counter() - began
        tables[n_jobs] = [repr(row.document) for row in found.rows]
        print(f"{len(found)} cells on {n_jobs} of 2 cores: {seconds[n_jobs]:6.1f} s", flush=True)
    print(f"two cores take {seconds[2] / seconds[1]:.2f} of the time of one")
    print(f"the same to the bit: {tables[1] == tables[2]}")


def warm_up(samples: unbraid.Samples) -> None:
    """Start the workers, so that the time is that of the cells."""
    unbraid.scan(samples, n_branches=[1, 2], basis=unbraid.Polynomial(2), n_jobs=2)


if __name__ == "__main__":
    main()
