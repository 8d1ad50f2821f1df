"""Tests of data that a model was fitted to."""

import numpy as np
import pytest

import unbraid
from unbraid.errors import InvalidSamplesError
from unbraid.pipeline._target import make_target

POINTS = np.random.default_rng(0).uniform(-1, 1, (200, 3))


def evaluate(p):
    small = 0.03 * np.sin(3 * p[:, 2] + p[:, 1])
    return (np.tanh(2 * p[:, 0]) + p[:, 1] ** 2 + small)[:, None]


@pytest.fixture(scope="module")
def noisy():
    values = evaluate(POINTS)
    return values + 0.1 * values.std() * np.random.default_rng(1).normal(size=values.shape)


@pytest.fixture(scope="module")
def found(noisy):
    return unbraid.decouple(evaluate, POINTS, target=noisy, random_state=0)


def test_error_small_beside_that_of_the_model_is_enough(found):
    assert found.solution.count_status == "accuracy"
    assert found.n_branches == 2  # the small third one is left out
    assert found.held_out_error[0] < 4


def test_errors_against_the_data_are_reported(found):
    details = found.solution.details
    assert details["model_error"][0] == pytest.approx(10, rel=0.1)
    assert details["data_error"][0] < 1.05 * details["model_error"][0]


def test_values_of_the_model_itself_change_nothing():
    samples = unbraid.sample(evaluate, POINTS)
    assert make_target(samples.values[:, 0], samples).tolerance == 0


def test_rejects_data_of_other_rows_or_columns(noisy):
    for target in (noisy[:-1], np.hstack([noisy, noisy])):
        with pytest.raises(InvalidSamplesError, match="target"):
            unbraid.decouple(evaluate, POINTS, target=target)


def test_rejects_data_that_the_model_does_not_describe(noisy):
    with pytest.raises(InvalidSamplesError, match="target"):
        unbraid.decouple(evaluate, POINTS, target=-noisy)
