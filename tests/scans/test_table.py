"""The result of a scan: rows, the best model, the Pareto front, text and pictures."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import unbraid
from scan_helpers import FEW_STARTS, TOY
from unbraid import BSpline, InvalidOptionError, MissingExtraError, Polynomial, Samples
from unbraid.cases import toy_samples

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")


def test_rows_follow_the_grid(toy_scan):
    order = [(row.settings["method"], row.settings["n_branches"]) for row in toy_scan.rows]
    assert order == [(m, r) for m in ("varpro", "implicit") for r in (1, 2, 3)]
    assert [row.index for row in toy_scan.rows] == list(range(6))
    assert toy_scan.problem == "60 points, 2 inputs, 2 outputs, Jacobians given"


def test_table_for_notebooks(toy_scan):
    text = toy_scan._repr_html_()
    assert text.count("<tr>") == 1 + len(toy_scan)
    assert "<th>held out %</th>" in text
    assert "<td>varpro, r = 1</td>" in text
    failed = replace(toy_scan.rows[0], failure="a < b")
    assert "failed: a &lt; b" in replace(toy_scan, rows=(failed,))._repr_html_()


def test_cell_equals_decouple(toy_scan):
    d = unbraid.decouple(
        TOY, n_branches=2, basis=Polynomial(3), n_starts=2, random_state=0, held_out=0.2
    )
    row = toy_scan.rows[1]
    np.testing.assert_allclose(row.model.W, d.W, atol=1e-9)
    assert row.fitted_error == pytest.approx(d.fitted_error.mean())
    assert row.held_out_error == pytest.approx(d.held_out_error.mean())
    assert row.n_parameters == d.n_parameters
    assert row.degrees_of_freedom == d.degrees_of_freedom
    assert len(row.fitted_errors) == len(row.held_out_errors) == 2


def test_best_is_smallest_within_tolerance(toy_scan):
    assert toy_scan.best().n_branches == 3
    assert toy_scan.best_row().settings["method"] == "varpro"
    one, two = toy_scan.rows[0].held_out_error, toy_scan.rows[1].held_out_error
    assert two < one
    assert toy_scan.best(tolerance=1.01 * max(one, toy_scan.rows[3].held_out_error)).n_branches == 1
    assert toy_scan.best(tolerance=1.01 * two).n_branches == 2
    with pytest.raises(InvalidOptionError, match="1e-15"):
        toy_scan.best(tolerance=1e-15)
    with pytest.raises(InvalidOptionError, match="tolerance"):
        toy_scan.best(tolerance=-1)


def test_pareto_front_is_not_dominated(toy_scan):
    front = toy_scan.pareto()
    sizes = [row.n_parameters for row in front]
    errors = [row.error for row in front]
    assert sizes == sorted(set(sizes))
    assert errors == sorted(set(errors), reverse=True)
    for row in toy_scan.rows:
        better = [f for f in front if f.n_parameters <= row.n_parameters and f.error <= row.error]
        assert better or row.error < 1e-6  # below which nothing is told apart


def test_pareto_front_ignores_rounding():
    exact = unbraid.scan(TOY, n_branches=[3, 4], degree=[3, 4], n_starts=2, progress=False)
    assert [row.n_parameters for row in exact.pareto()] == [23]


def test_compression_is_relative_to_coupled_model():
    f = unbraid.PolynomialFunction([[1.0, 2.0, -1.0]], [[2, 0], [1, 1], [0, 2]])
    points = unbraid.sampling.uniform(40, [-1, -1], [1, 1], random_state=0)
    row = unbraid.scan(f, points, 2, degree=2).rows[0]
    assert row.compression == 3 / row.n_parameters
    assert unbraid.scan(TOY, n_branches=1, degree=3).rows[0].compression is None
    named = unbraid.scan(TOY, n_branches=1, degree=3, coupled_parameters=90)
    assert named.rows[0].compression == 10.0


def test_table_text_frame_and_plot(toy_scan, tmp_path):
    columns = set(toy_scan.table()[0])
    assert {"method", "n_branches", "fitted_error", "held_out_error", "n_parameters"} <= columns
    assert {"compression", "seconds", "degrees_of_freedom", "failure"} <= columns
    text = str(toy_scan)
    assert len(text.splitlines()) == 2 + len(toy_scan)
    assert "implicit, r = 3" in text
    assert text.splitlines()[2].startswith("*")
    pandas = pytest.importorskip("pandas")
    frame = toy_scan.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.shape[0] == 6
    pytest.importorskip("matplotlib")
    figure = toy_scan.plot(tmp_path / "scan.png")
    assert figure.axes[0].get_ylabel() == "held-out error (%)"
    assert (tmp_path / "scan.png").stat().st_size > 5000


def test_labels_name_varying_settings():
    bases = [Polynomial(2), BSpline(6)]
    found = unbraid.scan(
        TOY, n_branches=1, basis=bases, random_state=[0, 1], n_starts=1, progress=False
    )
    assert [row.label for row in found.rows] == [
        "varpro, r = 1, Polynomial(2), seed 0",
        "varpro, r = 1, Polynomial(2), seed 1",
        "varpro, r = 1, BSpline(6), seed 0",
        "varpro, r = 1, BSpline(6), seed 1",
    ]


def test_failed_cell_is_a_row():
    grid = {"max_iterations": [50, -1]}
    found = unbraid.scan(TOY, n_branches=1, degree=3, grid=grid, progress=False)
    assert found.rows[0].failure == ""
    assert found.rows[1].model is None
    assert "max_iterations" in found.rows[1].failure
    assert found.rows[1].error is None
    assert found.best().n_branches == 1
    assert "failed" in str(found)
    with pytest.raises(InvalidOptionError, match="no cell"):
        unbraid.scan(TOY, n_branches=1, degree=3, max_iterations=-1, progress=False).best()


def test_warnings_are_kept_not_shown():
    wild = Samples(TOY.points, TOY.values, -2.0 * TOY.jacobians)
    found = unbraid.scan(wild, n_branches=2, degree=3, progress=False)
    assert found.rows[0].warnings


def test_uses_given_held_out_samples():
    mine = toy_samples(50, random_state=9)
    found = unbraid.scan(TOY, n_branches=2, degree=3, held_out=mine, progress=False)
    model = found.rows[0].model
    error = unbraid.relative_error(mine.values, model(mine.points)).mean()
    assert found.rows[0].held_out_error == pytest.approx(error)


def test_progress_is_reported(capsys):
    calls = []
    unbraid.scan(TOY, **FEW_STARTS, progress=lambda *now: calls.append(now))
    assert [(done, total) for done, total, _ in calls] == [(1, 3), (2, 3), (3, 3)]
    assert [row.label for _, _, row in calls] == ["varpro, r = 1", "varpro, r = 2", "varpro, r = 3"]
    assert capsys.readouterr() == ("", "")  # no terminal, no bar
    pytest.importorskip("rich")
    unbraid.scan(TOY, n_branches=1, degree=3, progress=True)
    assert "1/1" in capsys.readouterr().err


def test_axes_may_be_arrays():
    found = unbraid.scan(
        TOY, n_branches=np.arange(1, 3), degree=np.array([3]), random_state=np.arange(1)
    )
    assert [row.n_branches for row in found] == [1, 2]
    assert repr(found) == "Scan(2 rows: 60 points, 2 inputs, 2 outputs, Jacobians given)"


def test_first_of_equal_rows_is_best():
    found = unbraid.scan(TOY, n_branches=3, degree=3, random_state=range(4))
    assert found.best_row().index == 0
    assert len(found.pareto()) == 1


def test_names_are_kept_with_every_model(tmp_path):
    path = tmp_path / "scan.db"
    call = {"n_branches": 1, "degree": 3, "store": path}
    unbraid.scan(TOY, **call, names=["speed", "load"], output_names=["x", "y"])
    model = unbraid.load_scan(path).best()
    assert model.input_names == ("speed", "load")
    assert model.output_names == ("x", "y")
    with pytest.raises(InvalidOptionError, match="'speed'"):
        unbraid.scan(TOY, **call, names=["speed"])


def test_to_pandas_needs_pandas(monkeypatch):
    found = unbraid.scan(TOY, n_branches=1, degree=2, progress=False)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="needs pandas"):
        found.to_pandas()
