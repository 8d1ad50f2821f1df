"""Once around the product, as a script: whatever the machine is like, it prints the same."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import unbraid
from unbraid import export
from unbraid.cases import duffing, toy_samples
from unbraid.narx import fit_polynomial_narx

POINTS = unbraid.sampling.uniform(20, [-1.0, -1.0], [1.0, 1.0], random_state=1)


def digest(*parts: object) -> str:
    """Of arrays by their bits, of texts by their letters."""
    found = hashlib.sha256()
    for part in parts:
        array = isinstance(part, np.ndarray)
        found.update(np.ascontiguousarray(part).tobytes() if array else str(part).encode())
    return found.hexdigest()


def seen(d: unbraid.DecoupledFunction, points: np.ndarray = POINTS) -> str:
    """All that a person can see of a decoupled function."""
    text = export.to_c(d), export.to_latex(d), d.describe().words
    return digest(d(points), d.jacobian(points), d.W, d.V, *text)


def toy() -> unbraid.DecoupledFunction:
    return unbraid.decouple(toy_samples(100, random_state=0), n_branches=3, random_state=0)


def network() -> unbraid.DecoupledFunction:
    """Branches that are no polynomials, and the paper's method."""
    a, b = np.random.default_rng(0).normal(size=(2, 2, 6))
    return unbraid.decouple(
        lambda p: np.tanh(p @ a) @ b.T,
        unbraid.sampling.uniform(80, [-1.0, -1.0], [1.0, 1.0], random_state=0),
        n_branches=2,
        method="implicit",
        n_starts=2,
        max_iterations=10,
        random_state=0,
    )


def dynamic() -> str:
    data = duffing(1024, 256, random_state=0)
    lags = {"input_lags": (0, 1), "output_lags": (1, 2), "degree": 3}
    model = fit_polynomial_narx(*data.train, **lags)
    tuned = model.decouple(n_branches=1, random_state=0).refine(*data.train)
    return digest(tuned.simulate(data.test[0], data.test[1][:50]), tuned.function.V)


def regressor() -> str:
    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    model = unbraid.DecoupledRegressor(n_branches=1, random_state=0)
    return digest(model.fit(X, np.tanh(X[:, 0] + 2 * X[:, 1])).predict(X))


def scan(n_jobs: int = 1, store: Path | None = None) -> str:
    samples = toy_samples(60, random_state=0)
    found = unbraid.scan(
        samples, n_branches=[1, 2], degree=3, n_jobs=n_jobs, store=store, progress=False
    )
    return digest(*(seen(row.model) for row in found), [row.held_out_errors for row in found])


def files(d: unbraid.DecoupledFunction, folder: Path) -> str:
    """What is written and read again; all text is UTF-8."""
    named = d.named(["Größe λ", "b"], ["κ", "f"])
    read = unbraid.load(named.save(folder / "model.json"))
    page = unbraid.report(read, folder / "model.html", title="Größe λ")
    assert "Größe λ" in page.read_text(encoding="utf-8")
    return digest(seen(read), read.input_names, (folder / "model.json").read_text("utf-8"))


def commands(folder: Path) -> str:
    """The command line, in this process."""
    from unbraid.cli import main

    model = str(folder / "model.json")
    codes = [
        main(["show", model]),
        main(["show", model, "--json"]),
        main(["report", model, "-o", str(folder / "again.html")]),
        main(["export", model, "--to", "latex", "-o", str(folder / "model.tex")]),
        main(["show", str(folder / "no-such-file.json")]),
    ]
    return digest(codes == [0, 0, 0, 0, 2], (folder / "model.tex").read_text("utf-8"))


def tour(folder: Path, whole: bool) -> dict[str, str]:
    """Every station, or those that are quick, and a digest of what came out there."""
    d = toy()
    found = {"toy": seen(d), "narx": dynamic(), "files": files(d, folder)}
    found["commands"] = commands(folder)
    if whole:
        d.plot(folder / "branches.png")
        found |= {"network": seen(network()), "regressor": regressor()}
        found |= {"scan": scan(), "stored scan": scan(store=folder / "scan.db")}
    return found


if __name__ == "__main__":
    where = Path(sys.argv[1])
    stations = tour(where, sys.argv[2:] == ["whole"])
    (where / "tour.txt").write_text(json.dumps(stations), encoding="utf-8")
