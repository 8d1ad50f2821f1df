"""The record of the NARX models."""

import numpy as np
import pytest

from unbraid.cases import duffing
from unbraid.errors import InvalidFileError
from unbraid.reproduce._narx import load_record


def test_record_comes_from_path_or_environment(tmp_path, monkeypatch, no_record):
    rng = np.random.default_rng(0)
    path = tmp_path / "silverbox.npz"
    np.savez(path, u=rng.normal(size=131_072), y=rng.normal(size=131_072))
    assert load_record(None, quick=True)[1] is False
    data, real = load_record(path, quick=False)
    assert real
    monkeypatch.setenv("UNBRAID_DATA", str(tmp_path))
    short, real = load_record(None, quick=True)
    assert real
    assert len(short.train.u) < len(data.train.u)
    assert len(short.arrow.u) == len(data.arrow.u)
    twin = duffing(64, 64, random_state=0)
    np.savez(path, u=twin.train.u, y=twin.train.y)
    with pytest.raises(InvalidFileError):
        load_record(None, quick=True)


def test_model_that_cannot_be_refined_is_returned_unchanged(rng):
    from report_helpers import make_function
    from unbraid.cases._records import Recording
    from unbraid.narx import NARX
    from unbraid.reproduce._narx import _refine

    u = rng.standard_normal(60)
    model = NARX(make_function(2, 1, 1, rng), (0,), (1,), limit=1e-9)
    assert _refine(model, Recording(u, 1e-12 * u), quick=True) is model
