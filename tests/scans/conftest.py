"""Fixtures of the tests of scans."""

import pytest

import unbraid
from hardening.conftest import opener  # noqa: F401
from scan_helpers import TOY, TWO_METHODS
from unbraid.cases import duffing
from unbraid.narx import fit_polynomial_narx


@pytest.fixture(scope="session")
def toy_scan():
    return unbraid.scan(TOY, progress=False, **TWO_METHODS)


@pytest.fixture(scope="session")
def spring():
    """A Duffing oscillator and a polynomial NARX model of it."""
    data = duffing(4096, 2048, random_state=0)
    return data, fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 3)
