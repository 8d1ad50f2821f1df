"""The arguments of ``sample``."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from sources.functions import POINTS, table
from sources.networks import NETWORK
from unbraid import InvalidOptionError, InvalidSamplesError, SamplingError, sample
from unbraid.sampling import uniform


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, POINTS), InvalidOptionError, "evaluate int"),
        ((table, POINTS[:, 0]), InvalidSamplesError, "single input"),
        ((table, np.empty((0, 2))), InvalidSamplesError, "empty"),
        ((table, [[1, "a"]]), InvalidSamplesError, "rectangular"),
        ((table, [[1.0, np.inf]]), InvalidSamplesError, r"index \(0, 1\)"),
        ((table, POINTS, lambda p: np.ones(3)), SamplingError, "jacobian"),
        ((lambda p: p[:, :1], np.ones((5, 3)), lambda p: np.ones((3, 1))), SamplingError, "shape"),
    ],
)
def test_rejects_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        sample(*arguments)


def test_rejects_missing_points():
    for call in (lambda: sample(np.sin), lambda: unbraid.decouple(np.sin, n_branches=1)):
        with pytest.raises(InvalidOptionError, match="missing"):
            call()


def test_jacobians_of_the_model_or_the_user_count_as_given():
    assert sample(NETWORK, POINTS).source == "given"
    assert sample(lambda p: NETWORK(p), POINTS, NETWORK.jacobian).source == "given"


PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda p: bent(p).astype(object), "type object"),
        (lambda p: (p[:, 0], p[:, 1]), "(2, 150)"),
        (lambda p: bent(p) - p[:, :1].mean(), "other values"),
    ],
)
def test_error_says_why_f_takes_no_table(f, reason):
    with pytest.raises(SamplingError) as caught:
        unbraid.sample(f, PLANE)
    assert reason in str(caught.value)
