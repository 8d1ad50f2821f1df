"""Tests of explicit."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import InvalidOptionError, Samples
from unbraid.cases import toy_samples


def test_three_distinct_points_are_enough():
    places = np.random.default_rng(0).integers(0, 3, (100, 1)).astype(float)
    samples = Samples(places, places[:, 0] ** 2, 2 * places[:, None])
    d = unbraid.decouple(samples, n_branches=1, method="explicit", basis=None)
    assert d.fitted_error[0] < 1e-6


def test_rejects_ragged_smoothness():
    with pytest.raises(InvalidOptionError, match="smoothness"):
        unbraid.decouple(
            toy_samples(60, 0), n_branches=2, method="explicit", smoothness=[[1], [1, 2]]
        )
