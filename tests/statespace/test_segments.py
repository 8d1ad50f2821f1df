"""Tests of refinement on segments of growing length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import DivergenceError, Polynomial
from unbraid.cases import duffing
from unbraid.dynamics._records import Record
from unbraid.statespace import identify
from unbraid.statespace._problem import StateSpaceProblem
from unbraid.statespace._segments import cut_segments


def test_segments_are_spread_over_the_records():
    records = [Record(np.arange(n)[:, None] * 1.0, np.zeros((n, 1))) for n in (100, 25)]
    segments = cut_segments(StateSpaceProblem(records), 20, 3)
    assert [len(record) for record in segments.records] == [20, 20, 20]
    assert [record.u[0, 0] for record in segments.records] == [0.0, 40.0, 0.0]


@pytest.fixture(scope="module")
def spring():
    data = duffing(600, 400, random_state=0)
    options = {"extrapolate": "basis", "n_starts": 1, "random_state": 0}
    return data, identify(*data.train, 2, 1, Polynomial(3), **options)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1.06, 1.1])
def test_a_model_that_diverges_is_refined(spring, factor):
    data, model = spring
    linear = model.linear.copy()
    linear[:2, :2] *= factor
    diverging = replace(model, linear=linear)
    assert diverging.score(*data.train).diverged_at is not None
    refined = diverging.refine(*data.train)
    assert refined.score(*data.test).percent < 1.1 * model.score(*data.test).percent


@pytest.mark.slow
def test_a_model_that_diverges_at_once_is_refused(spring):
    data, model = spring
    linear = model.linear.copy()
    linear[:2, :2] *= 1e6
    with pytest.raises(DivergenceError):
        replace(model, linear=linear).refine(*data.train)
