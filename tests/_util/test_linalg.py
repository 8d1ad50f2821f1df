"""Tests of linalg."""

import numpy as np

from unbraid._util.linalg import k_rank, khatri_rao, subspace


def polyadic(W, V, G):
    return np.einsum("oi,li,ki->kol", W, V, G)


def test_khatri_rao_subspace_and_k_rank(rng):
    W, V, G = rng.standard_normal((2, 3)), rng.standard_normal((4, 3)), rng.standard_normal((5, 3))
    J = polyadic(W, V, G)
    np.testing.assert_allclose(J.reshape(5, -1), G @ khatri_rao(W, V).T)
    assert subspace(rng.standard_normal((20, 3))) is None
    assert subspace(np.outer(rng.standard_normal(20), [1.0, 2.0, 3.0])).shape == (3, 1)
    assert k_rank(np.eye(3)) == 3
    assert k_rank(np.array([[1.0, 0, 1], [0, 1, 1]])) == 2
    assert k_rank(np.array([[1.0, 2], [1, 2]])) == 1
    assert k_rank(np.zeros((2, 2))) == 0
