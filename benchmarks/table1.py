"""``make table1``: Table 1 over ten draws of the operating points, every default left alone."""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

from unbraid import ConvergenceWarning
from unbraid.cases import toy_samples
from unbraid.cases.table1 import PUBLISHED, table1


def main(first_seed: int = 0, n_sets: int = 10) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(
        f"mean(e1, e2) in % over {n_sets} draws of 100 points: least, median, most; seconds a call"
    )
    columns = ("least", "median", "most", "paper", "s", "most s")
    print(f"{'method':10} {'r':>2} " + " ".join(f"{name:>8}" for name in columns))
    for method, published in PUBLISHED.items():
        errors: dict[int, list[float]] = {r: [] for r in published}
        seconds: dict[int, list[float]] = {r: [] for r in published}
        for seed in range(first_seed, first_seed + n_sets):
            began = time.perf_counter()
            for cell in table1(toy_samples(100, random_state=seed), method, random_state=0):
                assert cell.function.fitted_error is not None
                errors[cell.n_branches].append(float(cell.function.fitted_error.mean()))
                now = time.perf_counter()
                seconds[cell.n_branches].append(now - began)
                began = now
        for r, values in errors.items():
            low, middle, high = min(values), float(np.median(values)), max(values)
            taken = seconds[r]
            print(
                f"{method:10} {r:2d} {low:8.3f} {middle:8.3f} {high:8.3f} "
                f"{np.mean(published[r]):8.2f} {np.median(taken):8.2f} {max(taken):8.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
