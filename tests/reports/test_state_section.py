"""Reports of state-space models."""

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from report_helpers import HOSTILE, Page
from unbraid import InvalidOptionError, InvalidSamplesError
from unbraid.reports import report
from unbraid.reports._number_format import format_percent
from unbraid.statespace import StateSpace


@pytest.fixture(scope="module")
def page(cubic_model, cubic_record, tmp_path_factory):
    path = tmp_path_factory.mktemp("statespace") / "model.html"
    u, y = cubic_record
    return Page(report(cubic_model, path, data=(u[200:], y[200:])))


def test_page_shows_words_curves_poles_and_simulation(page, cubic_model, cubic_record):
    description = cubic_model.describe()
    assert description.summary in page.text
    assert description.curves[0].sentence in page.text
    u, y = cubic_record
    percent = cubic_model.score(u[200:], y[200:]).percent
    assert f"simulation error on the training record {format_percent(percent)}" in page.text
    assert "2 states, 1 branch, 12 degrees of freedom" in page.text
    assert len(page.all("path", "curve")) == 3  # the branch, output at rest, frequency response
    assert len(page.all("path", "pole")) == 2
    assert len(page.all("path", "measured")) == 2  # over time, and its spectrum
    assert "time constant (s)" in page.text
    assert "Static gain of the linear part: u to y" in page.text
    assert "V = [[" in page.text
    assert all(svg["aria-label"] for svg in page.all("svg"))


def test_output_at_rest_is_beside_the_linear_part(page, cubic_model):
    assert page.text.index("Output at rest") < page.text.index("Linear part")
    assert len(page.all("path", "linear")) == 1
    level = cubic_model.describe().operating_levels[0]
    assert level.format(("y",), cubic_model.sampling_time) in page.text


def test_models_without_steady_states_have_no_output_at_rest(cubic_model, tmp_path):
    linear = cubic_model.linear.copy()
    linear[:2, :2] = 3 * np.eye(2)
    page = Page(report(replace(cubic_model, linear=linear), tmp_path / "unstable.html"))
    assert "Output at rest" not in page.text


def test_downloaded_file_loads_the_model(page, cubic_model, cubic_record, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(page.download())
    u, y = cubic_record
    again = unbraid.load(path).simulate(u, y[:50])
    np.testing.assert_array_equal(again, cubic_model.simulate(u, y[:50]))


def test_linear_models_and_models_without_records(cubic_model, tmp_path):
    linear = replace(cubic_model, function=None, data=None, sampling_time=None)
    names = {"names": ["force"], "outputs": [HOSTILE[0]]}
    page = Page(report(linear, tmp_path / "linear.html", **names))
    assert "2 states, linear" in page.text
    assert "the error was not measured" in page.text
    assert "unbraid.report(..., data=(u, y))" in page.text
    assert "cycles per sample" in page.text
    assert "force to" in page.text
    assert len(page.all("script")) == 1
    assert len(page.all("path", "curve")) == 1


def test_divergence_is_reported(cubic_model, cubic_record, tmp_path):
    wild = replace(cubic_model, linear=2 * cubic_model.linear)
    page = Page(report(wild, tmp_path / "wild.html", data=cubic_record))
    assert "This model diverges in simulation" in page.text
    assert "The simulation diverges at sample" in page.text
    assert "The linear part is not stable." in page.text


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"data": 3}, InvalidOptionError),
        ({"data": (np.ones(50), np.ones((50, 2)))}, InvalidSamplesError),
        ({"names": ["a", "b"]}, InvalidOptionError),
        ({"outputs": []}, InvalidOptionError),
    ],
)
def test_bad_options_are_refused(cubic_model, tmp_path, options, error):
    with pytest.raises(error):
        report(cubic_model, tmp_path / "x.html", **options)


def test_coupled_models_are_refused(tmp_path):
    with pytest.raises(InvalidOptionError, match="decouple"):
        report(StateSpace(np.tanh, 1), tmp_path / "x.html")
