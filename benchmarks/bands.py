"""``make bands``: how often 95 % bands of ``DecoupledRegressor`` contain the truth."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unbraid import DecoupledFunction, DecoupledRegressor

Array = NDArray[np.float64]
Curve = Callable[[Array], Array]
SIZES = ((200, 0.1), (300, 0.3), (500, 0.5), (1000, 0.1))  # rows, and noise over the spread
WIDTH = 1.96  # standard errors on each side of a 95 % band
N_FRESH = 2000
ALIGNED = 0.98  # weight of an input from which a direction is along it
CURVE_NODES = 200


@dataclass(frozen=True)
class Law:
    """A function of inputs from -1 to 1, and its terms of one input, by input."""

    n_inputs: int
    function: Curve
    terms: dict[int, Curve] = field(default_factory=dict)

    def __call__(self, x: Array) -> Array:
        return np.reshape(self.function(x), (len(x), -1))


LAWS = {
    "ridge": Law(
        3,
        lambda x: np.tanh(2 * x[:, 0] + x[:, 1]) + 0.4 * x[:, 2] ** 2,
        {2: lambda t: 0.4 * t**2},
    ),
    "additive": Law(
        4,
        lambda x: np.sin(2.5 * x[:, 0]) + x[:, 1] ** 2 + 0.5 * x[:, 2],
        {0: lambda t: np.sin(2.5 * t), 1: lambda t: t**2, 2: lambda t: 0.5 * t},
    ),
    "product": Law(
        3,
        lambda x: 1.5 * x[:, 0] * x[:, 1] + np.tanh(2 * x[:, 2]),
        {2: lambda t: np.tanh(2 * t)},
    ),
    "logistic": Law(6, lambda x: 1 / (1 + np.exp(-(x @ np.array([3, 2, -2, 1, 0, 0]))))),
    "torque": Law(
        4,
        lambda x: (
            np.tanh(2 * x[:, 0])
            - 0.5 * np.tanh(3 * x[:, 1])
            + 0.8 * (1 + x[:, 2]) * np.sin(1.5 * x[:, 3])
        ),
        {0: lambda t: np.tanh(2 * t), 1: lambda t: -0.5 * np.tanh(3 * t)},
    ),
    "friedman": Law(
        5,
        lambda x: (
            10 * np.sin(np.pi * (x[:, 0] + 1) * (x[:, 1] + 1) / 4)
            + 5 * x[:, 2] ** 2
            + 5 * x[:, 3]
            + 2.5 * x[:, 4]
        ),
        {2: lambda t: 5 * t**2, 3: lambda t: 5 * t, 4: lambda t: 2.5 * t},
    ),
    "linear": Law(4, lambda x: x @ np.array([1.0, -2.0, 0.5, 0.0])),
    "two outputs": Law(
        3,
        lambda x: np.column_stack(
            [
                np.tanh(2 * x[:, 0] + x[:, 1]),
                np.exp(0.8 * x[:, 2]) + np.tanh(2 * x[:, 0] + x[:, 1]),
            ]
        ),
    ),
    "bump": Law(2, lambda x: np.exp(-4 * (x[:, 0] - 0.3 * x[:, 1]) ** 2) + 0.3 * x[:, 1]),
}


@dataclass(frozen=True)
class Coverage:
    """Shares of the truth inside the bands of one fit, and two ratios."""

    rows: float  # at the rows that were fitted
    near: float  # outside the box of the data, up to 1.3 times as wide
    far: float  # up to twice as wide
    curves: list[float]  # of every curve along an input with a known term
    errors: float  # rms standard error over rms error, at the rows
    noise: float  # estimated over true
    seconds: float


def draw_rows(law: Law, n_rows: int, noise: float, seed: int) -> tuple[Array, Array, Array]:
    """Inputs, noisy values and the truth."""
    rng = np.random.default_rng([seed, n_rows, law.n_inputs, round(100 * noise)])
    x = rng.uniform(-1, 1, (n_rows, law.n_inputs))
    truth = law(x)
    return x, truth + noise * truth.std(axis=0) * rng.normal(size=truth.shape), truth


def measure(law: Law, n_rows: int, noise: float, seed: int) -> Coverage:
    """Fit the default regressor to a draw of a law, and compare its bands with the law."""
    x, y, truth = draw_rows(law, n_rows, noise, seed)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = DecoupledRegressor(random_state=seed, progress=False)
        model.fit(x, y if y.shape[1] > 1 else y[:, 0])
    seconds = time.process_time() - began
    values, errors = predict(model, x)
    outside = [draw_outside(law.n_inputs, reach, seed) for reach in (1.3, 2.0)]
    return Coverage(
        cover(truth, values, errors),
        *(cover(law(far), *predict(model, far)) for far in outside),
        cover_curves(law, model.decoupled_, x, truth),
        float(np.sqrt(np.mean(errors**2) / np.mean((values - truth) ** 2))),
        float(np.mean(model.noise_ / (noise * truth.std(axis=0)))),
        seconds,
    )


def predict(model: DecoupledRegressor, x: Array) -> tuple[Array, Array]:
    """Values and standard errors, (N, n) each."""
    values, errors = model.predict(x, return_std=True)
    return values.reshape(len(x), -1), errors.reshape(len(x), -1)


def cover(truth: Array, values: Array, errors: Array) -> float:
    return float(np.mean(np.abs(truth - values) <= WIDTH * errors))


def draw_outside(n_inputs: int, reach: float, seed: int) -> Array:
    """Points of a wider box, outside the box of the data."""
    x = np.random.default_rng(seed).uniform(-reach, reach, (N_FRESH, n_inputs))
    return np.asarray(x[np.abs(x).max(axis=1) > 1])


def cover_curves(law: Law, d: DecoupledFunction, x: Array, truth: Array) -> list[float]:
    """Coverage of each curve along an input whose term is known.

    Curve and term are compared without their lines, plus the slope of the function along the input.
    """
    form = d.describe().form
    standard = form.standardise(x)
    lines = np.column_stack([np.ones(len(x)), standard])
    slopes, true_slopes = (
        np.linalg.lstsq(lines, f[:, 0], rcond=None)[0][1:] for f in (d(x), truth)
    )
    found = []
    for direction, curves in zip(form.directions, form.curves, strict=True):
        l = int(np.argmax(np.abs(direction)))
        if direction[l] < ALIGNED or l not in law.terms or curves[0].band(0.0) is None:
            continue
        z = np.quantile(standard @ direction, np.linspace(0.005, 0.995, CURVE_NODES))
        term = law.terms[l]
        line = np.polyfit(standard[:, l], term(x[:, l]), 1)
        curve = curves[0](z) + slopes @ direction * z
        exact = term(form.mean[l] + form.spread[l] * z) - np.polyval(line, z)
        exact += true_slopes @ direction * z
        inside = np.abs(curve - exact) <= 0.5 * WIDTH * curves[0].band(z)
        found.append(float(np.mean(inside)))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--laws", nargs="*", choices=list(LAWS), default=list(LAWS))
    options = parser.parse_args(arguments)
    head = ("at rows", "to 1.3x", "to 2x", "curves", "se/error", "noise", "s a fit")
    print("share of the truth inside 95 % bands, in %; ratios of standard errors and of noise\n")
    print(f"{'law':14}" + "".join(f"{name:>10}" for name in head))
    everything: list[Coverage] = []
    for name in options.laws:
        here = [
            measure(LAWS[name], n_rows, noise, seed)
            for n_rows, noise in SIZES
            for seed in range(options.seeds)
        ]
        everything += here
        print_row(name, here)
    print_row("all", everything)


def print_row(name: str, found: Sequence[Coverage]) -> None:
    shares = [100 * np.mean([getattr(c, part) for c in found]) for part in ("rows", "near", "far")]
    curves = [share for c in found for share in c.curves]
    cells = [f"{share:10.1f}" for share in shares]
    cells.append(f"{100 * np.mean(curves):10.1f}" if curves else f"{'':10}")
    for part, digits in (("errors", 2), ("noise", 2), ("seconds", 1)):
        cells.append(f"{np.mean([getattr(c, part) for c in found]):10.{digits}f}")
    print(f"{name:14}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
