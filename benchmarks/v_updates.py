"""``make v-updates``: what the three V-updates of the implicit method give, and in what time."""

from __future__ import annotations

import time
import warnings

import numpy as np

from unbraid import ConvergenceWarning, Filter, Polynomial, decouple
from unbraid.cases import toy_samples

SETTINGS: dict[str, dict[str, object]] = {
    "function": {"v_update": "function"},
    "relaxed": {"v_update": "relaxed"},
    "relaxed, 300 iterations": {"v_update": "relaxed", "max_iterations": 300},
    "nonlinear": {"v_update": "nonlinear"},
    "function, 5-point windows": {"filters": (Filter("left", 5), Filter("right", 5))},
}


def main(seeds: range = range(400, 405)) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"toy problem, r = 3, N = 100, {len(seeds)} draws: mean(e1, e2) in %, seconds a call")
    print(f"{'v_update':26} {'starts':>6} {'least':>9} {'median':>9} {'most':>9} {'s':>6}")
    for name, options in SETTINGS.items():
        for n_starts in (1, 10):
            errors, seconds = [], []
            for seed in seeds:
                began = time.perf_counter()
                d = decouple(
                    toy_samples(100, seed),
                    n_branches=3,
                    basis=Polynomial(3),
                    n_starts=n_starts,
                    random_state=seed,
                    **options,
                )
                seconds.append(time.perf_counter() - began)
                assert d.fitted_error is not None
                errors.append(float(d.fitted_error.mean()))
            print(
                f"{name:26} {n_starts:6d} {min(errors):9.4f} {np.median(errors):9.4f} "
                f"{max(errors):9.4f} {np.median(seconds):6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
