"""Results of about forty calls, recorded once and compared after a change that must keep them.

``python tests/digests.py record FILE`` writes them, ``python tests/digests.py compare FILE`` prints
what differs by more than rounding does. The numbers are those of one machine: record before the
change, compare after it, on the same machine and with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import unbraid
from unbraid import BSpline, Polynomial, Samples, decouple, export
from unbraid.cases import (
    duffing,
    network_samples,
    random_ridges,
    reduction_samples,
    toy_samples,
)
from unbraid.narx import fit_polynomial_narx
from unbraid.sampling import uniform

RELATIVE, ABSOLUTE = 1e-6, 1e-9  # differences that count
FLOOR = 1e-6  # %: errors below it are rounding
CALLS: dict[str, Callable[[], Any]] = {}


def call(name: str, function: Callable[[], Any]) -> None:
    CALLS[name] = function


def summary(d: unbraid.DecoupledFunction) -> dict[str, Any]:
    """What a function is, in numbers."""
    points = np.random.default_rng(5).uniform(-0.8, 0.8, (5, d.n_inputs))
    errors = {"fitted": d.fitted_error, "held out": d.held_out_error}
    return {
        "n_branches": d.n_branches,
        "n_parameters": d.n_parameters,
        "basis": [repr(getattr(branch.curve, "basis", None)) for branch in d.branches],
        "V": np.abs(d.V).tolist(),
        "values": d(points).tolist(),
        "far": d(10 * points).tolist(),
        "slopes": d.jacobian(points).ravel().tolist(),
        **{
            name: [e if e > FLOOR else 0.0 for e in np.atleast_1d(error).tolist()]
            for name, error in errors.items()
            if error is not None
        },
    }


def noisy(samples: Samples, size: float, seed: int) -> Samples:
    rng = np.random.default_rng(seed)
    values = samples.values + size * samples.values.std() * rng.standard_normal(
        samples.values.shape
    )
    return Samples(samples.points, values, samples.jacobians)


def ridge(seed: int, n_points: int, n: int, m: int, r: int) -> Samples:
    rng = np.random.default_rng(seed)
    f = random_ridges(m, n, r, rng)
    return unbraid.sample(f, rng.uniform(-1, 1, (n_points, m)))


def kinked(p: np.ndarray) -> np.ndarray:
    return np.abs(p[:, 0] + p[:, 1]) + p[:, 2]


def coupled(p: np.ndarray) -> np.ndarray:
    return np.sin(3 * p[:, 0] * p[:, 1]) + p[:, 2] ** 2


CUBE = uniform(120, [-1] * 3, [1] * 3, random_state=2)
SOME = {"random_state": 0}
for name in ("varpro", "implicit", "explicit", "cpd"):
    for r in (1, 2, 3, 4):
        options = {"basis": Polynomial(3), "method": name, "n_branches": r, **SOME}
        call(f"toy {name} {r}", lambda o=options: summary(decouple(toy_samples(60, 1), **o)))
call("toy auto", lambda: summary(decouple(toy_samples(100, 2), n_branches="auto", **SOME)))
call(
    "toy noise",
    lambda: summary(decouple(noisy(toy_samples(100, 3), 0.02, 0), n_branches=3, **SOME)),
)
call(
    "toy no basis", lambda: summary(decouple(toy_samples(50, 3), n_branches=2, basis=None, **SOME))
)
call(
    "toy far",
    lambda: summary(
        decouple(toy_samples(60, 3), n_branches=3, extrapolate="basis", basis=Polynomial(3), **SOME)
    ),
)
call("reduction", lambda: summary(decouple(reduction_samples(200, 4), n_branches=3, **SOME)))
call(
    "reduction auto",
    lambda: summary(decouple(reduction_samples(200, 4), n_branches="auto", **SOME)),
)
call("network 3", lambda: summary(decouple(network_samples(200, 5), n_branches=3, **SOME)))
call(
    "network 5",
    lambda: summary(decouple(network_samples(200, 5), n_branches=5, basis=BSpline(10), **SOME)),
)
call("ridges 3", lambda: summary(decouple(ridge(6, 300, 2, 4, 3), n_branches=3, **SOME)))
call("ridges one output", lambda: summary(decouple(ridge(7, 200, 1, 5, 2), n_branches=2, **SOME)))
call(
    "ridges noise",
    lambda: summary(decouple(noisy(ridge(8, 200, 2, 3, 2), 0.05, 1), n_branches=2, **SOME)),
)
call("ridges wide", lambda: summary(decouple(ridge(9, 80, 3, 8, 2), n_branches=2, **SOME)))
call("ridges large", lambda: summary(decouple(ridge(9, 5000, 2, 3, 2), n_branches=2, **SOME)))
call(
    "values only",
    lambda: summary(decouple(ridge(10, 200, 1, 3, 1), n_branches=1, jacobian_weight=0, **SOME)),
)
call("kinks", lambda: summary(decouple(kinked, CUBE, n_branches=2, **SOME)))
call(
    "hardly decouples",
    lambda: summary(decouple(coupled, CUBE, n_branches="auto", max_branches=4, **SOME)),
)
call(
    "units",
    lambda: summary(
        decouple(
            lambda p: 1e6 * np.tanh(p @ [1e3, 2.0, 0.0]),
            CUBE * [1e-3, 1, 1e6],
            n_branches=1,
            **SOME,
        )
    ),
)
call(
    "refine",
    lambda: summary(
        unbraid.refine(
            decouple(
                toy_samples(80, 7),
                n_branches=2,
                method="implicit",
                n_starts=2,
                basis=Polynomial(3),
                **SOME,
            ),
            toy_samples(80, 7),
        )
    ),
)


def narx() -> dict[str, Any]:
    data = duffing(1024, 512, random_state=0)
    model = fit_polynomial_narx(*data.train, input_lags=(0, 1), output_lags=(1, 2), degree=3)
    rough = model.decouple(n_branches=2, random_state=0)
    tuned = rough.refine(*data.train)
    found = {}
    for name, one in (("coupled", model), ("rough", rough), ("tuned", tuned)):
        found[name] = one.simulate(data.test[0], data.test[1][:50]).ravel()[::37].tolist()
    return {**found, "V": np.abs(tuned.function.V).tolist()}


def regression() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (80, 3))
    y = np.tanh(X[:, 0] + 2 * X[:, 1]) + 0.3 * X[:, 2] ** 2 + 0.05 * rng.standard_normal(80)
    found = {}
    for r in (1, "auto"):
        model = unbraid.DecoupledRegressor(n_branches=r, random_state=0).fit(X, y)
        found[str(r)] = model.predict(X[:7]).tolist()
    return found


def scan() -> dict[str, Any]:
    found = unbraid.scan(
        toy_samples(60, 0),
        n_branches=[1, 2, 3],
        method=["varpro", "cpd"],
        degree=[2, 3],
        progress=False,
    )
    rows = [[row.label, row.n_parameters, max(row.error or 0.0, FLOOR)] for row in found.rows]
    return {
        "rows": rows,
        "best": found.best_row().index,
        "front": [row.index for row in found.pareto()],
    }


def exports() -> dict[str, Any]:
    d = decouple(ridge(6, 200, 2, 3, 2), n_branches=2, basis=BSpline(8), **SOME)
    texts = {"c": export.to_c(d), "matlab": export.to_matlab(d), "latex": export.to_latex(d)}
    return {
        name: [float(x) for x in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)]
        for name, text in texts.items()
    }


def files() -> dict[str, Any]:
    d = decouple(ridge(6, 200, 2, 3, 2), n_branches=2, basis=BSpline(8), **SOME)
    with TemporaryDirectory() as folder:
        return summary(unbraid.load(d.save(Path(folder) / "d.json")))


def description() -> dict[str, Any]:
    d = decouple(two_terms, CUBE, n_branches=2, **SOME)
    found = d.describe(names=["speed", "load", "angle"], outputs=["force"])
    return {"shares": [np.atleast_1d(part.shares["force"]).tolist() for part in found.directions]}


def two_terms(p: np.ndarray) -> np.ndarray:
    return np.tanh(p[:, 0] + 0.5 * p[:, 1]) + 0.3 * p[:, 2] ** 2


for function in (narx, regression, scan, exports, files, description):
    call(function.__name__, function)


def run() -> dict[str, Any]:
    found = {}
    for name, function in CALLS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function()
        kinds = sorted({w.category.__name__ for w in caught if issubclass(w.category, UserWarning)})
        found[name] = {"result": result, "warnings": kinds}
        sys.stderr.write(f"{name}\n")
    return json.loads(json.dumps(found))


def differences(old: Any, new: Any, where: str) -> list[str]:
    """Where two results differ by more than rounding."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [line for key in old for line in differences(old[key], new[key], f"{where} / {key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for k, (a, b) in pairs for line in differences(a, b, f"{where}[{k}]")]
    if isinstance(old, float) and isinstance(new, float):
        same = abs(old - new) <= RELATIVE * abs(old) + ABSOLUTE or old != old != new
    else:
        same = old == new
    return [] if same else [f"{where}: {old!r} is now {new!r}"]


def main(command: str, path: Path) -> int:
    found = run()
    if command == "record":
        path.write_text(json.dumps(found), encoding="utf-8")
        return 0
    lines = differences(json.loads(path.read_text(encoding="utf-8")), found, "")
    sys.stdout.write("\n".join(lines[:40]) + f"\n{len(lines)} differences in {len(found)} calls\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
