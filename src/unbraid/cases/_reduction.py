"""Section 7.2: a random polynomial with a known decoupled form."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..data._samples import Samples
from ..sampling import RandomState, uniform


@dataclass(frozen=True, eq=False)
class DecoupledPolynomial:
    """``W g(V' p)`` with ``g_i = sum_k c_ik z_i^k``, k = 1 ... degree."""

    W: Array
    V: Array
    coefficients: Array  # (r, degree)

    def __call__(self, points: Array) -> Array:
        return np.asarray(self._branches(points, 0) @ self.W.T)

    def jacobian(self, points: Array) -> Array:
        """Return the Jacobians (N, n, m)."""
        slopes = self._branches(points, 1)
        return np.asarray(np.einsum("ki,oi,li->kol", slopes, self.W, self.V))

    def _branches(self, points: Array, order: int) -> Array:
        z = np.asarray(points, dtype=float) @ self.V
        power = np.arange(1, self.coefficients.shape[1] + 1)
        coefficients = power**order * self.coefficients
        return np.asarray((coefficients * z[..., None] ** (power - order)).sum(-1))


def random_polynomial(
    n_inputs: int = 5,
    n_outputs: int = 1,
    n_branches: int = 3,
    degree: int = 5,
    random_state: RandomState = None,
) -> DecoupledPolynomial:
    """Draw every parameter from N(0, 1), as in the paper.

    >>> random_polynomial(random_state=0)(np.zeros((1, 5)))
    array([[0.]])
    """
    rng = np.random.default_rng(random_state)
    return DecoupledPolynomial(
        rng.standard_normal((n_outputs, n_branches)),
        rng.standard_normal((n_inputs, n_branches)),
        rng.standard_normal((n_branches, degree)),
    )


def reduction_samples(n_points: int = 200, random_state: RandomState = None) -> Samples:
    """Sample a random polynomial, uniformly in (-1.5, 1.5)^5.

    >>> reduction_samples(random_state=0)
    Samples(200 points, 5 inputs, 1 output, Jacobians given)
    """
    rng = np.random.default_rng(random_state)
    f = random_polynomial(random_state=rng)
    points = uniform(n_points, [-1.5] * 5, [1.5] * 5, rng)
    return Samples(points, f(points), f.jacobian(points))
