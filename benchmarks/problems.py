"""The problems that every method meets: samples to fit, and fresh points to be judged on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import datasets

from unbraid import Basis, BSpline, Polynomial, Samples
from unbraid.cases import random_network, random_polynomial, toy_polynomial
from unbraid.sampling import uniform

FRESH = 2000  # more than any problem has samples
Array = np.ndarray


@dataclass(frozen=True)
class Task:
    """What one method gets to see, and the fresh points that it does not."""

    samples: Samples
    fresh: Array
    truth: Array  # values at the fresh points
    n_branches: int
    degree: int  # of polynomial branches
    basis: Basis  # of ours
    seed: int
    seconds: float  # no new start after this many
    method: str  # one file may serve several


@dataclass(frozen=True)
class Synthetic:
    """One of the paper's problems, drawn anew for each seed."""

    title: str
    make: Callable[[np.random.Generator], Any]
    n_inputs: int
    n_points: int
    branches: tuple[int, ...]
    degree: int
    basis: Basis

    def draw(self, n_branches: int, seed: int, seconds: float, method: str) -> Task:
        rng = np.random.default_rng(seed)
        f = self.make(rng)
        box = [-1.5] * self.n_inputs, [1.5] * self.n_inputs
        points, fresh = uniform(self.n_points, *box, rng), uniform(FRESH, *box, rng)
        samples = Samples(points, f(points), f.jacobian(points))
        return Task(
            samples,
            fresh,
            f(fresh),
            n_branches,
            self.degree,
            self.basis,
            seed,
            seconds,
            method,
        )


@dataclass(frozen=True)
class Data:
    """Noisy rows without Jacobians; the fresh rows have no noise."""

    title: str
    make: Callable[..., tuple[Array, Array]]
    noise: float
    n_points: int = 300
    branches: tuple[int, ...] = (0,)  # every method finds its own

    def draw(self, n_branches: int, seed: int, seconds: float, method: str) -> Task:
        X, y = self.make(self.n_points, noise=self.noise, random_state=seed)
        fresh, truth = self.make(FRESH, noise=0.0, random_state=seed + 1000)
        rows = Samples(X, y[:, None], np.zeros((len(X), 1, X.shape[1])))
        cubic = Polynomial(3)
        return Task(rows, fresh, truth[:, None], n_branches, 3, cubic, seed, seconds, method)


SYNTHETIC = {
    "toy": Synthetic(
        "Toy problem (section 7.1): 2 inputs, 2 outputs, N = 100, cubic branches",
        lambda rng: toy_polynomial(), 2, 100, (1, 2, 3, 4), 3, Polynomial(3),
    ),
    "reduction": Synthetic(
        "Polynomial reduction (section 7.2): 5 inputs, 1 output, N = 200, degree 5",
        lambda rng: random_polynomial(random_state=rng), 5, 200, (1, 2, 3, 4), 5, Polynomial(5),
    ),
    "network": Synthetic(
        "Network 2-15-10-10-5-2 (section 8): 2 inputs, 2 outputs, N = 1000, B-splines for ours",
        lambda rng: random_network(random_state=rng), 2, 1000, (3, 6, 10), 7, BSpline(16),
    ),
}  # fmt: skip
DATA = {
    "friedman1": Data("Friedman's first function, 10 inputs", datasets.make_friedman1, 1.0),
    "friedman2": Data("his second, 4 inputs", datasets.make_friedman2, 125.0),
    "friedman3": Data("his third, 4 inputs", datasets.make_friedman3, 0.1),
}
PROBLEMS: dict[str, Synthetic | Data] = {**SYNTHETIC, **DATA}
