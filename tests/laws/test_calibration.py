"""What a default call says of itself beside the truth on fresh points.

The errors are compared over distributions of points, functions and noise. A single draw may be off:
a law is one of medians and shares over draws.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks.calibration import DISTRIBUTIONS, NOISES, RECIPES, Outcome, measure

from effort import seeds

QUICK = ("tanh", "square, cube")  # recipes of the quick tests
FAR = ("t", "lognormal")  # points far outside the range of the others: gross extrapolation


@cache
def outcomes(kind: str, noise: str, n_points: int, n_seeds: int, names: tuple[str, ...]):
    return [
        measure(kind, RECIPES[name], noise, n_points, 3, 100 + seed)
        for name in names
        for seed in seeds(n_seeds)
    ]


def check_ratios(found: list[Outcome], lowest: float, highest: float, most: float) -> None:
    """The median of true over estimated error, and the ratio that 90 % stay below."""
    ratios = np.array([one.ratio for one in found])
    assert lowest < np.median(ratios) < highest
    assert np.mean(ratios < most) >= 0.9


@pytest.mark.parametrize(("kind", "noise"), [("uniform", "values"), ("gaussian", "jacobians")])
def test_estimated_error_is_that_of_new_points(kind, noise):
    check_ratios(outcomes(kind, noise, 80, 1, QUICK), 0.3, 2.0, 5.0)


def test_error_of_clean_points_is_estimated_in_spite_of_outliers():
    found = outcomes("uniform", "outliers", 120, 1, QUICK)
    check_ratios(found, 0.3, 2.0, 5.0)
    assert all(one.warned for one in found)


def test_directions_that_are_called_identified_are_right():
    for kind, noise in (("uniform", "values"), ("gaussian", "jacobians")):
        assert not any(one.wrong_direction for one in outcomes(kind, noise, 80, 1, QUICK))


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("kind", DISTRIBUTIONS)
def test_estimated_error_is_that_of_new_points_over_many_draws(kind, noise):
    found = outcomes(kind, noise, 120, 1, tuple(RECIPES))
    if kind not in FAR:
        check_ratios(found, 0.2, 2.0, 6.0)
    claimed = [one for one in found if one.identified]
    assert sum(one.wrong_direction for one in claimed) <= max(1, 0.05 * len(claimed))
