"""Sums of ridge functions whose branches are not polynomials; not in the paper."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..sampling import RandomState

RIDGE_SHAPES = (
    (np.tanh, lambda z: 1 / np.cosh(z) ** 2),
    (np.sin, np.cos),
    (np.exp, np.exp),
    (np.arctan, lambda z: 1 / (1 + z**2)),
)


@dataclass(eq=False)
class RidgeFunction:
    """``W g(V' p)``; ``kinds`` are the indices in RIDGE_SHAPES of the branches g."""

    W: Array
    V: Array
    kinds: Index

    def __call__(self, points: Array) -> Array:
        return np.asarray(self._branches(points, 0) @ self.W.T)

    def jacobian(self, points: Array) -> Array:
        """Return the Jacobians (N, n, m)."""
        return np.asarray(
            np.einsum("ki,oi,li->kol", self._branches(points, 1), self.W, self.V, optimize=True)
        )

    def _branches(self, points: Array, order: int) -> Array:
        z = np.asarray(points, dtype=float) @ self.V
        columns = [RIDGE_SHAPES[kind][order](z[:, i]) for i, kind in enumerate(self.kinds)]
        return np.stack(columns, axis=1)


def random_ridges(
    n_inputs: int = 4, n_outputs: int = 2, n_branches: int = 3, random_state: RandomState = None
) -> RidgeFunction:
    """Draw W and V from N(0, 1), and shapes; none is repeated before all are used.

    >>> random_ridges(random_state=0)(np.zeros((1, 4))).shape
    (1, 2)
    """
    rng = np.random.default_rng(random_state)
    W = rng.standard_normal((n_outputs, n_branches))
    V = rng.standard_normal((n_inputs, n_branches))
    kinds = np.concatenate([rng.permutation(len(RIDGE_SHAPES)) for _ in range(0, n_branches, 4)])
    return RidgeFunction(W, V, kinds[:n_branches])
