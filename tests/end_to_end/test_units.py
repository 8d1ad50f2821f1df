"""Tests of units."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import Polynomial
from unbraid.sampling import uniform


def two_waves(p):
    left = np.tanh(2 * p[:, 0] + p[:, 1]) + 0.5 * (p[:, 1] - p[:, 2]) ** 2
    return np.stack([left, np.sin(p.sum(axis=1))], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [9, 12])
def test_units_further_apart_than_rounding(exponent):
    units = np.array([10.0**-exponent, 10.0**exponent, 1.0])
    points = uniform(100, [-1] * 3, [1] * 3, random_state=1)
    how = {"n_branches": 3, "basis": Polynomial(5), "n_starts": 1, "random_state": 0}
    plain = unbraid.decouple(two_waves, points, **how).held_out_error
    inputs = unbraid.decouple(lambda p: two_waves(p / units), points * units, **how)
    outputs = unbraid.decouple(lambda p: two_waves(p) * units[:2], points, **how)
    np.testing.assert_allclose(inputs.held_out_error, plain, rtol=1e-3)
    np.testing.assert_allclose(outputs.held_out_error, plain, rtol=1e-3)
