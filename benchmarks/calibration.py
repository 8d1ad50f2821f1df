"""``make calibration``: what a default call says of itself beside the truth on fresh points."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unbraid import DecoupledFunction, Samples, UnbraidError, decouple, relative_error
from unbraid.solvers._factors import disagreement

Array = NDArray[np.float64]
N_FRESH = 4000
NEGLIGIBLE_PERCENT = 1e-5  # errors below it are rounding
VALUE_NOISE, JACOBIAN_NOISE = 0.01, 0.05  # of the spread of each
OUTLIER_SHARE, OUTLIER_SIZE = 0.01, 5.0  # of the values; in units of their spread


def draw_points(kind: str, n_points: int, n_inputs: int, rng: np.random.Generator) -> Array:
    """Points of a distribution, with a spread of about 1."""
    shape = (n_points, n_inputs)
    if kind == "uniform":
        return rng.uniform(-1.7, 1.7, shape)
    if kind == "gaussian":
        return rng.normal(size=shape)
    if kind == "t":
        return 0.5 * rng.standard_t(3, size=shape)
    if kind == "lognormal":
        return np.exp(0.7 * rng.normal(size=shape)) - 1.3
    if kind == "correlated":
        return rng.normal(size=(n_points, 1)) + 0.1 * rng.normal(size=shape)
    if kind == "clustered":
        centres = np.random.default_rng(n_inputs).uniform(-1.5, 1.5, (5, n_inputs))
        return centres[rng.integers(5, size=n_points)] + 0.1 * rng.normal(size=shape)
    if kind == "lattice":
        return rng.integers(0, 6, shape) * 0.6 - 1.5
    assert kind == "mixed"
    points = rng.normal(size=shape)
    points[:, 0] = rng.integers(0, 2, n_points)
    points[:, 1] = np.round(points[:, 1])
    return points


DISTRIBUTIONS = (
    "uniform",
    "gaussian",
    "t",
    "lognormal",
    "correlated",
    "clustered",
    "lattice",
    "mixed",
)


@dataclass(frozen=True, eq=False)
class Ridges:
    """``W g(V' p)`` with known curves and their derivatives."""

    W: Array
    V: Array
    curves: tuple[Callable[[Array], Array], ...]
    slopes: tuple[Callable[[Array], Array], ...]

    def __call__(self, points: Array) -> Array:
        z = points @ self.V
        return np.column_stack([g(z[:, i]) for i, g in enumerate(self.curves)]) @ self.W.T

    def jacobian(self, points: Array) -> Array:
        z = points @ self.V
        slopes = np.column_stack([g(z[:, i]) for i, g in enumerate(self.slopes)])
        return np.einsum("oi,ki,li->kol", self.W, slopes, self.V)


CURVES: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "tanh": (np.tanh, lambda z: 1 / np.cosh(np.clip(z, -300, 300)) ** 2),
    "sin": (np.sin, np.cos),
    "wave": (lambda z: np.sin(4 * z), lambda z: 4 * np.cos(4 * z)),
    "exp": (lambda z: np.exp(0.7 * z), lambda z: 0.7 * np.exp(0.7 * z)),
    "square": (lambda z: z**2, lambda z: 2 * z),
    "cube": (lambda z: z**3, lambda z: 3 * z**2),
    "bump": (lambda z: np.exp(-(z**2)), lambda z: -2 * z * np.exp(-(z**2))),
    "atan": (lambda z: np.arctan(3 * z), lambda z: 3 / (1 + 9 * z**2)),
    "softplus": (lambda z: np.logaddexp(0, 3 * z), lambda z: 1.5 * (1 + np.tanh(1.5 * z))),
}


@dataclass(frozen=True)
class Recipe:
    """Curves of a random function, its number of outputs, and the branches to ask for."""

    curves: tuple[str, ...]
    n_outputs: int = 1
    n_branches: int | None = None
    identifiable: bool = True
    aligned: bool = False  # directions are inputs

    def draw(self, n_inputs: int, rng: np.random.Generator) -> Ridges:
        r = len(self.curves)
        V = rng.normal(size=(n_inputs, r))
        V = np.eye(n_inputs, r) if self.aligned else V
        W = rng.normal(size=(self.n_outputs, r))
        pairs = [CURVES[name] for name in self.curves]
        V, W = V / np.linalg.norm(V, axis=0), W / np.linalg.norm(W, axis=0)
        return Ridges(W, V, tuple(g for g, _ in pairs), tuple(g for _, g in pairs))


RECIPES = {
    "tanh": Recipe(("tanh",)),
    "exp": Recipe(("exp",)),
    "wave": Recipe(("wave",)),
    "softplus": Recipe(("softplus",)),
    "tanh + sin": Recipe(("tanh", "sin")),
    "atan + bump": Recipe(("atan", "bump")),
    "square, cube": Recipe(("square", "cube"), 2),
    "tanh, sin, exp": Recipe(("tanh", "sin", "exp"), 3),
    "tanh, atan of inputs": Recipe(("tanh", "atan"), aligned=True),
    "two squares": Recipe(("square", "square"), 1, None, identifiable=False),
    "five tanh as three": Recipe(("tanh",) * 5, 2, 3, identifiable=False),
}
NOISES = ("none", "values", "jacobians", "outliers")


