"""Splitting of records."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import InvalidSamplesError
from unbraid.dynamics._records import channel_names, make_records
from unbraid.narx import NARX


def test_held_out_part_is_the_end_with_its_initial_samples():
    records = NARX(None, (0,), (1,)).records(np.arange(100.0), np.arange(100.0))
    fitted, held = records.split(0.2, 7)
    assert np.array_equal(fitted.items[0].y[:, 0], np.arange(80.0))
    assert np.array_equal(held.items[0].y[:, 0], np.arange(73.0, 100.0))


def test_tables_are_matched_by_name():
    pandas = pytest.importorskip("pandas")
    u = pandas.DataFrame({"valve": [1.0, 2.0], "pump": [3.0, 4.0]})
    assert channel_names(u) == channel_names([u, u]) == ["valve", "pump"]
    assert channel_names(u.to_numpy()) is None
    assert channel_names(u["pump"]) == channel_names([u["pump"], u["pump"]]) == ["pump"]
    records = make_records(u[["pump", "valve"]], [0.0, 1.0], ["valve", "pump"])
    np.testing.assert_array_equal(records.items[0].u, u)
    with pytest.raises(InvalidSamplesError, match="u of record 0 has no column 'heat'"):
        make_records(u, [0.0, 1.0], ["valve", "heat"])
