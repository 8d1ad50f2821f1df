"""Reports of scans."""

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from report_helpers import Page, read_text
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.reports import report
from unbraid.scans import Scan


def test_scan_shows_the_selected_model_and_lists_all(scan, scan_page):
    page = Page(scan_page)
    best = f"model-{scan.best_row().index}"
    shown = [a["id"] for a in page.all("article") if "hidden" not in a]
    assert shown == [best]
    assert len(page.all("article")) == 6
    assert len(page.all("a", "point")) == 12
    assert {a["data-model"] for a in page.all("a", "point") if "aria-current" in a} == {best}
    assert "23 parameters (the coupled model has 14)" in page.text
    assert f"scan[{scan.best_row().index}].model" in page.text
    assert 'load_scan("scan.db")' in page.text
    assert len(page.all("tr")) >= 7
    assert "Recommended: 3 branches" in page.text
    assert "errors that differ by less than 1 % of themselves" in page.text
    assert "and errors below 10⁻⁶ %, count as equal" in page.text
    assert "n branches" not in page.text


def test_failed_rows_and_warnings_are_in_the_table(scan, tmp_path):
    broken = replace(
        scan.rows[0], failure="<b>no luck</b>", document=None, fitted_error=None,
        held_out_error=None, n_parameters=None, compression=None,
    )  # fmt: skip
    loud = replace(scan.rows[1], warnings=("did not settle",))
    page = Page(report(replace(scan, rows=(broken, loud, *scan.rows[2:])), tmp_path / "a.html"))
    assert "failed: <b>no luck</b>" in page.text
    assert page.text.count("did not settle") == 2
    assert len(page.all("article")) == 5
    none = Page(report(replace(scan, rows=(broken,)), tmp_path / "b.html"))
    assert "No model was found" in none.text
    assert not none.all("article")


def test_errors_of_any_size_are_drawn_inside_the_chart(scan, tmp_path):
    errors = (0.0, 1e-14, np.inf, 1e3, 5.0)
    rows = [replace(row, held_out_error=e) for row, e in zip(scan.rows, errors, strict=False)]
    page = Page(report(replace(scan, rows=tuple(rows)), tmp_path / "a.html"))
    assert len(page.all("a", "point")) == 10
    circles = np.array([[float(a["cx"]), float(a["cy"])] for a in page.all("circle", "halo")])
    assert circles.min() > 0
    assert circles.max() < 460
    assert "nan" not in page.source.split("</style>")[1].split("<script")[0].lower().split()


@pytest.mark.slow
def test_best_of_very_many_models_have_a_section(scan, tmp_path):
    best = scan.best_row()
    copies = [
        replace(scan.rows[k % 6], index=k, held_out_error=1.0 + k, settings={"method": f"m{k % 9}"})
        for k in range(6, 76)
    ]
    many = replace(scan, rows=(*scan.rows, *copies))
    page = Page(report(many, tmp_path / "many.html"))
    assert len(page.all("article")) <= 60
    assert f"model-{best.index}" in {a["id"] for a in page.all("article")}
    faint = len(page.all("g", "faint"))
    assert faint == 2 * (76 - len(page.all("article")))
    assert "faint points are not" in page.text


def test_narx_scan_shows_the_coupled_model(narx, tmp_path):
    row = unbraid.scans.Row(
        0, {"method": "varpro"}, 2, 1.0, 2.0, 19, 17, 2.9, 0.1, (1.0,), (2.0,), (), "",
        narx.to_dict(), narx.data, (),
    )  # fmt: skip
    scan = Scan((row,), "narx", "NARX model", 56, (1.4, 1.5), None)
    page = Page(report(scan, tmp_path / "narx.html"))
    assert len(page.all("path", "reference")) == 3
    assert "the coupled model, 1.5 %" in page.text
    assert "simulation error on the test record" in page.text
    assert 'unbraid.narx.load("model-0.json")' in page.text


def test_narx_scan_without_test_record(rng, tmp_path):
    pytest.importorskip("joblib")
    pytest.importorskip("threadpoolctl")
    u = rng.standard_normal(60)
    y = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,)).simulate(u, [0.0])
    model = fit_polynomial_narx(u, y, (0,), (1,), degree=1)
    found = unbraid.scan(model, n_branches=[1], refine=False, progress=False)
    text = read_text(report(found, tmp_path / "r.html"))
    assert "Simulation error, mean of the outputs. Select a point" in text
