"""One iteration of the paper's method: as written against ours, and how ours grows."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from benchmarks import dense
from unbraid.cases import toy_samples
from unbraid.solvers._problem import make_problem
from unbraid.solvers.filtered._als import FilterObjective, make_first_state
from unbraid.solvers.filtered._filters import Filter
from unbraid.solvers.filtered._v_updates import V_UPDATES

R = 3
OBJECTIVE = FilterObjective((Filter("left"), Filter("right")))
Work = Callable[[], object]


def shortest(work: Work, repeats: int) -> float:
    """Of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def ours(n_points: int, v_update: str) -> tuple[Work, int]:
    """One iteration from a settled state, and the bytes of the samples."""
    samples = toy_samples(n_points, random_state=0)
    problem = make_problem(samples, R)
    rng = np.random.default_rng(0)
    state = make_first_state(
        problem, OBJECTIVE, rng.standard_normal((2, R)), rng.standard_normal((2, R))
    )
    for _ in range(3):
        state = V_UPDATES["relaxed"](problem, OBJECTIVE, state)
    size = samples.points.nbytes + samples.values.nbytes + samples.jacobians.nbytes
    return (lambda: V_UPDATES[v_update](problem, OBJECTIVE, state)), size


def as_written(n_points: int) -> Work:
    """The same iteration (W, relaxed V, G) with dense filters and pseudoinverses."""
    samples = toy_samples(n_points, random_state=0)
    J = samples.jacobians.transpose(1, 2, 0)
    rng = np.random.default_rng(0)
    W, V = rng.standard_normal((2, R)), rng.standard_normal((2, R))
    V = V / np.linalg.norm(V, axis=0)
    G = dense.g_update(J, samples.points, W, V)
    return lambda: dense.iteration(J, samples.points, W, V, G, "relaxed")


def peak_memory(work: Work) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def against_oracle() -> list[str]:
    """As lines of text."""
    lines = [
        f"One iteration (W, relaxed V, G), toy problem, r = {R}",
        f"{'N':>7} {'as written':>12} {'ours':>12} {'ratio':>8}",
    ]
    for n_points in (100, 200, 400):
        slow = shortest(as_written(n_points), 3)
        fast = shortest(ours(n_points, "relaxed")[0], 20)
        lines.append(f"{n_points:7d} {slow:10.4f} s {fast:10.5f} s {slow / fast:7.0f}x")
    return [*lines, ""]


def growth(v_update: str, largest: int) -> list[str]:
    """Likewise."""
    default = ", the default" if v_update == "function" else ""
    lines = [
        f"Ours alone, {v_update} V-update{default}, r = {R}; memory beyond the samples",
        f"{'N':>7} {'seconds':>10} {'growth':>8} {'peak':>10} {'peak/samples':>13}",
    ]
    before = None
    for n_points in (n for n in (1_000, 10_000, 100_000) if n <= largest):
        work, size = ours(n_points, v_update)
        seconds, peak = shortest(work, 5), peak_memory(work)
        ratio = "" if before is None else f"{seconds / before:.1f}x"
        lines.append(
            f"{n_points:7d} {seconds:10.4f} {ratio:>8} {peak / 1e6:7.1f} MB {peak / size:12.1f}x"
        )
        before = seconds
    return [*lines, ""]


def tables(quick: bool) -> list[str]:
    """All of it, printed as it comes."""
    lines = against_oracle()
    for v_update in ("function", "relaxed"):
        lines += growth(v_update, 10_000 if quick else 100_000)
    print("\n".join(lines), flush=True)
    return lines
