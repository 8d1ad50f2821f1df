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
NEAR = [kind for kind in DISTRIBUTIONS if kind not in ("t", "lognormal")]  # no heavy tails


@cache
def outcomes(kind: str, noise: str, n_points: int, n_seeds: int, names: tuple[str, ...]):
    return [
        measure(kind, RECIPES[name], noise, n_points, 3, 100 + seed)
        for name in names
        for seed in seeds(n_seeds)
    ]


def check_ratios(
    found: list[Outcome], lowest: float, highest: float, most: float, share: float = 0.9
) -> None:
    """The median of true over estimated error, and the ratio that most stay below."""
    ratios = np.array([one.ratio for one in found])
    assert lowest < np.median(ratios) < highest
    assert np.mean(ratios < most) >= share


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "noise"), [("uniform", "values"), ("gaussian", "jacobians")])
def test_estimated_errors_and_directions_are_right(kind, noise):
    found = outcomes(kind, noise, 80, 1, QUICK)
    check_ratios(found, 0.3, 2.0, 5.0)
    assert not any(one.wrong_direction for one in found)  # that is called identified


@pytest.mark.slow
def test_error_of_clean_points_is_estimated_in_spite_of_outliers():
    found = outcomes("uniform", "outliers", 120, 1, QUICK)
    check_ratios(found, 0.3, 2.0, 5.0)
    assert all(one.warned for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_claims_hold_over_many_distributions_and_functions(noise):
    found = {kind: outcomes(kind, noise, 120, 1, tuple(RECIPES)) for kind in DISTRIBUTIONS}
    check_ratios([one for kind in NEAR for one in found[kind]], 0.3, 2.0, 6.0, share=0.8)
    claimed = [one for kind in DISTRIBUTIONS for one in found[kind] if one.identified]
    assert sum(one.wrong_direction for one in claimed) <= 0.05 * len(claimed)
