"""Shared fixtures, and the settings of hypothesis."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import unbraid
from effort import register
from statespace.twins import twin

register()
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a job in the background, whose
    signal.signal(signal.SIGINT, signal.default_int_handler)  # children would not hear it either


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)


@pytest.fixture(scope="session")
def smooth():
    """A small decoupled function of two branches; its accuracy does not matter."""

    def f(p):
        return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)

    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    how = {"basis": unbraid.Polynomial(5), "n_starts": 2, "random_state": 0}
    return unbraid.decouple(f, points, n_branches=2, **how)


@pytest.fixture(scope="session")
def cubic_record():
    """Input and output of a simulated system with a cubic feedback."""
    return twin(lambda z: 0.3 * z**3, 400, amplitude=0.8)[:2]


@pytest.fixture(scope="session")
def cubic_model(cubic_record):
    """A state-space model of two states and one branch, fitted to ``cubic_record``."""
    how = {"n_starts": 1, "random_state": 0, "sampling_time": 0.01}
    return unbraid.statespace.identify(*cubic_record, 2, 1, unbraid.Polynomial(3), **how)
