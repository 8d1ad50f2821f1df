"""Corners of the report and of the figures: too much of everything, or nothing at all."""

from __future__ import annotations

import re

import numpy as np
import pytest

import unbraid
from unbraid import DecoupledFunction, InvalidOption, Polynomial
from unbraid.cases._records import Recording
from unbraid.model._branch import Branch, Expansion
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.reports import report
from unbraid.reports._error_section import _row
from unbraid.reports.charts._branch import branch_chart
from unbraid.reports.charts._draw import log_ticks, padded
from unbraid.reports.charts._signals import close_up, overview

RNG = np.random.default_rng(6)
Z = np.linspace(-1, 1, 30)
U = RNG.standard_normal(60)
Y = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,)).simulate(U, [0.0])


def branch(*coefficients, extrapolate="linear"):
    curve = Expansion(Polynomial(len(coefficients)).bind(Z), np.array(coefficients))
    return Branch(curve, extrapolate)


def function_of(m, n, r, extrapolate="linear"):
    branches = tuple(branch(1.0, 0.2, 0.1 * i, extrapolate=extrapolate) for i in range(r))
    V = RNG.standard_normal((m, r))
    return DecoupledFunction(RNG.standard_normal((n, r)), V, branches, np.ones(n))


def text_of(path):
    """The words on a page, without its programs."""
    page = re.sub(r"<(script|style).*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.S)
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


# Pages -----------------------------------------------------------------------------------------


def test_more_than_a_page_has_room_for(tmp_path):
    path = report(function_of(m=150, n=15, r=14), tmp_path / "r.html")
    text = text_of(path)
    assert "And 3 more outputs." in text
    assert "see the branches below, those that contribute most first." in text
    assert "Copy LaTeX" not in text


def test_branches_that_end(tmp_path):
    d = DecoupledFunction([[1.0]], [[1.0]], (branch(1.0, extrapolate="nan"),), [0.0])
    path = tmp_path / "r.html"
    outside = np.full((5, 1), 9.0)
    with pytest.raises(InvalidOption, match="data lies"):
        report(d, path, data=(outside, outside))
    assert not path.exists()
    points = np.linspace(-1, 1.5, 25)[:, None]
    text = text_of(report(d, path, data=(points, points)))
    assert "Beyond the data the branches are not defined." in text
    assert "error on the data given unknown" in text
    assert "at 20 points" in text  # of 25, those within the range


def test_data_of_two_points_say_little_but_are_drawn(tmp_path):
    d = function_of(m=2, n=1, r=2)
    points = RNG.uniform(-0.5, 0.5, (2, 2))
    text = text_of(report(d, tmp_path / "r.html", data=(points, d(points) + 0.01)))
    assert "Residuals, actual less fitted, at 2 points." in text


def test_a_scan_without_a_record_to_test_on(tmp_path):
    pytest.importorskip("joblib")
    pytest.importorskip("threadpoolctl")
    model = fit_polynomial_narx(U, Y, (0,), (1,), degree=1)
    found = unbraid.scan(model, n_branches=[1], refine=False, progress=False)
    text = text_of(report(found, tmp_path / "r.html"))
    assert "Simulation error, mean of the outputs. Pick a point" in text


def test_residuals_of_which_none_is_a_number():
    said = str(_row(np.ones(3), np.full(3, np.nan), "lift", named=True))
    assert "lift: no residuals that are numbers." in said
    assert "<svg" not in said


# Charts ----------------------------------------------------------------------------------------


def test_axes_of_a_single_number_have_some_width():
    assert padded([3.0, 3.0]) == pytest.approx((2.7, 3.3))
    assert padded([-3.0, -3.0]) == pytest.approx((-3.3, -2.7))
    assert padded([0.0, 0.0]) == (-1.0, 1.0)


def test_marks_of_a_short_axis_far_from_one():
    places, labels, _ = log_ticks(1e-7, 5e-7, 4)
    assert places == pytest.approx([1e-7, 2e-7, 5e-7])
    assert labels == [log_ticks(1e-7, 1e-4, 9)[1][0], *(f"{k}·{labels[0]}" for k in (2, 5))]


def test_data_all_in_one_place_have_no_density():
    spread, alike = (str(branch_chart(branch(1.0), 1, "p1", z)) for z in (Z, np.zeros(9)))
    assert re.search(r'class="density" d="M', spread)
    assert not re.search(r'class="density" d="M', alike)
    assert 'class="curve"' in alike


def test_a_short_record_needs_no_close_up():
    assert close_up(np.ones(100), np.zeros(100), "y") is None
    assert close_up(np.ones(1000), np.full(1000, np.nan), "y") is None
    assert close_up(np.ones(1000), np.zeros(1000), "y") is not None


def test_the_ends_of_records_are_marked():
    y = RNG.standard_normal(50)
    for chart in map(str, overview(y, 0.9 * y, [20, 35, 50], "y")):
        (strokes,) = re.findall(r'class="guide" d="([^"]*)"', chart)
        assert strokes.count("M") == 2
    assert not any('class="guide" d=' in str(c) for c in overview(y, 0.9 * y, [50], "y"))


# Figures ---------------------------------------------------------------------------------------


def test_panels_without_a_branch_are_not_seen():
    pytest.importorskip("matplotlib")
    from unbraid.reproduce.figures._style import branch_grid

    figure = branch_grid(function_of(m=2, n=1, r=3), "three branches", columns=2)
    assert [panel.get_visible() for panel in figure.axes] == [True, True, True, False]


def test_a_model_that_cannot_be_refined_is_shown_as_it_is():
    from unbraid.reproduce._narx import _refined

    d = function_of(m=2, n=1, r=1)
    model = NARX(d, (0,), (1,), limit=1e-9)
    assert _refined(model, Recording(U, 1e-12 * U), quick=True) is model
