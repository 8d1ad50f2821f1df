"""``make laws``: physical laws learnt by networks, and what a default call reads in them."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import unbraid

Array = NDArray[np.float64]
N_TRAINING, N_FRESH = 2000, 4000
NOISE = 0.02  # of the spread of the data that a network learns
MAX_SHARE_ERROR = 0.05
SMALL_SHARE = 0.02  # true terms below it need not be found

Part = tuple[str, Callable[..., Array]]  # inputs, separated by blanks, and a function of them


@dataclass(frozen=True)
class Law:
    """Ranges of named inputs, and outputs that are sums of parts over separate inputs."""

    inputs: dict[str, tuple[float, float]]
    outputs: dict[str, list[Part]]

    def parts(self, output: str, points: Array) -> dict[tuple[str, ...], Array]:
        names = list(self.inputs)
        return {
            tuple(sorted(of.split())): f(*(points[:, names.index(name)] for name in of.split()))
            for of, f in self.outputs[output]
        }

    def __call__(self, points: Array) -> Array:
        columns = [sum(self.parts(output, points).values()) for output in self.outputs]
        return np.column_stack(columns)

    def draw(self, n_points: int, seed: int) -> Array:
        low, high = np.array(list(self.inputs.values())).T
        return np.random.default_rng(seed).uniform(low, high, (n_points, len(low)))

    def shares(self, output: str, points: Array) -> dict[tuple[str, ...], float]:
        variances = {of: float(v.var()) for of, v in self.parts(output, points).items()}
        return {of: v / sum(variances.values()) for of, v in variances.items()}


LAWS = {
    "robot arm": Law(
        {
            "command": (-10, 10),
            "velocity": (-2, 2),
            "payload": (0, 5),
            "angle": (-1.2, 1.2),
            "temperature": (10, 60),
        },
        {
            "force": [
                ("command", lambda c: 40 * np.tanh(c / 4)),
                ("velocity", lambda v: -8 * v - 3 * np.tanh(2 * v)),
                ("payload angle", lambda p, a: -3.9 * p * np.sin(a)),
            ],
            "heat": [
                ("command", lambda c: 0.02 * c**2),
                ("velocity", lambda v: 0.5 * np.abs(v) ** 1.5),
                ("temperature", lambda t: 0.03 * t),
            ],
        },
    ),
    "tyre": Law(
        {"slip": (-0.3, 0.3), "load": (1000, 6000), "speed": (5, 40)},
        {
            "grip": [("slip load", lambda s, l: 0.9 * l * np.sin(1.4 * np.arctan(9 * s)))],
            "drag": [("load", lambda l: 0.01 * l), ("speed", lambda v: 0.4 * v**2)],
        },
    ),
    "reactor": Law(
        {"conc": (0.5, 2), "temp": (300, 360), "flow": (0.5, 2), "coolant": (280, 320)},
        {
            "rate": [("conc temp", lambda c, t: c * np.exp(11.5 - 4000 / t))],
            "cooling": [
                ("flow coolant", lambda q, t: 0.05 * q * (350 - t)),
                ("temp", lambda t: 0.1 * t),
            ],
        },
    ),
    "pump": Law(
        {"rpm": (800, 3000), "head": (1, 20), "oil": (10, 80), "viscosity": (1, 10)},
        {
            "flow": [
                ("rpm", lambda r: 0.02 * r),
                ("head", lambda h: -0.4 * h**1.5),
                ("viscosity", lambda n: -6 * np.log(n)),
            ],
            "power": [("rpm head", lambda r, h: 3e-4 * r * h), ("oil", lambda t: -0.05 * t)],
        },
    ),
    "motor": Law(
        {"current": (-20, 20), "rpm": (0, 6000), "winding": (20, 120), "voltage": (200, 400)},
        {
            "torque": [
                ("current", lambda i: 45 * np.tanh(i / 15)),
                ("voltage", lambda v: 0.03 * v),
            ],
            "loss": [
                ("current winding", lambda i, t: 0.03 * i**2 * (1 + 0.004 * t)),
                ("rpm", lambda r: 4e-7 * r**2),
            ],
        },
    ),
    "beam": Law(
        {"place": (0, 2), "load": (100, 900), "gradient": (-20, 60), "width": (0.05, 0.15)},
        {
            "sag": [("place load", lambda x, l: 1e-3 * l * x**2), ("gradient", lambda t: 0.01 * t)],
            "strain": [("width", lambda w: 0.1 / w), ("place", lambda x: 0.3 * np.sin(3 * x))],
        },
    ),
    "climate": Law(
        {
            "sun": (0, 900),
            "wind": (0, 15),
            "outside": (-15, 35),
            "humidity": (20, 90),
            "people": (0, 20),
        },
        {
            "load": [
                ("sun", lambda s: 0.004 * s),
                ("outside", lambda t: -0.08 * t),
                ("wind", lambda w: -0.01 * w**2),
                ("people", lambda n: 0.12 * n),
            ],
            "moisture": [
                ("outside humidity", lambda t, h: 0.02 * h * np.exp(0.04 * t)),
                ("people", lambda n: 0.05 * n),
            ],
        },
    ),
    "gear": Law(
        {"torque": (-200, 200), "speed": (-100, 100), "oil": (0, 100)},
        {
            "output": [("torque", lambda q: 0.95 * q), ("speed", lambda w: -20 * np.tanh(w / 30))],
            "heat": [
                ("torque", lambda q: 1e-3 * q**2),
                ("speed oil", lambda w, t: 0.2 * np.abs(w) * np.exp(-t / 60)),
            ],
        },
    ),
}


@dataclass(frozen=True)
class Reading:
    """What a default call found, beside the law."""

    n_missed: int  # true terms without a term of the same inputs
    n_extra: int  # directions beyond two per product and one per curve
    share_error: float  # largest difference of shares
    cancellation: float  # variances of all terms over that of an output; the largest
    errors: tuple[float, float]  # of the function and of the network, against the law, in %
    seconds: float
    sentences: str
    text: str  # with the table, where formulas of products are in the units of the inputs

    @property
    def good(self) -> bool:
        closer = self.errors[0] <= self.errors[1]
        right = self.n_missed == 0 and self.n_extra <= 1 and self.share_error <= MAX_SHARE_ERROR
        return right and closer and self.cancellation <= 1.5


def train_network(law: Law, seed: int) -> Callable[[Array], Array]:
    """A network of two hidden layers of 40, as a function of raw inputs."""
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    points = law.draw(N_TRAINING, seed)
    clean = law(points)
    rng = np.random.default_rng(seed)
    values = clean + NOISE * clean.std(axis=0) * rng.normal(size=clean.shape)
    mean, spread = values.mean(axis=0), values.std(axis=0)
    network = MLPRegressor(
        hidden_layer_sizes=(40, 40),
        activation="tanh",
        alpha=1e-3,
        early_stopping=True,
        learning_rate_init=3e-3,
        max_iter=300,
        random_state=seed,
    )
    model = make_pipeline(StandardScaler(), network).fit(points, (values - mean) / spread)
    scaler, layers = model[0], list(zip(network.coefs_, network.intercepts_, strict=True))

    def evaluate(p: Array) -> Array:
        h = (p - scaler.mean_) / scaler.scale_
        for k, (weights, bias) in enumerate(layers):
            h = h @ weights + bias
            h = np.tanh(h) if k < len(layers) - 1 else h
        return np.asarray(h * spread + mean)

    return evaluate


def read_law(law: Law, seed: int, scale: float = 1.0) -> Reading:
    """Learn a law, decouple the network by the default call, and compare."""
    network = train_network(law, seed)
    points, fresh = law.draw(N_TRAINING, seed), law.draw(N_FRESH, 1000 + seed)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        d = unbraid.decouple(lambda p: network(p / scale), scale * points, random_state=seed)
    d = d.named(list(law.inputs), list(law.outputs))
    description = d.describe()
    text = str(description)
    seconds = time.perf_counter() - began
    truth = law(fresh)
    missed, share_error, cancelling = 0, 0.0, 0.0
    needed: set[tuple[str, ...]] = set()
    for o, output in enumerate(law.outputs):
        shares = law.shares(output, fresh)
        needed |= {of for of, share in shares.items() if share >= SMALL_SHARE}
        found: dict[tuple[str, ...], float] = {}
        for term in description.terms[output]:
            of = tuple(sorted(term.inputs))
            found[of] = found.get(of, 0.0) + term.share
        for of, share in shares.items():
            missed += share >= SMALL_SHARE and of not in found
            inside = sum(s for inputs, s in found.items() if set(inputs) <= set(of))
            share_error = max(share_error, abs(inside - share))
        form = description.form
        z = form.standardise(scale * points) @ form.directions.T
        parts = sum(float(curves[o](z[:, k]).var()) for k, curves in enumerate(form.curves))
        parts += float((scale * points @ form.linear[o]).var())
        cancelling = max(cancelling, parts / float(d(scale * points)[:, o].var()))
    allowed = sum(len(of) for of in needed)
    errors = [
        float(np.mean(unbraid.relative_error(truth, values)))
        for values in (d(scale * fresh), network(fresh))
    ]
    return Reading(
        missed,
        max(0, len(description.directions) - allowed),
        share_error,
        cancelling,
        (errors[0], errors[1]),
        seconds,
        description.words,
        text,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--laws", nargs="*", choices=list(LAWS), default=list(LAWS))
    parser.add_argument("--words", action="store_true", help="print the descriptions")
    parser.add_argument("--units", action="store_true", help="compare with inputs times 1e6, 1e-6")
    options = parser.parse_args(arguments)
    print("law        seed  good  missed  extra  shares  cancel  error %  network %  seconds")
    for name in options.laws:
        for seed in options.seeds:
            r = read_law(LAWS[name], seed)
            print(
                f"{name:10} {seed:4d}  {'yes' if r.good else 'no':>4} {r.n_missed:7d} "
                f"{r.n_extra:6d} {r.share_error:7.3f} {r.cancellation:7.2f} {r.errors[0]:8.2f} "
                f"{r.errors[1]:10.2f} {r.seconds:8.1f}"
            )
            if options.words:
                print(r.text)
            for scale in (1e6, 1e-6) if options.units else ():
                same = read_law(LAWS[name], seed, scale).sentences == r.sentences
                print(f"  inputs times {scale:g}: {'the same' if same else 'other'} words")


if __name__ == "__main__":
    main()
