"""``make narx``: case study 3 on the real Silverbox record, or on its simulated twin.

The record is looked for in the folder that UNBRAID_DATA names, then in ../shared/data.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.reference import narx as written_out

from unbraid import ConvergenceWarning, Polynomial
from unbraid.cases import Dataset, duffing, silverbox
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.public_benchmarks._fits import weigh_large_outputs

PAPERS_GRID = tuple(10.0 ** (2 * power) for power in (-1, 0, 1, 2, 3, 5))


def dataset() -> tuple[Dataset, bool]:
    """The real record where it is, else the twin."""
    here = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("UNBRAID_DATA", here)) / "silverbox.npz"
    if path.exists():
        print("The Silverbox record, official split")
        return silverbox(path), True
    print(f"No record at {path} (set UNBRAID_DATA): its simulated twin instead")
    return duffing(random_state=0), False


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def percent(model: NARX, record: Any) -> float:
    return float(model.score(*record, initial=50).percent)


def millivolt(model: NARX, record: Any) -> float:
    return 1e3 * float(model.score(*record, initial=50).rmse)


def by_branches(data: Dataset, reference: NARX, seeds: int = 5) -> None:
    """Error on the arrow against r, before and after refinement, over draws."""
    print(
        f"\nDecoupled with defaults, cubic branches, {seeds} draws: % on the arrow, least and most"
    )
    print("  r  freedom     decoupled           refined         seconds (decouple, refine)")
    for r in range(1, 7):
        plain, tuned, times = [], [], []
        for seed in range(seeds):
            small, first = timed(
                lambda r=r, seed=seed: reference.decouple(r, basis=Polynomial(3), random_state=seed)
            )
            better, second = timed(lambda small=small: small.refine(*data.train))
            plain.append(percent(small, data.arrow))
            tuned.append(percent(better, data.arrow))
            times.append((first, second))
        cells = "   ".join(f"{min(e):7.3f} ..{max(e):7.3f}" for e in (plain, tuned))
        worst = np.max(times, axis=0)
        freedom = small.function.degrees_of_freedom
        print(f"{r:3d} {freedom:8d}  {cells}   {worst[0]:8.1f} {worst[1]:8.1f}")


def by_the_papers_method(data: Dataset, reference: NARX) -> None:
    """The explicit method over the paper's grid of lambda, chosen on training simulation error."""
    print("\nmethod='explicit', the paper's grid of lambda, chosen on the training record")
    print("  r   train %   arrow %   against the reference   seconds")
    line = percent(reference, data.arrow)
    for r in range(3, 7):
        small, seconds = timed(
            lambda r=r: reference.decouple(
                r, method="explicit", smoothness=PAPERS_GRID, basis=Polynomial(3), random_state=0
            )
        )
        train, arrow = percent(small, data.train), percent(small, data.arrow)
        print(f"{r:3d} {train:9.3f} {arrow:9.3f} {arrow / line:15.2f}x {seconds:16.1f}")


def speed(data: Dataset, reference: NARX) -> None:
    """Simulation against the loop over time."""
    u, y = (signal[:40_000] for signal in data.arrow)
    print(f"\nSimulation of {len(u)} samples against a loop over time")
    small = reference.decouple(3, random_state=0)
    for name, model in (("polynomial", reference), ("three branches", small)):
        fast = min(timed(lambda model=model: model.simulate(u, y[:50]))[1] for _ in range(3))
        slow, seconds = timed(
            lambda model=model: written_out.simulate(
                model.function, u[:, None], y[:50, None], (0, 1), (1, 2, 3)
            )
        )
        apart = np.abs(slow[:, 0] - model.simulate(u, y[:50])).max()
        print(
            f"{name:15s} {fast:6.3f} s, loop {seconds:5.1f} s: {seconds / fast:4.0f}x, "
            f"apart {apart:.0e}"
        )


def search(data: Dataset) -> None:
    """Lags, branches and degree, chosen on the last fifth of the training record.

    Large outputs count more, in the fit and in the choice: the question is how a model goes on
    beyond them. The test records are only reported.
    """
    u, y = data.train
    print("\nSearch, large outputs weighted; chosen is the least error on the held-out fifth")
    print(" n_u  n_y    r  degree  freedom   fitted %  held out %   arrow mV   seconds")
    rows = []
    for degree, r, n_u, n_y in product((3, 5), (2, 3), (2, 3, 4), (3, 4, 5)):
        lags = (tuple(range(n_u + 1)), tuple(range(1, n_y + 1)))
        start = fit_polynomial_narx(u, y, *lags).decouple(
            r, basis=Polynomial(degree), random_state=0
        )
        start = replace(start, limit=1.0)
        try:
            model, seconds = timed(
                lambda start=start: start.refine(u, y, weights=weigh_large_outputs(y))
            )
        except ArithmeticError:
            continue
        errors = [min(e) for e in (model.refinement.errors, model.refinement.held_out_errors)]
        rows.append((errors[1], lags, r, degree, model))
        arrow, freedom = millivolt(model, data.arrow), model.function.degrees_of_freedom
        print(
            f"{n_u:4d} {n_y:4d} {r:4d} {degree:7d} {freedom:8d} "
            f"{errors[0]:10.4f} {errors[1]:11.4f} {arrow:10.4f} {seconds:9.1f}"
        )
    _, lags, r, degree, model = min(rows, key=lambda row: row[0])
    print(
        f"chosen: input lags {lags[0]}, output lags {lags[1]}, r = {r}, degree {degree}, "
        f"{model.function.degrees_of_freedom} degrees of freedom"
    )
    for name in ("train", "test", "arrow_no_extrapolation", "arrow"):
        record = getattr(data, name)
        print(f"  {name:24s} {millivolt(model, record):.4f} mV  {percent(model, record):.3f} %")


def case_study(data: Dataset, real: bool) -> None:
    reference = fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 3)
    print(
        f"reference: {reference.n_parameters} numbers, {millivolt(reference, data.arrow):.4f} mV, "
        f"{percent(reference, data.arrow):.3f} % on the arrow"
        + (" (paper: 1.01 %)" if real else "")
    )
    by_branches(data, reference)
    speed(data, reference)
    by_the_papers_method(data, reference)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    data, real = dataset()
    if "--search" in sys.argv:
        search(data)
    else:
        case_study(data, real)


if __name__ == "__main__":
    main()
