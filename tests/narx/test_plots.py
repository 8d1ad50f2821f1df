"""Figures of NARX models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from narx.systems import make_branch, make_stable_model, make_stable_record
from unbraid import DecoupledFunction
from unbraid.cases import duffing
from unbraid.narx import NARX, fit_polynomial_narx


@pytest.fixture(scope="module")
def twin():
    data = duffing(16384, 8192, random_state=0)
    return data, fit_polynomial_narx(*data.train)


@pytest.mark.slow
def test_plots_simulation_and_branches(tmp_path, twin):
    pytest.importorskip("matplotlib")
    data, reference = twin
    figure = reference.plot(*data.arrow, initial=50, path=tmp_path / "simulation.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "simulation.png").stat().st_size > 10_000
    small = reference.decouple(2, n_points=100, n_starts=2, random_state=0)
    labels = [t.get_text() for t in small.plot_branches().axes[2].get_xticklabels()]
    assert labels == ["u(t)", "u(t−1)", "y(t−1)", "y(t−2)", "y(t−3)"]


def test_plots_short_records_one_after_the_other(tmp_path):
    pytest.importorskip("matplotlib")
    u, y = make_stable_record()
    figure = make_stable_model().plot([u[:6], u[6:12]], [y[:6], y[6:12]], path=tmp_path / "p.png")
    top, middle, _, bottom = figure.axes
    for panel in (top, middle):
        assert [6, 6] in [list(line.get_xdata()) for line in panel.lines]
    assert not bottom.lines  # too few samples for a spectrum
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_plots_branches_without_data_and_with_two_outputs():
    pytest.importorskip("matplotlib")
    V = np.random.default_rng(8).standard_normal((3, 2))
    d = DecoupledFunction(np.eye(2), V, (make_branch(1.0), make_branch(0.5)), np.zeros(2))
    figure = NARX(d, (0,), (1,)).plot_branches()
    assert len(figure.axes) == 3 * 2
    weights = [patch.get_height() for patch in figure.axes[4].patches]
    assert weights == [1, 0]
    assert [text.get_text() for text in figure.axes[4].get_xticklabels()] == ["y1", "y2"]


def test_plots_the_linear_part_and_remainders_with_the_names_of_signals(tmp_path):
    pytest.importorskip("matplotlib")
    u = np.random.default_rng(0).uniform(-1, 1, 300)
    y = NARX(lambda p: 0.5 * p[:, 0] + 0.6 * p[:, 1] - 0.2 * p[:, 1] ** 3, (1,), (1,)).simulate(
        u, [0.0]
    )
    fitted = fit_polynomial_narx(u, y, (1,), (1,), 3, input_names=["pump"], output_names=["level"])
    small = fitted.decouple(1, n_points=200, n_starts=2, random_state=0)
    bars, curve, *_ = small.plot_terms(tmp_path / "terms.png").axes
    assert [t.get_text() for t in bars.get_yticklabels()] == ["pump(t-1)", "level(t-1)"]
    assert "remainder" in curve.get_title(loc="left")
    assert (tmp_path / "terms.png").stat().st_size > 5000
    weights = small.plot_branches().axes[1]
    assert [t.get_text() for t in weights.get_xticklabels()] == ["pump(t−1)", "level(t−1)"]
    assert "pump(t-1)" in small._repr_html_()


def test_axes_are_in_seconds_and_hertz_if_the_sampling_time_is_known():
    pytest.importorskip("matplotlib")
    u, y = make_stable_record()
    model = replace(make_stable_model(), sampling_time=0.01)
    figures = [m.plot(u, y) for m in (model, replace(model, sampling_time=None))]
    labels = [[panel.get_xlabel() for panel in figure.axes] for figure in figures]
    assert labels[0][1:] == ["time (s)", "time (s)", "frequency (Hz)"]
    assert labels[1][1:] == ["sample", "sample", "frequency (cycles per sample)"]
    seconds, samples = (figure.axes[3].lines[0].get_xdata() for figure in figures)
    np.testing.assert_allclose(seconds, samples / 0.01)
