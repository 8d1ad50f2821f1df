"""``make exact``: what variable projection reaches on the paper's problems, and beyond."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from unbraid import (
    Basis,
    BSpline,
    ConvergenceWarning,
    DecoupledFunction,
    Polynomial,
    Samples,
    decouple,
    relative_error,
)
from unbraid.cases import random_network, random_polynomial, random_ridges, toy_polynomial
from unbraid.sampling import uniform
from unbraid.solvers._factors import disagreement

FRESH = 2000


class Row:
    """Errors on fresh points and seconds, over draws."""

    def __init__(self) -> None:
        self.errors: list[float] = []
        self.seconds: list[float] = []
        self.notes: list[float] = []

    def print(self, name: str, note: str = "") -> None:
        e, s = np.array(self.errors), np.array(self.seconds)
        print(
            f"{name:44} {e.min():9.1e} {np.median(e):9.1e} {e.max():9.1e} "
            f"{np.median(s):8.2f} s {max(s):7.2f} s  {note}",
            flush=True,
        )


def draws(
    make: Callable[[np.random.Generator], Callable[..., np.ndarray]],
    n_inputs: int,
    n_points: int,
    half: float,
    seeds: range,
) -> Iterator[tuple[Callable[..., np.ndarray], Samples, np.ndarray]]:
    """A function, samples of it, and fresh points, seed by seed."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        f = make(rng)
        box = [-half] * n_inputs, [half] * n_inputs
        points, fresh = uniform(n_points, *box, rng), uniform(FRESH, *box, rng)
        yield f, Samples(points, f(points), f.jacobian(points)), fresh


def timed(samples: Samples, **options: object) -> tuple[DecoupledFunction, float]:
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        d = decouple(samples, random_state=0, **options)  # type: ignore[arg-type]
    return d, time.perf_counter() - began


def table(problem: Iterator[object], n_branches: object, basis: Basis | str) -> Row:
    """Mean error over the outputs on fresh points; the number of branches, or the angle of V."""
    row = Row()
    for f, samples, fresh in problem:  # type: ignore[misc]
        d, seconds = timed(samples, n_branches=n_branches, basis=basis)
        row.errors.append(float(relative_error(f(fresh), d(fresh)).mean()))
        row.seconds.append(seconds)
        known = hasattr(f, "V") and d.n_branches == f.V.shape[1]
        angle = disagreement(d, f) if known else np.nan
        row.notes.append(d.n_branches if n_branches == "auto" else angle)
    return row


def main(first: int = 0) -> None:
    """All tables; seeds count from ``first``."""
    many, few = range(first, first + 20), range(first, first + 5)
    print("Error on fresh points in %, mean of the outputs: least, median, most; seconds a call")

    def toy(n_points: int = 100):  # type: ignore[no-untyped-def]
        return draws(lambda _: toy_polynomial(), 2, n_points, 1.5, many)

    table(toy(), 1, Polynomial(3))  # warm up
    for r in (3, 4):
        table(toy(), r, Polynomial(3)).print(f"toy problem, 20 draws, r = {r}, cubic")
    row = table(toy(), "auto", "auto")
    row.print("toy problem, r and basis found", f"r = 3 on {row.notes.count(3)} of 20")

    def reduction():  # type: ignore[no-untyped-def]
        return draws(lambda rng: random_polynomial(random_state=rng), 5, 200, 1.5, many)

    table(reduction(), 3, Polynomial(5)).print("polynomial reduction, 20 functions, r = 3")
    for basis, said in ((Polynomial(5), "degree 5"), ("auto", "basis found")):
        row = table(reduction(), "auto", basis)
        row.print(f"polynomial reduction, r found, {said}", f"r = 3 on {row.notes.count(3)} of 20")
    ridges = draws(lambda rng: random_ridges(random_state=rng), 4, 500, 1.0, many)
    row = table(ridges, 3, "auto")
    row.print(
        "tanh, sin, exp, atan, 20 functions, r = 3",
        f"angle of V: median {np.median(row.notes):.0e}, most {max(row.notes):.0e} rad",
    )
    for r in (3, 6, 10):
        networks = draws(lambda rng: random_network(random_state=rng), 2, 1000, 1.5, few)
        table(networks, r, BSpline(16)).print(f"network 2-15-10-10-5-2, 5 networks, r = {r}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