def draw_samples(
    f: Ridges, points: Array, noise: str, rng: np.random.Generator
) -> tuple[Samples, Array]:
    """Samples with noise, and the rows of wrong values."""
    values, jacobians = f(points), f.jacobian(points)
    spread = values.std(axis=0)
    wrong = np.array([], dtype=int)
    if noise == "values":
        values = values + VALUE_NOISE * spread * rng.normal(size=values.shape)
    elif noise == "jacobians":
        size = JACOBIAN_NOISE * np.sqrt(np.mean(jacobians**2))
        jacobians = jacobians + size * rng.normal(size=jacobians.shape)
    elif noise == "outliers":
        count = max(1, round(OUTLIER_SHARE * len(points)))
        wrong = np.sort(rng.choice(len(points), count, replace=False))
        signs = rng.choice([-1.0, 1.0], size=(count, values.shape[1]))
        values[wrong] += OUTLIER_SIZE * spread * signs
    return Samples(points, values, jacobians), wrong


@dataclass(frozen=True)
class Outcome:
    """One call: errors in %, its claim on V and the truth about it, and the time."""

    true_error: float
    estimate: float
    standard_error: float
    identified: bool
    wrong_direction: bool
    outside: float
    warned: bool
    seconds: float

    @property
    def ratio(self) -> float:
        return (self.true_error + NEGLIGIBLE_PERCENT) / (self.estimate + NEGLIGIBLE_PERCENT)


def is_wrong(d: DecoupledFunction, f: Ridges) -> bool:
    """Whether V is off by more than 5 standard errors and more than 0.05 rad."""
    assert d.solution is not None
    assert d.solution.uncertainty is not None
    if d.n_branches != f.V.shape[1] or disagreement(d, f) <= 0.05:
        return d.n_branches != f.V.shape[1]
    cosine = np.abs(d.V.T @ f.V)
    for i, k in enumerate(cosine.argmax(axis=1)):
        sign = np.sign(d.V[:, i] @ f.V[:, k])
        off = np.abs(d.V[:, i] - sign * f.V[:, k])
        if np.any(off > 5 * d.solution.uncertainty.V_standard_errors[:, i]):
            return bool(np.arccos(min(cosine[i, k], 1.0)) > 0.05)
    return False


def measure(
    kind: str, recipe: Recipe, noise: str, n_points: int, n_inputs: int, seed: int
) -> Outcome:
    """Call ``decouple`` with its defaults on one draw, and compare with the truth."""
    rng = np.random.default_rng(seed)
    f = recipe.draw(n_inputs, rng)
    samples, _ = draw_samples(f, draw_points(kind, n_points, n_inputs, rng), noise, rng)
    fresh = draw_points(kind, N_FRESH, n_inputs, rng)
    expected = f(fresh)
    if noise == "values":
        size = VALUE_NOISE * f(samples.points).std(axis=0)
        expected = expected + size * rng.normal(size=expected.shape)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        d = decouple(samples, n_branches=recipe.n_branches or len(recipe.curves), random_state=seed)
    seconds = time.perf_counter() - began
    z, known = fresh @ d.V, samples.points @ d.V
    outside = np.any((z < known.min(axis=0)) | (z > known.max(axis=0)), axis=1).mean()
    error = d.fitted_error if d.held_out_error is None else d.held_out_error
    identified = bool(d.fit is not None and d.fit.identified)
    spread = d.held_out_error_se
    return Outcome(
        float(relative_error(expected, d(fresh)).mean()),
        float(np.mean(error)),
        np.nan if spread is None else float(np.mean(spread)),
        identified,
        identified and (not recipe.identifiable or is_wrong(d, f)),
        float(outside),
        bool(caught),
        seconds,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--points", type=int, nargs="*", default=[40, 100, 300, 1000])
    parser.add_argument("--noise", nargs="*", default=list(NOISES))
    parser.add_argument("--kind", nargs="*", default=list(DISTRIBUTIONS))
    parser.add_argument("--inputs", type=int, default=4)
    parser.add_argument("--each", action="store_true", help="print every draw")
    options = parser.parse_args(arguments)
    print(
        f"{'points':11} {'noise':10} {'N':>5}  true/estimate: median  90 %   most  "
        f"outside  identified  wrong  time (most)"
    )
    everything: list[Outcome] = []
    for kind in options.kind:
        for noise in options.noise:
            for n_points in options.points:
                outcomes = []
                for name, recipe in RECIPES.items():
                    for draw in range(options.draws):
                        seed = options.seed + draw
                        try:
                            one = measure(kind, recipe, noise, n_points, options.inputs, seed)
                        except UnbraidError as error:
                            print(f"    {name} {seed}: {type(error).__name__}: {error}")
                            continue
                        outcomes.append(one)
                        if options.each:
                            print(f"    {name:20} {seed:3} {one.ratio:9.3g} {one}")
                everything += outcomes
                _print_row(f"{kind:11} {noise:10} {n_points:5}", outcomes)
    _print_row(f"{'all':28}", everything)


def _print_row(name: str, outcomes: Sequence[Outcome]) -> None:
    ratios = np.array([one.ratio for one in outcomes])
    seconds = [one.seconds for one in outcomes]
    claimed = sum(one.identified for one in outcomes)
    wrong = sum(one.wrong_direction for one in outcomes)
    print(
        f"{name}  {np.median(ratios):20.2f} {np.quantile(ratios, 0.9):6.2f} {ratios.max():7.3g}  "
        f"{np.mean([one.outside for one in outcomes]):7.3f} {claimed:6} / {len(outcomes)} "
        f"{wrong:5}  {np.mean(seconds):6.2f} s {max(seconds):.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
