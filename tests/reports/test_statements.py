"""What a page says agrees with the fields of the model, and promises what it shows."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import unbraid
from report_helpers import Page, Z, make_branch, read_text
from unbraid import BSpline, DecoupledFunction
from unbraid.dynamics._correlation import Correlation
from unbraid.dynamics._records import Record, Records
from unbraid.model._branch import Branch
from unbraid.model._branch_fit import fit_branch
from unbraid.reports import report
from unbraid.reports._explanations import explain_shares, explain_terms
from unbraid.reports._extrapolation_text import describe_extrapolation
from unbraid.reports._model_view import view_function
from unbraid.reports._narx_view import view_narx
from unbraid.reports._provenance_section import encode_model, show_loading
from unbraid.reports._record_name import name_record
from unbraid.reports._verdict import list_checks
from unbraid.reports.charts._signals import Signals, overview


def bend(branch, **options):
    return DecoupledFunction([[1.0]], [[1.0]], (replace(branch, **options),), [0.0])


@pytest.mark.parametrize("margin", [0.0, 0.25, 100.0])
def test_range_is_that_of_the_branches(margin):
    d = bend(make_branch(1.0, 0.5, 0.2), margin=margin)
    low, high = d.branches[0].edges
    text = describe_extrapolation(d)
    bent = np.diff(d(np.linspace(high - 0.3, high, 9)[:, None])[:, 0], 2)
    straight = np.diff(d(np.linspace(high, high + 0.3, 9)[:, None])[:, 0], 2)
    assert np.abs(bent).max() > 1e-6
    np.testing.assert_allclose(straight, 0, atol=1e-9 * np.abs(d([[high]])).max())
    if margin == 0:
        assert text == "beyond the data the curves are straight lines"
    else:
        (far,) = map(float, re.findall(r"by ([\d.]+) times the width of the data", text))
        assert far == pytest.approx((high - Z.max()) / np.ptp(Z))
        assert (high - low) == pytest.approx((1 + 2 * far) * np.ptp(Z))


def test_range_of_several_rules_names_all():
    branches = (make_branch(1.0, extrapolate="nan"), make_branch(1.0, extrapolate="constant"))
    d = DecoupledFunction(np.eye(2), np.eye(2), branches, np.zeros(2))
    text = describe_extrapolation(d)
    assert "beyond the data the curves are constant" in text
    assert "beyond the data there are no values" in text


def with_p_values(found, *values):
    """The validation with other p-values of its first tests."""
    test = found.residuals[0]
    white, inputs = values[0], values[1]
    changed = replace(
        test,
        autocorrelation=replace(test.autocorrelation, p_value=white),
        inputs=tuple(replace(part, p_value=inputs) for part in test.inputs),
        squares=tuple(replace(part, p_value=0.5) for part in test.squares),
    )
    return replace(found, residuals=(changed,))


def test_verdict_on_residuals_states_its_threshold(narx, records):
    view = view_narx(narx, data=tuple(records.test))
    assert isinstance(view.validation.residuals[0].autocorrelation, Correlation)
    passed = replace(view, validation=with_p_values(view.validation, 0.047, 0.03))
    (check,) = [c for c in list_checks(passed) if c.kind == "residuals"]
    assert check.text == (
        "white, and not correlated with past inputs (smallest p-value 0.03; a test fails below "
        "0.01)."
    )
    failed = replace(view, validation=with_p_values(view.validation, 1e-9, 0.03))
    (check,) = [c for c in list_checks(failed) if c.kind == "residuals"]
    assert "are not white noise (smallest p-value below 0.001; a test fails below 0.01)" in (
        check.text
    )


def make_records(*pairs):
    items = tuple(Record(np.array(u)[:, None], np.array(y)[:, None]) for u, y in pairs)
    return Records(items, len(items) > 1, False)


def test_record_of_an_error_is_named(rng):
    u, y = rng.standard_normal((2, 50))
    training = make_records((u, y))
    assert name_record(None, training) == "on the training record"
    assert name_record(make_records((u, y)), training) == "on the training record"
    assert name_record(make_records((u[10:30], y[10:30])), training) == "on the training record"
    assert name_record(make_records((u, -y)), training) == "on the test record"
    longer = make_records((np.append(u, 1.0), np.append(y, 2.0)))
    assert name_record(longer, training) == "on a record that contains the training record"
    assert name_record(training, None) == "on the record given"
    silent = make_records((np.zeros(500), np.zeros(500)))
    assert name_record(make_records((np.zeros(9), np.zeros(9))), silent) == "on the training record"


def test_errors_of_both_records_are_in_the_table(narx, records, narx_page):
    page = Page(narx_page)
    training = narx.score(*records.train).percent
    assert "simulation error on the training record" in page.inside("th")
    assert f"{training:.1f} %" in page.inside("td")
    assert "simulation error on the training record" not in page.inside("dt")


def test_shares_and_errors_are_related(toy):
    noisy = view_function(replace(toy, held_out_error=np.array([4.0, 4.0])))
    text = explain_shares(noisy).replace("\u00a0", " ")
    assert "an error of 4.0 % is 0.16 % of the variance" in text
    assert "is" not in explain_shares(view_function(toy)).split(":")[1:]


def test_caption_promises_what_the_cards_show(toy):
    full = explain_terms(view_function(toy))
    assert "Dots: the estimate" in full
    assert "Maps" in full
    bare = replace(toy, branches=tuple(replace(b, estimate=None, band=None) for b in toy.branches))
    text = explain_terms(view_function(bare))
    assert "Dots: the estimate" not in text
    assert "Shaded" not in text


def make_large(rng):
    """Two splines with many stored points; the second one is small."""
    points = rng.uniform([0, 0], [80, 2], (4000, 2))
    shapes = (np.tanh(points[:, 1] - 1), 0.035 * np.tanh((points[:, 0] - 40) / 10))
    columns = (points[:, 1], points[:, 0])
    curves = [fit_branch(BSpline(12), z, g) for z, g in zip(columns, shapes, strict=True)]
    V = np.array([[0.0, 1.0], [1.0, 0.0]])
    d = DecoupledFunction([[1.0, 1.0]], V, tuple(curves), [0.0], points=points, spread=[23.1, 0.58])
    return d.named(["flow [l/min]", "opening [mm]"], ["torque [Nm]"])


def test_large_model_is_downloaded_without_its_data(rng, tmp_path):
    d = make_large(rng)
    page = Page(report(d, tmp_path / "large.html"))
    assert "The file is without the points of the fit" in page.text
    path = tmp_path / "model.json"
    path.write_bytes(page.download())
    assert path.stat().st_size < 300_000
    points = rng.uniform([-10, -1], [90, 3], (50, 2))
    np.testing.assert_array_equal(unbraid.load(path)(points), d(points))


class Wave:
    """A curve that no file can hold."""

    interval, n_parameters = (-1.0, 1.0), 1

    def __call__(self, z, order=0):
        return np.sin(np.asarray(z) + order * np.pi / 2)


def test_page_says_why_it_has_no_file(toy):
    view = view_function(toy)
    assert "The model file has more than" in "".join(map(str, show_loading(view, 10)))
    wave = DecoupledFunction([[1.0]], [[1.0]], (Branch(Wave()),), [0.0])
    assert encode_model(wave) is None
    text = "".join(map(str, show_loading(replace(view, saved=wave), 300_000)))
    assert "The model cannot be a file" in text


def test_small_terms_without_a_card_are_named(rng, tmp_path):
    text = read_text(report(make_large(rng), tmp_path / "large.html"))
    assert re.search(r"Terms without a card.*flow \[l/min\] in torque \[Nm\] \(0\.\d %\)", text)


def test_bars_are_as_long_as_their_numbers(rng, tmp_path):
    d = bend(make_branch(1.0, 0.5))
    d = replace(d, V=np.array([[0.26], [0.96]]), spread=np.array([25.0, 2.3]))
    page = report(d, tmp_path / "bars.html").read_text()
    start = page.index("effects of the inputs of branch 1")
    chart = page[start : page.index("</svg>", start)]
    widths = [float(w) for w in re.findall(r'width="([\d.]+)"', chart)]
    numbers = [float(t) for t in re.findall(r'class="value end"[^>]*>([\d.]+)', chart)]
    assert numbers == pytest.approx([6.5, 2.2])
    assert widths[0] / widths[1] == pytest.approx(numbers[0] / numbers[1], rel=0.02)


def read_values(chart):
    text = re.search(r'data-chart="([^"]*)"', str(chart))[1]
    return json.loads(text.replace("&quot;", '"').replace("&#34;", '"'))


def test_signals_are_over_time_where_it_is_known(rng):
    y = rng.standard_normal(300)
    chart = overview(Signals("y", y, 0.9 * y, [100, 300], seconds=0.01))[0]
    values = read_values(chart)
    assert values["names"][0] == "time (s)"
    assert values["x"][:2] == [0.0, pytest.approx(2.99)]
    assert "sample" not in re.sub("data-chart=.*?>", "", str(chart))
    plain = read_values(overview(Signals("y", y, 0.9 * y, [300]))[0])
    assert plain["names"][0] == "sample"


def test_simulated_output_is_drawn_over_the_measured_one(rng):
    y = rng.standard_normal(300)
    chart = str(overview(Signals("y", y, 0.9 * y, [300]))[0])
    assert chart.index('class="measured"') < chart.index('class="simulated"')
