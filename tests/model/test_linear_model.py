"""A function as a linear model plus curved remainders."""

import numpy as np
import pytest

import unbraid
from unbraid.model._linear_panels import list_linear_panels
from unbraid.model._panels import BarPanel, CurvePanel
from unbraid.model._views import describe_function


@pytest.fixture(scope="module")
def description():
    points = np.random.default_rng(0).normal(size=(300, 2))
    points[:, 1] = points[:, 0] + 0.1 * points[:, 1]  # strongly correlated, as lags are

    def f(p):
        return np.column_stack([3 * p[:, 0] - p[:, 1] + 0.1 * p[:, 0] ** 2 + 5, 0 * p[:, 0]])

    d = unbraid.decouple(f, points, n_branches=2, basis=unbraid.Polynomial(2), random_state=0)
    return describe_function(d, None, ["pump(t-1)", "level(t-1)"], ["level(t)", "leak"], True)


def test_slopes_are_those_of_the_function(description):
    line = description.rows[0]
    assert line.term == "linear"
    assert "pump(t-1)" in line.formula
    assert description.linear[0] == pytest.approx([3, -1], abs=0.1)


def test_sentence_names_the_linear_model_first(description):
    sentence = description.sentences[0]
    assert sentence.startswith("level(t) is a linear model of pump(t-1) and level(t-1) (9")
    assert "a quadratic function of" in sentence
    assert description.sentences[1] == "leak is constant."


def test_shares_add_up(description):
    model = description.linear_model
    total = model.shares["level(t)"] + sum(share for _, share in model.remainders["level(t)"])
    assert total + description.remainder["level(t)"] == pytest.approx(1, abs=1e-5)


def test_says_nothing_about_correlations(description):
    assert description.notes == ()


def test_panels_are_bars_and_remainders_without_slope(description):
    panels, left_out = list_linear_panels(description)
    assert left_out == 0
    bars, *curves = panels
    assert isinstance(bars, BarPanel)
    assert bars.names == ("pump(t-1)", "level(t-1)")
    assert bars.slopes == pytest.approx([3, -1], abs=0.1)
    assert curves
    assert all(isinstance(panel, CurvePanel) for panel in curves)
    z = curves[0].data
    h = np.interp(z, curves[0].x, curves[0].y)
    assert abs(np.polyfit(z, h, 1)[0]) < 0.02 * np.ptp(h)


def test_panels_of_chosen_outputs(description):
    assert list_linear_panels(description, ["leak"]) == ([], 0)
