"""``make bench-check``: is anything slower or less accurate than in the committed table?

Only ratios are compared, of times taken in the same minute, so that the speed of the machine
cancels. The yardstick of time is one iteration of the paper as written; that of error is a plane
through the values.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import dense, profile
from benchmarks.problems import SYNTHETIC, Task
from benchmarks.tables import check_table, times
from unbraid import DecoupledFunction, decouple, relative_error
from unbraid.solvers._problem import make_problem
from unbraid.solvers.filtered._als import FilterObjective, make_first_state
from unbraid.solvers.filtered._filters import Filter
from unbraid.solvers.filtered._v_updates import V_UPDATES

COMMITTED = Path(__file__).with_name("committed.json")
FACTOR = 1.5
FLOOR = 1e-6  # %: below this an error is rounding
CALLS = {  # method, problem, r: draws
    ("varpro", "toy", 2): 5,
    ("varpro", "toy", 3): 15,
    ("varpro", "reduction", 3): 9,
    ("varpro", "network", 3): 5,
    ("implicit", "toy", 3): 5,
    ("explicit", "toy", 3): 3,
    ("cpd", "toy", 3): 7,
}
WAITS = (  # workloads of ``make profile``
    "regressor, 500 x 10",
    "trained network, r found",
    "network 2-15-10-10-5-2, r = 10",
    "m = n = 6, r = 30",
    "m = 784, n = 10, r = 30",
    "NARX refinement, r = 5",
    "state space, 2 states",
    "a million points, r = 3",
)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def dense_iteration(task: Task) -> Callable[[], object]:
    """One iteration as written (relaxed V) from a random start, r = 3."""
    s, rng = task.samples, np.random.default_rng(0)
    J = s.jacobians.transpose(1, 2, 0)
    W, V = rng.standard_normal((s.n_outputs, 3)), rng.standard_normal((s.n_inputs, 3))
    V /= np.linalg.norm(V, axis=0)
    G = dense.g_update(J, s.points, W, V)
    return lambda: dense.iteration(J, s.points, W, V, G, "relaxed")


def plane_error(task: Task) -> float:
    """Held-out error of a linear fit to the values, in %."""
    s = task.samples
    with_one = np.column_stack([s.points, np.ones(s.n_points)])
    plane = np.linalg.lstsq(with_one, s.values, rcond=None)[0]
    fresh = np.column_stack([task.fresh, np.ones(len(task.fresh))])
    return float(relative_error(task.truth, fresh @ plane).mean())


def call(task: Task, method: str) -> DecoupledFunction:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return decouple(
            task.samples, n_branches=task.n_branches, method=method, basis=task.basis,
            random_state=task.seed,
        )  # fmt: skip


def whole_calls(method: str, problem: str, r: int, draws: int) -> tuple[float, float]:
    """Time of the yardstick over ours, and error of the plane over ours: medians."""
    faster, closer = [], []
    for seed in range(draws):
        task = SYNTHETIC[problem].draw(r, seed, 0.0, method)
        dense_time = dense_iteration_time()
        began = time.perf_counter()
        d = call(task, method)
        faster.append(dense_time / (time.perf_counter() - began))
        error = float(relative_error(task.truth, d(task.fresh)).mean())
        closer.append(plane_error(task) / max(error, FLOOR))
    return float(np.median(faster)), float(np.median(closer))


def one_iteration(n_points: int) -> float:
    """The same iteration (W, relaxed V, G), dense over ours."""
    task = replace(SYNTHETIC["toy"], n_points=n_points).draw(3, 0, 0.0, "")
    objective = FilterObjective((Filter("left"), Filter("right")))
    problem = make_problem(task.samples, 3)
    rng = np.random.default_rng(0)
    state = make_first_state(
        problem, objective, rng.standard_normal((2, 3)), rng.standard_normal((2, 3))
    )
    written, ratios = dense_iteration(task), []
    for _ in range(3):
        slow = seconds(written)
        fast = [seconds(lambda: V_UPDATES["relaxed"](problem, objective, state)) for _ in range(9)]
        ratios.append(slow / np.median(fast))
    return float(np.median(ratios))


def dense_iteration_time() -> float:
    yardstick = dense_iteration(SYNTHETIC["toy"].draw(3, 0, 0.0, ""))
    return float(np.median([seconds(yardstick) for _ in range(3)]))


def evaluation_over_c() -> float:
    ours, in_c = (profile.run(name) for name in ("100,000 points, 20 times", "the same in C"))
    return float("nan") if ours is None or in_c is None else in_c["processor"] / ours["processor"]


def measured() -> dict[str, float]:
    """Every ratio; more is better."""
    found = {}
    call(SYNTHETIC["toy"].draw(3, 0, 0.0, ""), "varpro")  # what is loaded late is loaded
    for (method, problem, r), draws in CALLS.items():
        name = f"{method}, {problem}, r = {r}"
        faster, closer = whole_calls(method, problem, r, draws)
        found[f"{name}: time of 200 dense iterations over ours"] = 200 * faster
        found[f"{name}: error of a plane over ours"] = closer
    for name in WAITS:
        dense_time = dense_iteration_time()
        work = profile.run(name)
        found[f"{name}: time of 200 dense iterations over ours"] = (
            float("nan") if work is None else 200 * dense_time / work["processor"]
        )
    found["100,000 points: time of the C export over ours"] = evaluation_over_c()
    for n_points in (100, 400):
        found[f"one iteration, N = {n_points}: dense over ours"] = one_iteration(n_points)
    return found


def complaints(now: dict[str, float], committed: dict[str, float]) -> dict[str, str]:
    """By name, what fell by more than the factor, or is no longer there."""
    found = {}
    for name, before in committed.items():
        if name not in now:
            found[name] = f"{name}: was {times(before)}, is no longer measured"
        elif not now[name] * FACTOR >= before:  # also where it is not a number
            found[name] = f"{name}: was {times(before)}, is {times(now[name])}"
    return found


def better_of(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    """A busy machine can spoil one measurement; a real loss spoils both."""
    return {name: max(value, second.get(name, value)) for name, value in first.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="commit the ratios of this machine")
    write = parser.parse_args().write
    if not COMMITTED.exists():
        print(f"there is no {COMMITTED.name} to compare with: make bench writes it")
        return 1
    table = json.loads(COMMITTED.read_text())
    now, committed = measured(), table["check"]
    if write:
        COMMITTED.write_text(json.dumps({**table, "check": now}, indent=1) + "\n")
        print("\n".join(check_table(now)))
        return 0
    if complaints(now, committed):
        print("some ratios fell: measuring once more\n")
        now = better_of(now, measured())
    print("\n".join(check_table(now)))
    found = complaints(now, committed)
    for text in found.values():
        print(f"FELL by more than {FACTOR}: {text}")
    if not found:
        print(f"\nno ratio fell by more than a factor {FACTOR}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
