"""Configurations fit the training records, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import Polynomial
from unbraid.cases import Recording
from unbraid.public_benchmarks import BenchmarkRecord, TestSignal
from unbraid.public_benchmarks._fits import (
    CoupledFit,
    LinearFit,
    NARXFit,
    StateSpaceFit,
    training_signals,
    weigh_large_outputs,
)

from .made_up import make_signals


@pytest.fixture(scope="module")
def record():
    u, y = make_signals(300)
    tests = {"test": TestSignal(*make_signals(100, 1), initial=20)}
    return BenchmarkRecord("emps", (Recording(u, y),), tests, 0.1, "V", 1.0)


@pytest.mark.parametrize(
    ("fit", "most"),
    [
        (LinearFit(1), 30),
        (StateSpaceFit(1, 1, Polynomial(3), {"n_starts": 3}), 5),
        (CoupledFit(n_states=1, degree=3, n_branches=1), 5),
        (NARXFit((1,), (1,), n_branches=2, degree=3, limit=100.0), 5),
    ],
)
def test_every_kind_of_fit_gives_a_model_that_simulates(record, fit, most):
    model, again = fit(record, 0), fit(record, 0)
    test = record.tests["test"]
    score = model.score(test.u, test.y, test.initial)
    assert score.percent < most
    assert again.score(test.u, test.y, test.initial).rmse == score.rmse


def test_several_records_are_lists(record):
    twice = BenchmarkRecord("emps", record.training * 2, {}, None, "V", 1.0)
    u, y = training_signals(twice)
    assert [signal.size for signal in u + y] == [300] * 4
    assert training_signals(twice, 1)[0] is record.training[0].u


def test_weights_are_largest_at_the_largest_outputs():
    y = np.ones(200)
    y[100] = -2.0
    weights = weigh_large_outputs(y)
    assert weights[100] == 1
    assert weights[0] == weights[-1] == 0.25
