"""Shared: hypothesis without deadlines (the machine may be busy), and quick random problems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "unbraid",
    deadline=None,
    max_examples=30,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unbraid")


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)
