"""Fixtures of the tests of the reproduction."""

import pytest


@pytest.fixture
def no_record(monkeypatch):
    monkeypatch.delenv("UNBRAID_DATA", raising=False)
