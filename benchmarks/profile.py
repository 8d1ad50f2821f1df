"""``make profile``: where the time goes, for the calls that users wait for.

Each workload runs in a process and on one thread, once timed and once under Python's profiler; the
functions that took most of the time are printed, with the number of their calls. With ``--against
FOLDER`` (another checkout of this project) times and errors on both sources are compared.
"""

from __future__ import annotations

import argparse
import cProfile
import ctypes
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unbraid
from unbraid import BSpline, Polynomial, Samples, cases
from unbraid.cases import random_network, random_ridges

ROOT = Path(__file__).resolve().parents[1]
NARX_STEPS = 20
Work = Callable[[], Any]
Accuracy = Callable[[Any], float]
Workload = tuple[Work, Accuracy]


def held_out(d: Any) -> float:
    return float(d.held_out_error.mean())


def friedman(n_rows: int) -> Workload:
    """Default regressor on Friedman's first function with noise; error against the truth."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n_rows, noise=1.0, random_state=0)
    fresh, truth = make_friedman1(4000, noise=0.0, random_state=1)

    def error(model: Any) -> float:
        return float(unbraid.relative_error(truth, model.predict(fresh)).mean())

    return lambda: unbraid.DecoupledRegressor(random_state=0).fit(X, y), error


def estimator_checks() -> Workload:
    from sklearn.utils.estimator_checks import check_estimator

    return lambda: check_estimator(unbraid.DecoupledRegressor()), lambda _: float("nan")


def trained_network() -> Workload:
    """Five inputs, two outputs, two hidden layers of 40, trained on a smooth function of them."""
    from sklearn.neural_network import MLPRegressor

    rng = np.random.default_rng(0)
    points = rng.uniform(-1.5, 1.5, (2000, 5))
    a, b, c, d, e = points.T
    values = np.column_stack([np.tanh(a + b) + 0.3 * c**2, np.sin(d - a) + 0.5 * b * e])
    network = MLPRegressor(
        hidden_layer_sizes=(40, 40), activation="tanh", random_state=0, max_iter=300
    )
    network.fit(points, values)
    chosen = points[:1000]
    return lambda: unbraid.decouple(
        network.predict, chosen, n_branches="auto", random_state=0
    ), held_out


def fixed(f: Any, n_points: int, n_inputs: int, half: float, r: int, basis: Any) -> Workload:
    """``decouple`` with a given number of branches."""
    points = np.random.default_rng(1).uniform(-half, half, (n_points, n_inputs))
    samples = Samples(points, f(points), f.jacobian(points))
    return (
        lambda: unbraid.decouple(samples, n_branches=r, basis=basis, random_state=0),
        held_out,
    )


def ridges(n_points: int, m: int, n: int, r: int) -> Workload:
    f = random_ridges(m, n, r, np.random.default_rng(0))
    f.V /= np.linalg.norm(f.V, axis=0)
    return fixed(f, n_points, m, 1.0, r, "auto")


def network() -> Workload:
    f = random_network(random_state=np.random.default_rng(0))
    return fixed(f, 1000, 2, 1.5, 10, BSpline(16))


def toy() -> Workload:
    work, error = fixed(cases.toy_polynomial(), 100, 2, 1.5, 3, Polynomial(3))
    work()  # what is loaded late is loaded
    return work, error


def narx_refinement() -> Workload:
    """Five cubic branches on the Silverbox record where it is, else on its simulated twin.

    The number of steps is fixed: rounding decides which of several starts is found, and these need
    20 to 100 steps.
    """
    from unbraid.narx import fit_polynomial_narx

    folder = Path(os.environ.get("UNBRAID_DATA", ROOT.parent / "shared" / "data"))
    path = folder / "silverbox.npz"
    data = cases.silverbox(path) if path.exists() else cases.duffing(random_state=0)
    reference = fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 3)
    start = reference.decouple(5, basis=Polynomial(3), random_state=0)
    return (
        lambda: start.refine(*data.train, max_iterations=NARX_STEPS),
        lambda model: float(model.score(*data.test, initial=50).percent),
    )


def state_space() -> Workload:
    from unbraid.statespace import identify

    data = cases.duffing(random_state=0)
    return (
        lambda: identify(*data.train, n_states=2, n_branches=1, random_state=0),
        lambda model: float(model.score(*data.test, initial=50).percent),
    )


def evaluation() -> Workload:
    """Values at 100,000 points, ten branches of splines; twenty times."""
    f = random_network(random_state=np.random.default_rng(0))
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (1000, 2))
    samples = Samples(points, f(points), f.jacobian(points))
    d = unbraid.decouple(samples, n_branches=10, basis=BSpline(16), random_state=0)
    many = np.random.default_rng(2).uniform(-1.5, 1.5, (100_000, 2))

    def error(_: object) -> float:
        return float(unbraid.relative_error(f(many), d(many)).mean())

    return lambda: [d(many) for _ in range(20)], error


def exported() -> Workload:
    """The same function as C, called for the same points, as often."""
    from unbraid import export

    f = random_network(random_state=np.random.default_rng(0))
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (1000, 2))
    samples = Samples(points, f(points), f.jacobian(points))
    d = unbraid.decouple(samples, n_branches=10, basis=BSpline(16), random_state=0)
    many = np.random.default_rng(2).uniform(-1.5, 1.5, (100_000, 2))
    loop = (
        "\nvoid many(long count, const double *p, double *f) {\n"
        "  for (long k = 0; k < count; k++) decoupled(p + 2 * k, f + 2 * k);\n}\n"
    )
    folder = Path(tempfile.mkdtemp())
    (folder / "d.c").write_text(export.to_c(d) + loop)
    command = ["gcc", "-O2", "-shared", "-fPIC", "-o", "d.so", "d.c", "-lm"]
    subprocess.run(command, check=True, cwd=folder)
    call = ctypes.CDLL(str(folder / "d.so")).many
    call.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    values = np.empty((len(many), 2))

    def work() -> None:
        for _ in range(20):
            call(len(many), many.ctypes.data, values.ctypes.data)

    return work, lambda _: float(unbraid.relative_error(f(many), values).mean())


WORKLOADS: dict[str, Callable[[], Workload]] = {
    "regressor, 500 x 10": lambda: friedman(500),
    "regressor, 20,000 x 10": lambda: friedman(20_000),
    "trained network, r found": trained_network,
    "network 2-15-10-10-5-2, r = 10": network,
    "m = n = 6, r = 30": lambda: ridges(2000, 6, 6, 30),
    "m = 784, n = 10, r = 30": lambda: ridges(2000, 784, 10, 30),
    "NARX refinement, r = 5": narx_refinement,
    "state space, 2 states": state_space,
    "toy problem, r = 3": toy,
    "a million points, r = 3": lambda: ridges(1_000_000, 5, 2, 3),
    "100,000 points, 20 times": evaluation,
    "the same in C": exported,
    "check_estimator": estimator_checks,
}


def measure(name: str, profiled: bool) -> dict[str, Any]:
    """Seconds, seconds of the processors, accuracy; where asked, calls and where they go."""
    warnings.simplefilter("ignore")
    work, accuracy = WORKLOADS[name]()
    began, used = time.perf_counter(), time.process_time()
    result = work()
    found: dict[str, Any] = {
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - used,
        "error": accuracy(result),
    }
    if profiled:
        profile = cProfile.Profile()
        profile.runcall(work)
        stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
        found["calls"] = int(sum(row[1] for row in stats.values()))
        rows = [(own, calls, where) for where, (_, calls, own, _, _) in stats.items()]
        rows.sort(reverse=True)
        found["most"] = [
            (f"{Path(file).name}:{line} {function}" if line else function, calls, own)
            for own, calls, (file, line, function) in rows[:5]
        ]
    return found


def run(name: str, source: Path = ROOT, profiled: bool = False) -> dict[str, Any] | None:
    """``measure`` in a fresh process, on the source of one checkout; None where it cannot."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{source / 'src'}{os.pathsep}{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "benchmarks.profile", "--measure", name]
    command += ["--profiled"] if profiled else []
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode:
        return None
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def best_of(name: str, source: Path, repeats: int) -> dict[str, Any] | None:
    """The quickest of several runs."""
    found = [each for _ in range(repeats) if (each := run(name, source)) is not None]
    return min(found, key=lambda each: each["processor"], default=None)


