"""Tests of atomic."""

from __future__ import annotations

import pytest

from unbraid import InvalidFileError, load


def test_rejects_a_name_that_is_too_long():
    with pytest.raises(InvalidFileError, match="too long"):
        load("a" * 5000 + ".json")
