"""Scores of tests that start from outputs, from rest and in steady state."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid.cases import Recording
from unbraid.narx import NARX
from unbraid.public_benchmarks import BenchmarkRecord, Start, TestSignal
from unbraid.public_benchmarks._scores import score_tests
from unbraid.statespace import StateSpace

SLOW = StateSpace(None, 1, linear=[[0.99, 1.0], [1.0, 0.0]])
SLOW_NARX = NARX(lambda p: 0.99 * p[:, 1] + p[:, 0], (1,), (1,))


def make_record(**tests):
    return BenchmarkRecord("emps", (Recording(np.ones(2), np.ones(2)),), tests, 1.0, "mm", 1000.0)


@pytest.mark.parametrize("model", [SLOW, SLOW_NARX])
def test_the_exact_model_has_no_error_however_the_test_starts(model):
    u = np.random.default_rng(0).normal(size=400)
    u -= u.mean()
    u[0] = 0.0
    long = SLOW.simulate(np.tile(u, 20), x0=[0.0])
    first = np.zeros(400)
    for t in range(399):
        first[t + 1] = 0.99 * first[t] + u[t]
    record = make_record(
        window=TestSignal(u, long[-400:], initial=10),
        rest=TestSignal(u, first, start=Start.REST),
        period=TestSignal(u, long[-400:], start=Start.PERIODIC),
    )
    errors = score_tests(model, record)
    spread = 1000 * long.std()
    assert errors["window"] < 1e-3 * spread
    assert errors["rest"] < 1e-6
    assert errors["period"] < 0.1 * spread  # one period before it is not the whole past


def test_errors_are_scaled_and_leave_out_the_window():
    u = np.zeros(50)
    y = np.r_[np.zeros(10), np.full(40, 2.0)]
    record = make_record(test=TestSignal(u, y, initial=10))
    assert score_tests(SLOW, record) == {"test": pytest.approx(2000.0)}


def test_a_model_that_diverges_has_an_infinite_error():
    unstable = StateSpace(None, 1, linear=[[4.0, 1.0], [1.0, 0.0]])
    u, y = np.ones(600), np.ones(600)
    record = make_record(
        rest=TestSignal(np.r_[0.0, u[1:]], y, start=Start.REST), window=TestSignal(u, y, initial=10)
    )
    assert score_tests(unstable, record) == {"rest": np.inf, "window": np.inf}
