"""Fixtures of the tests of the public benchmarks."""

import numpy as np
import pytest

from unbraid.public_benchmarks import CONFIGURATIONS, Configuration
from unbraid.public_benchmarks._fits import LinearFit

from .made_up import make_arrays


@pytest.fixture
def no_data(monkeypatch):
    """Neither a folder of records nor the package that downloads them."""
    import sys

    monkeypatch.delenv("UNBRAID_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "nonlinear_benchmarks", None)


@pytest.fixture
def folder(tmp_path, no_data):
    """A folder with a small record in the layout of EMPS."""
    np.savez(tmp_path / "emps.npz", **make_arrays("emps"))
    return tmp_path


@pytest.fixture
def tiny(monkeypatch):
    """A configuration of EMPS that takes milliseconds."""
    tiny = Configuration("tiny", LinearFit(1), quick=True, random=False)
    monkeypatch.setitem(CONFIGURATIONS, "emps", (tiny,))
    return tiny
