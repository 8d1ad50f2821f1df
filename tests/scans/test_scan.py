"""Tests of scan."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import CustomBasis, InvalidOptionError
from unbraid.cases import toy_samples


def test_a_basis_that_cannot_be_stored_fails_only_its_own_cell():
    lines = CustomBasis([np.positive], [np.ones_like])
    bases = [lines, unbraid.Polynomial(1)]
    found = unbraid.scan(toy_samples(60, random_state=0), n_branches=1, basis=bases, progress=False)
    assert "cannot be saved" in found.rows[0].failure
    assert not found.rows[1].failure


SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


def test_rejects_options_of_dynamic_models():
    pytest.importorskip("joblib", reason="scans are an extra")
    with pytest.raises(InvalidOptionError, match="'n_points'"):
        unbraid.scan(bent, SQUARE, n_branches=1, n_points=50)
