"""Tests of consistency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from unbraid.data._consistency import jacobians_inconsistent

SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


def test_constant_output_without_jacobians():
    points = unbraid.sampling.uniform(200, [-1, -1], [1, 1], random_state=0)

    def f(p):
        return np.column_stack([1e-6 * np.sin(3 * p[:, 0] + p[:, 1]), np.full(len(p), 2.0)])

    d = unbraid.decouple(f, points, 2, jacobian_weight=0, n_starts=2, random_state=0)
    assert np.ptp(d(points)[:, 1]) == 0
    assert d(points)[0, 1] == pytest.approx(2.0, abs=1e-12)


def test_finds_neighbours_far_from_zero():
    samples = unbraid.sample(bent, SQUARE)
    wrong = replace(samples, points=samples.points + 1e9, jacobians=3 * samples.jacobians)
    assert jacobians_inconsistent(wrong)
