"""The cards of the terms: curves, bands, contours, linear parts."""

import numpy as np

import unbraid
from report_helpers import Page
from unbraid import BSpline, DecoupledFunction, report
from unbraid.model._branch_fit import fit_branch
from unbraid.model._panels import ContourPanel, CurvePanel
from unbraid.narx import NARX
from unbraid.reports.charts._terms import contour_chart, curve_chart

X = np.linspace(-1, 1, 50)


def make_curve(**options):
    return CurvePanel("force", 0.5, "cubic", "speed", X, X**3, X, directions=(0,), **options)


def test_band_is_grey_and_marked_where_it_exceeds_the_curve():
    band = np.where(X > 0.5, 10.0, 0.1)
    chart = curve_chart(make_curve(band=band), (-1, 1), ("speed", "force"))
    assert chart.count('class="band"') == 1
    assert chart.count('class="undetermined"') == 1
    assert "not determined" in chart
    narrow = curve_chart(make_curve(band=0.1 + 0 * X), (-1, 1), ("speed", "force"))
    assert "not determined" not in narrow
    assert "undetermined" not in narrow


def test_dots_outside_the_chart_are_left_out():
    marks = np.array([[0.0, 0.0], [0.1, 1e9]])
    chart = curve_chart(make_curve(marks=marks), (-1, 1), ("speed", "force"))
    (path,) = [part for part in chart.split("<path") if 'class="marks"' in part]
    assert path.count("h0") == 1


def test_contours_use_the_colours_of_the_style_sheet():
    values = np.outer(X, X)
    panel = ContourPanel("force", 0.5, "product", ("a", "b"), X, X, values, np.zeros((3, 2)))
    chart = contour_chart(panel, ("a", "b"))
    assert all(f'class="level-{k}"' in chart for k in range(13))
    assert "−1" in chart
    assert chart.count("h0") == 3


def make_law():
    """4 tanh(command) + 2 payload angle + 0.5 heat, the product as two squares."""
    points = unbraid.sampling.uniform(200, [-2] * 4, [2] * 4, random_state=0)
    V = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, 0], [0, 0, 0, 1]]).T
    z = points @ V
    shapes = (lambda t: 4 * np.tanh(t), lambda t: t**2 / 2, lambda t: -(t**2) / 2, lambda t: t / 2)
    curves = [fit_branch(BSpline(12), t, shape(t)) for t, shape in zip(z.T, shapes, strict=True)]
    d = DecoupledFunction(np.ones((1, 4)), V, tuple(curves), np.zeros(1), points=points)
    return d.named(["command", "payload", "angle", "heat"], ["torque"])


def test_page_has_a_card_per_direction_and_interaction(tmp_path):
    page = Page(report(make_law(), tmp_path / "law.html"))
    assert len(page.all("figure", "term")) == 3
    assert "payload and angle" in page.inside("h4")
    assert page.all("path", "level-0")
    assert "weights of the standardised inputs" in page.text
    assert "% of torque, saturating" in page.text
    assert "% of torque, linear" in page.text


def test_narx_page_is_a_linear_model_and_remainders_with_names(tmp_path):
    rng = np.random.default_rng(0)
    u = rng.uniform(-1, 1, 400)
    true = NARX(lambda p: 0.5 * p[:, 0] + 0.6 * p[:, 1] - 0.1 * p[:, 1] ** 3, (1,), (1,))
    y = true.simulate(u, [0.0])
    names = {"input_names": ["pump"], "output_names": ["level"]}
    fitted = unbraid.narx.fit_polynomial_narx(u, y, (1,), (1,), 3, **names)
    small = fitted.decouple(1, n_points=200, n_starts=2, random_state=0)
    page = Page(report(small, tmp_path / "narx.html"))
    assert "level(t) is a linear model of" in page.text
    assert "pump(t-1)" in page.text
    assert "remainder" in page.text
    assert page.inside("h4").startswith("Linear")
