"""Reports of NARX models."""

from dataclasses import replace

from report_helpers import Page
from unbraid.reports import report


def test_narx_model_is_simulated(narx, narx_page, records, tmp_path):
    page = Page(narx_page)
    percent = narx.score(*records.test).percent
    assert f"simulation error on the test record {percent:.1f} %" in page.text
    assert "y(t-1)" in page.text
    assert "unbraid.narx.load" in page.text
    assert len(page.all("path", "measured")) == 2  # over time, and its spectrum
    training = Page(report(narx, tmp_path / "own.html"))
    assert "on the training record, 3,000 samples" in training.text
    without = Page(report(replace(narx, data=None), tmp_path / "none.html"))
    assert not without.all("path", "measured")
    assert "unbraid.report(..., data=(u, y))" in without.text


def test_divergence_is_reported(narx, records, tmp_path):
    wild = replace(narx, function=replace(narx.function, V=3 * narx.function.V))
    page = Page(report(wild, tmp_path / "wild.html", data=tuple(records.test)))
    assert "This model diverges in simulation" in page.text
    assert "The simulation diverges at sample" in page.text
