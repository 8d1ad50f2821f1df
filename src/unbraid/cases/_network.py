"""Section 8: a feed-forward network with random weights and logistic activations."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from .._typing import Array
from ..data._samples import Samples
from ..sampling import RandomState, uniform

PAPER_LAYERS = (2, 15, 10, 10, 5, 2)


@dataclass(frozen=True, eq=False)
class LogisticNetwork:
    """Logistic hidden layers and a linear output; ``weights[l]`` is (n_l, n_(l-1))."""

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    @property
    def n_parameters(self) -> int:
        """Number of weights and biases.

        >>> random_network(random_state=0).n_parameters
        382
        """
        return sum(array.size for array in (*self.weights, *self.biases))

    def __call__(self, points: Array) -> Array:
        x = np.asarray(points, dtype=float)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = scipy.special.expit(x @ weight.T + bias)
        return np.asarray(x @ self.weights[-1].T + self.biases[-1])

    def jacobian(self, points: Array) -> Array:
        """Return the Jacobians (N, n, m), by forward accumulation."""
        x = np.asarray(points, dtype=float)
        chain: Array = np.broadcast_to(np.eye(x.shape[1]), (len(x), x.shape[1], x.shape[1]))
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = scipy.special.expit(x @ weight.T + bias)
            chain = (x * (1 - x))[:, :, None] * (weight @ chain)
        return np.asarray(self.weights[-1] @ chain)


def random_network(
    layers: Sequence[int] = PAPER_LAYERS, random_state: RandomState = None
) -> LogisticNetwork:
    """Draw weights and biases from N(0, 1), by default with the layers of the paper.

    >>> random_network(random_state=0)(np.zeros((3, 2))).shape
    (3, 2)
    """
    rng = np.random.default_rng(random_state)
    weights = [rng.standard_normal((n_out, n_in)) for n_in, n_out in pairwise(layers)]
    biases = [rng.standard_normal(n_out) for n_out in layers[1:]]
    return LogisticNetwork(tuple(weights), tuple(biases))


def network_samples(n_points: int = 1000, random_state: RandomState = None) -> Samples:
    """Sample a random network of the paper, uniformly in (-1.5, 1.5)^2.

    >>> network_samples(100, random_state=0)
    Samples(100 points, 2 inputs, 2 outputs, Jacobians given)
    """
    rng = np.random.default_rng(random_state)
    f = random_network(random_state=rng)
    points = uniform(n_points, [-1.5, -1.5], [1.5, 1.5], rng)
    return Samples(points, f(points), f.jacobian(points))
