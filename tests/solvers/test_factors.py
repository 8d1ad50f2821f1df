"""Tests of factors."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unbraid.solvers._factors import Factors, disagreement


def polyadic(W, V, G):
    return np.einsum("oi,li,ki->kol", W, V, G)


@given(seed=st.integers(0, 1000), r=st.integers(1, 4))
def test_disagreement_ignores_order_sign_and_scale(seed, r):
    rng = np.random.default_rng(seed)
    a = Factors(*(rng.standard_normal((5, r)) for _ in range(5)))
    order = rng.permutation(r)
    scale = rng.uniform(0.5, 2, r) * rng.choice([-1, 1], r)
    b = Factors(a.W * scale, a.V / scale, a.G, a.z, a.derivatives).permute(order)
    assert disagreement(a, b) < 1e-7
    n = a.normalise()
    np.testing.assert_allclose(polyadic(n.W, n.V, n.derivatives), polyadic(a.W, a.V, a.derivatives))
    assert np.all(np.take_along_axis(n.V, np.abs(n.V).argmax(0)[None], 0) > 0)
    if r > 1:
        other = Factors(rng.standard_normal((5, r)), a.V, a.G, a.z, a.derivatives)
        assert disagreement(a, other) > 1e-3
