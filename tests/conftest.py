"""Shared: hypothesis as effort.py has it, and quick random problems."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from effort import register

register()
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a job in the background, whose
    signal.signal(signal.SIGINT, signal.default_int_handler)  # children would not hear it either


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)
