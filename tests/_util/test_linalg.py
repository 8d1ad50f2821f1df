"""Tests of linalg."""

import numpy as np

from unbraid._util import linalg
from unbraid._util.linalg import k_rank, khatri_rao, sketched_subspace, subspace


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


def test_random_combinations_find_the_subspace_of_long_rows(rng, monkeypatch):
    sizes = np.array([1.0, 1e-3, 1e-8, 3.0])
    low_rank = (rng.standard_normal((400, 4)) * sizes) @ rng.standard_normal((4, 120))
    found = subspace(low_rank)
    monkeypatch.setattr(linalg, "sketched_subspace", lambda *_: None)
    expected = subspace(low_rank)
    assert found.shape == expected.shape == (120, 4)
    np.testing.assert_allclose(np.abs(found.T @ expected), np.eye(4), atol=1e-7)


def test_random_combinations_do_not_suffice_for_many_dimensions(rng):
    full = rng.standard_normal((400, 120))
    assert sketched_subspace(full, 1e-12) is None
    nearly = np.outer(rng.standard_normal(400), rng.standard_normal(120)) + 1e-9 * full
    assert sketched_subspace(nearly, 1e-12) is None
    assert subspace(nearly) is None
