"""Shared: hypothesis as effort.py has it, and quick random problems."""

from __future__ import annotations

import numpy as np
import pytest

from effort import register

register()


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)
