"""JSON values that represent settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import unbraid
from scan_helpers import TOY
from unbraid import InvalidOptionError
from unbraid.scans._settings import setting_to_json
from unbraid.solvers import VarPro

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")


def test_arrays_and_mappings_have_reproducible_values():
    assert setting_to_json("weights", np.array([1.0, 2.0])) == [1.0, 2.0]
    assert setting_to_json("refine", {"held_out": np.float64(0.5)}) == {"held_out": 0.5}
    assert setting_to_json("function", np.linalg.norm).endswith("linalg.norm")
    many = np.arange(1000.0)
    named = setting_to_json("points", many)
    assert named.startswith("array(1000,) float64 ")
    assert named == setting_to_json("points", many.copy())
    assert named != setting_to_json("points", many + 1)


@pytest.mark.parametrize("size", [2, 1000])
@pytest.mark.parametrize("kind", [complex, object, "M8[D]"])
def test_rejects_arrays_of_other_types(kind, size):
    weights = np.zeros(size, dtype=kind)
    with pytest.raises(InvalidOptionError, match="weights is"):
        unbraid.scan(TOY, n_branches=1, weights=weights)


def test_rejects_bound_methods():
    with pytest.raises(InvalidOptionError, match="lasting name"):
        setting_to_json("callback", VarPro().validate)
    assert setting_to_json("path", Path.home).endswith("home")