def print_comparison(names: list[str], other: Path, repeats: int) -> None:
    """Seconds of the processor on two sources, turn by turn, and their ratio."""
    print("| call | before, s | now, s | ratio | error before, % | error now, % |")
    print("|---|---|---|---|---|---|")
    for name in names:
        before, now = (best_of(name, source, repeats) for source in (other, ROOT))
        assert now is not None, name
        cells = ["", f"{now['processor']:.3g}", "", "", f"{now['error']:.3g}"]
        if before is not None:
            cells[0] = f"{before['processor']:.3g}"
            cells[2] = f"{before['processor'] / now['processor']:.2g}"
            cells[3] = f"{before['error']:.3g}"
        print(f"| {name} | {' | '.join(cells)} |".replace("nan", ""), flush=True)


def print_profile(names: list[str], source: Path) -> None:
    """Seconds of each workload, and the functions that took most of them."""
    for name in names:
        found = run(name, source, profiled=True)
        if found is None:
            print(f"{name}: cannot run\n", flush=True)
            continue
        print(f"{name}: {found['processor']:.3g} s, {found['calls']:,} calls")
        for where, calls, own in found["most"]:
            print(f"  {own:8.2f} s {calls:10,}  {where}")
        print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="a part of its name")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="compare with a checkout")
    parser.add_argument("--source", type=Path, default=ROOT, help="checkout that is profiled")
    parser.add_argument("--repeats", type=int, default=1, help="of a comparison")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--profiled", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.profiled)))
        return
    chosen = [part.lower() for part in options.workloads]
    names = [
        name for name in WORKLOADS if not chosen or any(part in name.lower() for part in chosen)
    ]
    if options.against:
        print_comparison(names, options.against.resolve(), options.repeats)
    else:
        print_profile(names, options.source.resolve())


if __name__ == "__main__":
    main()
