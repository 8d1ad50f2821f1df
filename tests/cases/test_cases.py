"""Tests of the cases."""

import numpy as np

import unbraid
from unbraid.cases import network_samples, random_network, random_polynomial, random_ridges


def test_jacobians_are_those_of_the_values():
    cases = (random_polynomial, 5), (random_network, 2), (random_ridges, 4)
    for f, m in ((make(random_state=1), m) for make, m in cases):
        points = np.random.default_rng(0).uniform(-1, 1, (6, m))
        numeric = unbraid.sample(lambda p, f=f: f(p), points).jacobians
        np.testing.assert_allclose(f.jacobian(points), numeric, rtol=1e-6, atol=1e-8)
    assert network_samples(20, random_state=0).n_outputs == 2
    assert random_network(random_state=0).n_parameters == 382
