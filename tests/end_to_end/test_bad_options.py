"""Options and samples that decouple rejects."""

import numpy as np
import pytest

import unbraid
from end_to_end.problems import METHODS, decouple_implicit
from unbraid import (
    DegenerateBranchError,
    Filter,
    InvalidOptionError,
    InvalidSamplesError,
    Polynomial,
    Samples,
    decouple,
)
from unbraid.cases import toy_polynomial, toy_samples
from unbraid.solvers import Implicit, VarPro

SAMPLES = toy_samples(30, 0)


VARPRO = [
    ({"n_branches": 0}, InvalidOptionError, "n_branches"),
    ({"n_branches": "many"}, InvalidOptionError, "n_branches"),
    ({"basis": "cubic"}, InvalidOptionError, "'cubic'"),
    ({"basis": Polynomial(40)}, InvalidOptionError, "40 coefficients"),
    ({"filters": []}, InvalidOptionError, "'filters'"),
    ({"smoothness": 1.0}, InvalidOptionError, "'smoothness'"),
    ({"colour": "red"}, InvalidOptionError, "'colour'"),
    ({"held_out": 1.5}, InvalidOptionError, "held_out"),
    ({"held_out": True}, InvalidOptionError, "held_out"),
    ({"held_out": unbraid.cases.reduction_samples(30, 0)}, InvalidSamplesError, "held_out has"),
    ({"n_branches": "auto", "tolerance": 0}, InvalidOptionError, "tolerance"),
    ({"n_branches": "auto", "max_branches": 0}, InvalidOptionError, "max_branches"),
    ({"jacobian_weight": -1.0}, InvalidOptionError, "jacobian_weight"),
    ({"value_weight": "much"}, InvalidOptionError, "value_weight"),
    ({"jacobian_weight": 0, "value_weight": 0}, InvalidOptionError, "both 0"),
    ({"smoothing": np.inf}, InvalidOptionError, "smoothing"),
    ({"n_starts": 0}, InvalidOptionError, "n_starts"),
    ({"max_iterations": 1.5}, InvalidOptionError, "max_iterations"),
    ({"refine": "yes"}, InvalidOptionError, "refine"),
    ({"known": 3}, InvalidOptionError, "known"),
    ({"held_out": 0.99}, InvalidOptionError, "held_out = 0.99"),
    ({"held_out": SAMPLES.subset([0])}, InvalidSamplesError, "held_out does"),
    ({"tolerance": -1}, InvalidOptionError, "tolerance"),
    ({"weights": [1.0]}, InvalidOptionError, "weights"),
    ({"method": VarPro(), "n_starts": 3}, InvalidOptionError, "'n_starts'"),
]


@pytest.mark.parametrize(("options", "error", "message"), VARPRO, ids=lambda v: str(v)[:40])
def test_rejects_bad_options_of_varpro(options, error, message):
    with pytest.raises(error, match=message):
        decouple(SAMPLES, **{"n_branches": 2, **options})


IMPLICIT = [
    ({"n_branches": 0}, InvalidOptionError, "n_branches"),
    ({"n_branches": 2.5}, InvalidOptionError, "n_branches"),
    ({"n_branches": True}, InvalidOptionError, "n_branches"),
    ({"method": "magic"}, InvalidOptionError, "'magic'"),
    ({"method": 7}, InvalidOptionError, "method is 7"),
    ({"colour": "red"}, InvalidOptionError, "'colour'"),
    ({"basis": "cubic"}, InvalidOptionError, "'cubic'"),
    ({"extrapolate": "wild"}, InvalidOptionError, "'wild'"),
    ({"v_update": "best"}, InvalidOptionError, "'best'"),
    ({"filters": []}, InvalidOptionError, "filters"),
    ({"filters": ["left"]}, InvalidOptionError, "filters"),
    ({"filters": Filter("left", 31)}, InvalidSamplesError, "the 31"),
    ({"constraints": 3}, InvalidOptionError, "constraints"),
    ({"constraints": [(0.1,), (0.2,)]}, InvalidOptionError, "constraints"),
    ({"method": Implicit}, InvalidOptionError, "Implicit"),
    ({"weights": "abc"}, InvalidOptionError, "weights"),
    ({"weights": [1.0]}, InvalidOptionError, "weights"),
    ({"weights": [1.0, -1.0]}, InvalidOptionError, "weights"),
    ({"n_starts": 0}, InvalidOptionError, "n_starts"),
    ({"max_iterations": -3}, InvalidOptionError, "max_iterations"),
    ({"random_state": "dice"}, InvalidOptionError, "random_state"),
    ({"callback": 3}, InvalidOptionError, "callback"),
    ({"method": "explicit", "smoothness": -1}, InvalidOptionError, "smoothness"),
    ({"method": "explicit", "smoothness": "much"}, InvalidOptionError, "smoothness"),
    ({"method": "explicit", "smoothness": []}, InvalidOptionError, "smoothness"),
    ({"points": SAMPLES.points}, InvalidOptionError, "Samples hold"),
]


@pytest.mark.parametrize(("options", "error", "message"), IMPLICIT, ids=lambda v: str(v)[:40])
def test_rejects_bad_options_of_the_implicit_method(options, error, message):
    with pytest.raises(error, match=message):
        decouple_implicit(SAMPLES, **{"n_branches": 2, **options})


def constant(value, n=30):
    return np.full((n, 2), value)


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        (
            lambda: Samples(SAMPLES.points, constant(1.0), np.zeros((30, 2, 2))),
            InvalidSamplesError,
            "constant",
        ),
        (
            lambda: Samples(constant(1.0), SAMPLES.values, SAMPLES.jacobians),
            InvalidSamplesError,
            "the same",
        ),
        (
            lambda: Samples(SAMPLES.points[:3], SAMPLES.values[:3], SAMPLES.jacobians[:3]),
            InvalidSamplesError,
            "too few",
        ),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_rejects_samples_without_information(samples, error, message, method):
    with pytest.raises(error, match=message):
        decouple_implicit(samples(), n_branches=1, method=method)


def test_rejects_gradients_where_the_points_do_not_vary():
    """All gradients point where the points do not vary: there is no axis to draw a branch on."""
    points = np.column_stack([np.zeros(20), np.linspace(0, 1, 20)])
    jacobians = np.tile([[1.0, 0.0]], (20, 1, 1))
    with pytest.raises(DegenerateBranchError, match="vary"):
        decouple_implicit(Samples(points, np.zeros(20), jacobians), n_branches=1, random_state=0)


def test_rejects_missing_points():
    with pytest.raises(InvalidOptionError, match="missing"):
        decouple_implicit(toy_polynomial(), n_branches=2)
