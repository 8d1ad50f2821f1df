"""Filters and estimates that the figures show."""

import numpy as np
import pytest

from unbraid.reproduce import _published as published
from unbraid.reproduce._tables import TABLE1
from unbraid.reproduce.figures._filters import compute_gap, differentiate, sample_cube

pytest.importorskip("matplotlib")


def test_filters_are_exact_for_polynomials():
    rng = np.random.default_rng(1)
    z = np.sort(rng.uniform(-1, 1, 20))
    for window in ("left", "central", "right"):
        assert differentiate(window, z, z**4, points=5) == pytest.approx(4 * z**3, abs=1e-9)
    assert np.abs(differentiate("left", z, z**4) - 4 * z**3).max() > 1e-3


def test_noise_separates_left_and_right_derivatives():
    z, clean, noisy = sample_cube()
    noise = np.sqrt(np.mean((noisy - clean) ** 2) / np.mean(clean**2))
    assert noise == pytest.approx(published.FILTER_NOISE, rel=0.3)
    assert compute_gap(z, noisy) > 10 * compute_gap(z, clean)


def test_small_lambda_gives_rough_estimate():
    from unbraid.reproduce.figures._toy import compute_roughness, decouple_for_lambdas

    (small, rough), (large, smooth) = decouple_for_lambdas(TABLE1.samples(0))
    assert (small, large) == published.FIGURE_LAMBDAS
    assert compute_roughness(rough.solution.factors) > 50
    assert compute_roughness(smooth.solution.factors) < 1
    assert smooth.fitted_error.max() < rough.fitted_error.min()


def test_unused_panels_are_hidden(rng):
    from report_helpers import make_function
    from unbraid.reproduce.figures._style import draw_branch_grid

    figure = draw_branch_grid(make_function(2, 1, 3, rng), "three branches", columns=2)
    assert [panel.get_visible() for panel in figure.axes] == [True, True, True, False]
