"""Plots of branches and of terms."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import unbraid
from branch_examples import polynomial_branch, sum_of_branches
from unbraid import DecoupledFunction, InvalidOptionError, MissingExtraError
from unbraid.model._branch_fit import fit_branch
from unbraid.model._panels import MAX_PANELS, ContourPanel, CurvePanel, list_panels

pytest.importorskip("matplotlib")
POINTS = np.random.default_rng(0).uniform(-1, 1, (200, 2)) * [1, 100] + [0, 500]
SQUARE = polynomial_branch(0.0, 1.0, extrapolate="basis")


@pytest.fixture
def curved():
    """A parabola of p1 in the first output, a cubic of p2 in both."""
    z = POINTS[:, 1]
    cubic = fit_branch(unbraid.Polynomial(3), z, ((z - 500) / 100) ** 3)
    return DecoupledFunction(
        np.array([[1.0, 2.0], [0.0, 1.0]]),
        np.eye(2),
        (SQUARE, cubic),
        np.zeros(2),
        points=POINTS,
        input_names=("speed", "load"),
        output_names=("force", "heat"),
    )


def drawn(figure):
    return [axes for axes in figure.axes if axes.get_visible() and axes.get_title(loc="left")]


def test_one_panel_per_term_the_largest_first(curved, tmp_path):
    panels = drawn(curved.plot(tmp_path / "terms.png"))
    titles = [axes.get_title(loc="left") for axes in panels]
    assert titles[0].startswith("100 % of heat")
    assert [title.split(",")[0].split(" of ")[1] for title in titles] == ["heat", "force", "force"]
    assert (tmp_path / "terms.png").stat().st_size > 10_000
    with pytest.raises(unbraid.InvalidFileError, match="cannot write"):
        curved.plot(tmp_path / "no" / "folder.png")


def test_panels_of_an_output_have_one_scale_and_own_units(curved):
    panels = drawn(curved.plot(outputs=["force"]))
    assert len(panels) == 2
    assert len({axes.get_ylim() for axes in panels}) == 1
    by_input = {axes.get_xlabel(): axes for axes in panels}
    low, high = by_input["load"].get_xlim()
    assert 380 < low < 401
    assert 599 < high < 620


def test_draws_on_given_axes(curved):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots(1, 2)
    assert curved.plot(ax=axes, outputs=[0]) is figure
    assert len(drawn(figure)) == 2
    with pytest.raises(InvalidOptionError, match="ax is"):
        curved.plot(ax=3)
    with pytest.raises(InvalidOptionError, match="outputs is"):
        curved.plot(outputs=["none"])
    assert curved.plot(figsize=(3, 2)).get_size_inches().tolist() == [3, 2]


def test_bands_stay_in_the_panel(curved):
    z = np.linspace(-1, 1, 50)
    wide = replace(SQUARE, band=np.column_stack([z, np.where(z < 0, 0.1, 9.0)]))
    d = replace(curved, branches=(wide, curved.branches[1]))
    panel = next(a for a in drawn(d.plot()) if a.get_xlabel() == "speed")
    assert "not determined" in [text.get_text() for text in panel.texts]
    low, high = panel.get_ylim()
    assert high - low < 10


def test_interactions_are_contours():
    points = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    d = sum_of_branches(SQUARE, SQUARE)
    V = np.array([[0.6, 0.6], [0.8, -0.8]])
    d = replace(d, W=np.array([[1.0, -1.0]]), V=V, points=points)
    (panel,), left_out = list_panels(d.describe(), points)
    assert left_out == 0
    assert isinstance(panel, ContourPanel)
    x, y = np.meshgrid(panel.x, panel.y)
    flat = np.column_stack([x.ravel(), y.ravel()])
    error = panel.values.ravel() - d(flat)[:, 0]
    np.testing.assert_allclose(error, error.mean(), atol=1e-6)
    assert drawn(d.plot())[0].get_title(loc="left").startswith("100 % of f, product of p1 and p2")


def test_interactions_of_three_inputs_are_drawn():
    """q times (0.8 T - 0.6 c) over its factors, and a block of four directions as dots."""
    points = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    V = np.array([[1.0, 1.0], [0.8, -0.8], [-0.6, 0.6]])
    W = np.array([[1.0, -1.0]])
    d = DecoupledFunction(W, V, (SQUARE, SQUARE), np.zeros(1), points=points)
    (panel,), _ = list_panels(d.describe(names=["q", "T", "c"]), points)
    assert isinstance(panel, ContourPanel)
    assert "q" in panel.axes
    assert any(" T - 0.6" in name for name in panel.axes)
    near = V + 0.01 * np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0]])
    W = np.array([[30.0, -30.0, -30.0, 31.0]])
    d = DecoupledFunction(W, np.hstack([V, near]), (SQUARE,) * 4, np.zeros(1), points=points)
    (dots,), _ = list_panels(d.describe(), points)
    assert isinstance(dots, CurvePanel)
    assert dots.marks.shape == (300, 2)
    assert len(drawn(d.plot())) == 1


def test_shows_the_largest_of_many_panels():
    r = MAX_PANELS + 4
    points = np.random.default_rng(0).uniform(-1, 1, (300, r))
    d = DecoupledFunction(np.ones((1, r)), np.eye(r), (SQUARE,) * r, np.zeros(1), points=points)
    figure = d.plot()
    assert len(drawn(figure)) == MAX_PANELS
    assert f"{MAX_PANELS} largest of {r}" in figure.get_suptitle()


def test_constant_outputs_have_a_picture():
    d = sum_of_branches(polynomial_branch(0.0, 0.0))
    figure = replace(d, points=np.random.default_rng(0).uniform(-1, 1, (30, 2))).plot()
    assert "constant" in figure.axes[0].texts[0].get_text()


def test_functions_without_points_are_drawn_by_branch(curved):
    figure = replace(curved, points=None).plot()
    panels = [axes for axes in figure.axes if axes.lines]
    assert len(panels) == 2
    fit = panels[0].lines[-1]
    np.testing.assert_allclose(fit.get_ydata(), SQUARE(fit.get_xdata()))


def test_plot_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    branch = fit_branch(unbraid.Polynomial(1), np.arange(5.0), np.arange(5.0))
    with pytest.raises(MissingExtraError, match=r"unbraid\[plot\]"):
        unbraid.model._plotting.plot_branches([branch])
