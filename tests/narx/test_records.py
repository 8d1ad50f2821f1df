"""Splitting of records."""

from __future__ import annotations

import numpy as np

from unbraid.narx import NARX


def test_held_out_part_is_the_end_with_its_initial_samples():
    records = NARX(None, (0,), (1,)).records(np.arange(100.0), np.arange(100.0))
    fitted, held = records.split(0.2, 7)
    assert np.array_equal(fitted.items[0].y[:, 0], np.arange(80.0))
    assert np.array_equal(held.items[0].y[:, 0], np.arange(73.0, 100.0))
