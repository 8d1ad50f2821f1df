"""Kinks along the branches."""

from __future__ import annotations

import warnings

import numpy as np

import unbraid
from unbraid import Polynomial


def product(p):
    return np.prod(p, axis=1)


def test_grid_points_are_not_kinks():
    axis = np.linspace(-1, 1, 30)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", unbraid.FitWarning)
        d = unbraid.decouple(
            product, grid, n_branches=1, basis=Polynomial(3), n_starts=1, random_state=0
        )
    assert d.held_out_error[0] > 10  # so that a kink was looked for
