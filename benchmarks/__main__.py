"""``make bench``: against the paper as written, and growth with N, r and m."""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.reference import paper

from benchmarks import scale
from unbraid import Polynomial, decouple
from unbraid.cases import toy_samples
from unbraid.filters import Filter
from unbraid.solvers.als import Objective, start
from unbraid.solvers.problem import make_problem
from unbraid.solvers.vsteps import STEPS

R = 3
PAPERS_ITERATIONS = 200
OBJECTIVE = Objective((Filter("left"), Filter("right")))


def best_time(work: Callable[[], object], repeats: int) -> float:
    """Shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def ours(n_points: int, v_update: str) -> tuple[Callable[[], object], int]:
    """One iteration from a settled state, and the bytes of the samples."""
    samples = toy_samples(n_points, random_state=0)
    problem = make_problem(samples, R)
    rng = np.random.default_rng(0)
    state = start(problem, OBJECTIVE, rng.standard_normal((2, R)), rng.standard_normal((2, R)))
    for _ in range(3):
        state = STEPS["relaxed"](problem, OBJECTIVE, state)
    size = samples.points.nbytes + samples.values.nbytes + samples.jacobians.nbytes
    return (lambda: STEPS[v_update](problem, OBJECTIVE, state)), size


def oracle(n_points: int) -> Callable[[], object]:
    """The same iteration (W, relaxed V, G) with dense filters and pseudoinverses."""
    samples = toy_samples(n_points, random_state=0)
    J = samples.jacobians.transpose(1, 2, 0)
    rng = np.random.default_rng(0)
    W, V = rng.standard_normal((2, R)), rng.standard_normal((2, R))
    V = V / np.linalg.norm(V, axis=0)
    G = paper.implicit_g_update(J, samples.points, W, V, ("left", "right"))
    return lambda: paper.implicit_iteration(J, samples.points, W, V, G)


def peak_memory(work: Callable[[], object]) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def against_oracle() -> None:
    print(
        f"\nOne ALS iteration (W, relaxed V, G), toy problem, r = {R}, against the paper as written"
    )
    print(f"{'N':>7} {'as written':>12} {'ours':>12} {'ratio':>8}")
    for n_points in (100, 200, 400):
        dense = best_time(oracle(n_points), 2)
        fast = best_time(ours(n_points, "relaxed")[0], 20)
        print(f"{n_points:7d} {dense:10.4f} s {fast:10.5f} s {dense / fast:7.0f}x", flush=True)


def growth() -> None:
    for v_update in ("function", "relaxed"):
        default = ", the default" if v_update == "function" else ""
        print(f"\nOurs alone, {v_update} V-update{default}, r = {R}; memory beyond the samples")
        print(f"{'N':>7} {'seconds':>10} {'growth':>8} {'peak':>10} {'peak/samples':>13}")
        before = None
        for n_points in (1_000, 10_000, 100_000):
            work, size = ours(n_points, v_update)
            seconds = best_time(work, 7)
            peak = peak_memory(work)
            ratio = "" if before is None else f"{seconds / before:.1f}x"
            print(
                f"{n_points:7d} {seconds:10.4f} {ratio:>8} {peak / 1e6:7.1f} MB "
                f"{peak / size:12.1f}x",
                flush=True,
            )
            before = seconds


def whole_runs() -> None:
    """The default method and one start of the published one, dense, on the toy problem."""
    print(f"\nThe toy problem, N = 100, r = {R}, cubic branches: whole runs, errors in %")
    samples = toy_samples(100, random_state=0)
    decouple(samples, n_branches=R, basis=Polynomial(3), random_state=0)  # warm up
    seconds, errors = [], []
    for seed in range(20):
        draw = toy_samples(100, random_state=seed)
        began = time.perf_counter()
        d = decouple(draw, n_branches=R, basis=Polynomial(3))
        seconds.append(time.perf_counter() - began)
        assert d.fitted_error is not None
        errors.append(d.fitted_error.max())
    fast = float(np.median(seconds))
    print(f"varpro, all starts, median of 20 draws {fast:9.3f} s, worst error {max(errors):.0e}")
    J = samples.jacobians.transpose(1, 2, 0)
    rng = np.random.default_rng(0)
    W, V = rng.standard_normal((2, R)), rng.standard_normal((2, R))
    V = V / np.linalg.norm(V, axis=0)
    G = paper.implicit_g_update(J, samples.points, W, V, ("left", "right"))
    began = time.perf_counter()
    for _ in range(PAPERS_ITERATIONS):
        W, V, G = paper.implicit_iteration(J, samples.points, W, V, G)
    dense = time.perf_counter() - began
    print(
        f"implicit as written, one start, {PAPERS_ITERATIONS} iterations {dense:7.1f} s: "
        f"{dense / fast:.0f} times as long"
    )


if __name__ == "__main__":
    against_oracle()
    growth()
    whole_runs()
    scale.main()
