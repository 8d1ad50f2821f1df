"""``make identification``: ``identify(u, y)`` without options on simulated systems.

It is compared with the linear model and with configurations whose size is chosen by hand, knowing
the system. Of these the one with the least error on the test record counts, which no user could
choose. The floor is the error of the noise-free output: no model can be better.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

import unbraid
from unbraid import BSpline, UnbraidError, statespace
from unbraid.narx import fit_polynomial_narx

Array = NDArray[np.float64]
N_TRAINING, N_TEST, N_BEFORE = 1500, 1500, 200  # samples; N_BEFORE of them are thrown away
N_GIVEN = 50  # samples at the start of the test that are given, and not scored


@dataclass(frozen=True)
class System:
    """A simulated system, its noise (relative), and what an expert would try."""

    respond: Callable[[Array], Array]
    excite: Callable[[int, np.random.Generator], Array]
    noise: float
    n_states: tuple[int, ...]
    n_branches: tuple[int, ...]

    def record(self, n_samples: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Input, output and noise-free output."""
        u = self.excite(N_BEFORE + n_samples, rng)
        clean = self.respond(u)[N_BEFORE:]
        y = clean + self.noise * clean.std(axis=0) * rng.normal(size=clean.shape)
        return u[N_BEFORE:], y, clean


def coloured(n_samples: int, rng: np.random.Generator, band: float = 0.3) -> Array:
    return np.asarray(
        scipy.signal.lfilter(*scipy.signal.butter(3, band), rng.normal(size=n_samples))
    )


def steps(n_samples: int, rng: np.random.Generator) -> Array:
    """Levels from 0 to 1 that last 5 to 40 samples."""
    lengths = rng.integers(5, 40, n_samples)
    levels = rng.uniform(0, 1, n_samples)
    return np.repeat(levels, lengths)[:n_samples]


def hammerstein(u: Array) -> Array:
    bent = np.sign(u) * np.maximum(np.abs(u) - 0.3, 0)
    return np.asarray(scipy.signal.lfilter(*scipy.signal.cheby1(3, 1.0, 0.3), bent))


def wiener(u: Array) -> Array:
    z = scipy.signal.lfilter(*scipy.signal.butter(2, 0.15), u)
    return np.asarray(np.tanh(2.5 * z) + 0.2 * z)


def two_tanks(u: Array) -> Array:
    """Level of the lower of two tanks; outflow with the root of the level."""
    levels, y = np.array([0.5, 0.5]), np.empty(len(u))
    for t, inflow in enumerate(u):
        y[t] = levels[1]
        flows = 0.3 * np.sqrt(np.maximum(levels, 0))
        levels = levels + 0.3 * np.array([0.35 * inflow - flows[0], flows[0] - flows[1]])
    return y


def motor(u: Array) -> Array:
    """Speed of a motor with dry and viscous friction and a current that follows."""
    current = speed = 0.0
    y = np.empty(len(u))
    for t, voltage in enumerate(u):
        y[t] = speed
        current += 0.5 * (voltage - 0.3 * speed - current)
        speed += 0.25 * (current - 0.2 * speed - 0.25 * np.tanh(speed / 0.05))
    return y


def mimo(u: Array) -> Array:
    """Two inputs and outputs, a saturated valve and a cross-coupled square."""
    x, y = np.zeros(3), np.empty((len(u), 2))
    for t, (a, b) in enumerate(u):
        y[t] = x[0] + 0.3 * x[2], x[1]
        valve = np.tanh(1.5 * a)
        x = np.array([
            0.8 * x[0] + 0.3 * valve + 0.1 * x[1],
            0.7 * x[1] + 0.4 * b + 0.15 * x[0] ** 2,
            0.5 * x[2] + 0.3 * b,
        ])  # fmt: skip
    return y


def amplified(factor: float, band: float = 0.3) -> Callable[..., Array]:
    return lambda n_samples, rng: factor * coloured(n_samples, rng, band)


def two_inputs(n_samples: int, rng: np.random.Generator) -> Array:
    return np.column_stack([coloured(n_samples, rng), coloured(n_samples, rng)])


SYSTEMS = {
    "Hammerstein, dead zone": System(hammerstein, amplified(2.0), 0.02, (3, 4), (1, 2)),
    "Wiener, saturation": System(wiener, amplified(2.0), 0.02, (2, 3), (1, 2)),
    "two tanks": System(two_tanks, steps, 0.005, (2, 3), (1, 2, 3)),
    "motor, dry friction": System(motor, amplified(3.0, band=0.1), 0.01, (2, 3), (1, 2)),
    "two inputs and outputs": System(mimo, two_inputs, 0.01, (3, 4), (2, 3)),
}


def by_hand(system: System, u: Array, y: Array) -> dict[str, Callable[[], object]]:
    """Configurations that an expert would try."""
    found: dict[str, Callable[[], object]] = {
        f"{n} states, {r} branches, spline {k}": (
            lambda n=n, r=r, k=k: statespace.identify(u, y, n, r, BSpline(k), random_state=0)
        )
        for n in system.n_states
        for r in system.n_branches
        for k in (6, 12)
    }
    for lags in (2, 3):
        found[f"NARX, {lags} lags, cubic"] = lambda lags=lags: (
            fit_polynomial_narx(u, y, range(lags + 1), range(1, lags + 1), 3)
            .decouple(3, random_state=0)
            .refine(u, y)
        )
    return found


def error_of(model: object, record: tuple[Array, Array, Array]) -> float:
    """Error in % of the free-run simulation, mean of the outputs."""
    u, y, _ = record
    score = model.score(u, y, initial=N_GIVEN)  # type: ignore[attr-defined]
    return float(np.mean(score.percent))


def measure(name: str, seed: int, with_hand: bool) -> None:
    system, rng = SYSTEMS[name], np.random.default_rng([seed, len(name)])
    u, y, _ = system.record(N_TRAINING, rng)
    test = system.record(N_TEST, rng)
    began = time.process_time()
    model = unbraid.identify(u, y, random_state=seed)
    seconds, error = time.process_time() - began, error_of(model, test)
    linear = error_of(statespace.fit_linear(u, y), test)
    scored = test[1][N_GIVEN:]
    floor = 100 * np.mean((scored - test[2][N_GIVEN:]).std(axis=0) / scored.std(axis=0))
    kind = f"{type(model).__name__}, {model.candidates.chosen.label}"
    print(
        f"{name:24}{seed:4}{error:9.3f}{linear:9.2f}{floor:8.3f}{seconds:8.1f}", end="", flush=True
    )
    if with_hand:
        errors = {}
        for label, fit in by_hand(system, u, y).items():
            try:
                errors[label] = error_of(fit(), test)
            except UnbraidError:
                continue
        best = min(errors, key=errors.__getitem__)
        print(f"{errors[best]:9.3f}{error / errors[best]:7.2f}  {best}", end="")
    print(f"  [{kind}]", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1])
    parser.add_argument("--only", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--default-only", action="store_true", help="nothing by hand")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'system':24}{'seed':>4}{'default':>9}{'linear':>9}{'floor':>8}{'CPU s':>8}", end="")
    print("" if options.default_only else f"{'by hand':>9}{'ratio':>7}")
    for name in SYSTEMS:
        if any(part in name for part in options.only):
            for seed in options.seeds:
                measure(name, seed, not options.default_only)


if __name__ == "__main__":
    main()
