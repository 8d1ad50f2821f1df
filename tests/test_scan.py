"""Scans: grids, tables, stores."""

from __future__ import annotations

import os
import sqlite3

import numpy as np
import pytest

import unbraid
from scans import QUICK, TOY, numbers
from unbraid import BSpline, Filter, InvalidFile, InvalidOption, Polynomial, Samples, StoreWarning
from unbraid.cases import duffing, toy_samples
from unbraid.errors import InvalidSamples
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.scans._grid import make_cells
from unbraid.solvers import VarPro

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")


FEW = {"n_starts": 2, **QUICK}
BOTH = {"method": ["varpro", "implicit"], **FEW}


@pytest.fixture(scope="module")
def found():
    return unbraid.scan(TOY, progress=False, **BOTH)


# The table -------------------------------------------------------------------------------------


def test_rows_follow_the_grid(found):
    order = [(row.settings["method"], row.settings["n_branches"]) for row in found.rows]
    assert order == [(m, r) for m in ("varpro", "implicit") for r in (1, 2, 3)]
    assert [row.index for row in found.rows] == list(range(6))
    assert found.problem == "60 points, 2 inputs, 2 outputs, Jacobians given"


def test_a_cell_is_what_decouple_makes(found):
    d = unbraid.decouple(
        TOY, n_branches=2, basis=Polynomial(3), n_starts=2, random_state=0, held_out=0.2
    )
    row = found.rows[1]
    np.testing.assert_allclose(row.model.W, d.W, atol=1e-9)
    assert row.fitted_error == pytest.approx(d.fitted_error.mean())
    assert row.held_out_error == pytest.approx(d.held_out_error.mean())
    assert row.n_parameters == d.n_parameters
    assert row.degrees_of_freedom == d.degrees_of_freedom
    assert len(row.fitted_errors) == len(row.held_out_errors) == 2


def test_the_best_is_the_smallest_that_is_good_enough(found):
    assert found.best().n_branches == 3
    assert found.best_row().settings["method"] == "varpro"
    one, two = found.rows[0].held_out_error, found.rows[1].held_out_error
    assert two < one
    assert found.best(tolerance=1.01 * max(one, found.rows[3].held_out_error)).n_branches == 1
    assert found.best(tolerance=1.01 * two).n_branches == 2
    with pytest.raises(InvalidOption, match="1e-15"):
        found.best(tolerance=1e-15)
    with pytest.raises(InvalidOption, match="tolerance"):
        found.best(tolerance=-1)


def test_the_pareto_front(found):
    front = found.pareto()
    sizes = [row.n_parameters for row in front]
    errors = [row.error for row in front]
    assert sizes == sorted(set(sizes))
    assert errors == sorted(set(errors), reverse=True)
    for row in found.rows:
        better = [f for f in front if f.n_parameters <= row.n_parameters and f.error <= row.error]
        assert better or row.error < 1e-6  # below which nothing is told apart


def test_rounding_is_no_progress():
    exact = unbraid.scan(TOY, n_branches=[3, 4], degree=[3, 4], n_starts=2, progress=False)
    assert [row.n_parameters for row in exact.pareto()] == [23]


def test_compression_is_against_the_coupled_model():
    f = unbraid.PolynomialFunction([[1.0, 2.0, -1.0]], [[2, 0], [1, 1], [0, 2]])
    points = unbraid.sampling.uniform(40, [-1, -1], [1, 1], random_state=0)
    row = unbraid.scan(f, points, 2, degree=2).rows[0]
    assert row.compression == 3 / row.n_parameters
    assert unbraid.scan(TOY, n_branches=1, degree=3).rows[0].compression is None
    named = unbraid.scan(TOY, n_branches=1, degree=3, coupled_parameters=90)
    assert named.rows[0].compression == 10.0


def test_tables_and_text(found, tmp_path):
    columns = set(found.table()[0])
    assert {"method", "n_branches", "fitted_error", "held_out_error", "n_parameters"} <= columns
    assert {"compression", "seconds", "degrees_of_freedom", "failure"} <= columns
    text = str(found)
    assert len(text.splitlines()) == 2 + len(found)
    assert "implicit, r = 3" in text
    assert text.splitlines()[2].startswith("*")
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.shape[0] == 6
    pytest.importorskip("matplotlib")
    figure = found.plot(tmp_path / "scan.png")
    assert figure.axes[0].get_ylabel() == "held-out error (%)"
    assert (tmp_path / "scan.png").stat().st_size > 5000


def test_labels_name_what_differs():
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


def test_what_fails_is_a_row():
    grid = {"max_iterations": [50, -1]}
    found = unbraid.scan(TOY, n_branches=1, degree=3, grid=grid, progress=False)
    assert found.rows[0].failure == ""
    assert found.rows[1].model is None
    assert "max_iterations" in found.rows[1].failure
    assert found.rows[1].error is None
    assert found.best().n_branches == 1
    assert "failed" in str(found)
    with pytest.raises(InvalidOption, match="no cell"):
        unbraid.scan(TOY, n_branches=1, degree=3, max_iterations=-1, progress=False).best()


def test_warnings_are_kept_not_shown():
    wild = Samples(TOY.points, TOY.values, -2.0 * TOY.jacobians)
    found = unbraid.scan(wild, n_branches=2, degree=3, progress=False)
    assert found.rows[0].warnings


def test_the_users_own_held_out_points():
    mine = toy_samples(50, random_state=9)
    found = unbraid.scan(TOY, n_branches=2, degree=3, held_out=mine, progress=False)
    model = found.rows[0].model
    error = unbraid.relative_error(mine.values, model(mine.points)).mean()
    assert found.rows[0].held_out_error == pytest.approx(error)


def test_progress_is_told(capsys):
    told = []
    unbraid.scan(TOY, **FEW, progress=lambda *now: told.append(now))
    assert [(done, total) for done, total, _ in told] == [(1, 3), (2, 3), (3, 3)]
    assert [row.label for _, _, row in told] == ["varpro, r = 1", "varpro, r = 2", "varpro, r = 3"]
    assert capsys.readouterr() == ("", "")  # no terminal, no bar
    pytest.importorskip("rich")
    unbraid.scan(TOY, n_branches=1, degree=3, progress=True)
    assert "1/1" in capsys.readouterr().err


def test_arrays_are_lists():
    found = unbraid.scan(
        TOY, n_branches=np.arange(1, 3), degree=np.array([3]), random_state=np.arange(1)
    )
    assert [row.n_branches for row in found] == [1, 2]
    assert repr(found) == "Scan(2 rows: 60 points, 2 inputs, 2 outputs, Jacobians given)"


def test_equal_rows_go_to_the_first():
    found = unbraid.scan(TOY, n_branches=3, degree=3, random_state=range(4))
    assert found.best_row().index == 0
    assert len(found.pareto()) == 1


def test_names_go_with_every_model(tmp_path):
    path = tmp_path / "scan.db"
    call = {"n_branches": 1, "degree": 3, "store": path}
    unbraid.scan(TOY, **call, names=["speed", "load"], output_names=["x", "y"])
    model = unbraid.load_scan(path).best()
    assert model.input_names == ("speed", "load")
    assert model.output_names == ("x", "y")
    with pytest.raises(InvalidOption, match="'speed'"):
        unbraid.scan(TOY, **call, names=["speed"])


# The grid --------------------------------------------------------------------------------------


def test_options_go_to_the_methods_that_have_them():
    cells = make_cells(
        {"method": ["varpro", "implicit", "explicit"], "n_branches": 2},
        {"smoothness": [1.0, 10.0], "filters": [[Filter("left")], None]},
        {"n_starts": 2, "window": 5},
    )
    assert [dict(cell.settings) for cell in cells] == [
        {"n_starts": 2, "method": "varpro", "n_branches": 2},
        {"n_starts": 2, "method": "implicit", "n_branches": 2, "filters": ["Filter('left')"]},
        {"n_starts": 2, "method": "implicit", "n_branches": 2, "filters": None},
        {"n_starts": 2, "window": 5, "method": "explicit", "n_branches": 2, "smoothness": 1.0},
        {"n_starts": 2, "window": 5, "method": "explicit", "n_branches": 2, "smoothness": 10.0},
    ]


def test_solver_objects_are_an_axis():
    solvers = [VarPro(n_starts=2), VarPro(n_starts=1)]
    found = unbraid.scan(
        TOY, n_branches=2, degree=3, method=solvers, random_state=[0, 1], progress=False
    )
    assert len(found) == 4
    assert found.rows[0].settings["method"] == "VarPro(n_starts=2)"
    assert all(row.failure == "" for row in found.rows)


ABUSE = {
    "no branches": ({"n_branches": []}, InvalidOption, "n_branches is empty"),
    "half a branch": ({"n_branches": [1, 1.5]}, InvalidOption, "n_branches"),
    "many branches": ({"n_branches": "many"}, InvalidOption, "'many'"),
    "a basis in words": ({"basis": ["auto", "poly:3"]}, InvalidOption, "basis"),
    "all held out": ({"held_out": 1.0}, InvalidOption, "held_out is 1.0"),
    "no methods": ({"method": []}, InvalidOption, "method is empty"),
    "unknown method": ({"method": "magic"}, InvalidOption, "'magic'"),
    "a class": ({"method": VarPro}, InvalidOption, "VarPro"),
    "unknown option": ({"depth": 3}, InvalidOption, "'depth'"),
    "an option of another method": ({"window": 3}, InvalidOption, "'window'"),
    "unknown axis": ({"grid": {"depth": [1]}}, InvalidOption, "'depth'"),
    "grid is no dict": ({"grid": [1, 2]}, InvalidOption, "grid is"),
    "an axis that is no list": ({"grid": {"n_starts": 3}}, InvalidOption, "'n_starts'"),
    "an axis of its own": ({"grid": {"method": ["cpd"]}}, InvalidOption, "'method'"),
    "an empty axis": ({"grid": {"n_starts": []}}, InvalidOption, "is empty"),
    "basis and degree": ({"basis": Polynomial(2), "degree": 3}, InvalidOption, "not both"),
    "callback": ({"callback": print}, InvalidOption, "callback"),
    "workers": ({"workers": 2}, InvalidOption, "'workers'"),
    "a lambda": ({"grid": {"weights": [lambda: 0]}}, InvalidOption, "lasting name"),
    "an object": ({"grid": {"weights": [object()]}}, InvalidOption, "told apart"),
    "data of a dynamic model": ({"data": (1, 2)}, InvalidOption, "data, test"),
    "coupled parameters": ({"coupled_parameters": 0}, InvalidOption, "coupled_parameters"),
    "progress": ({"progress": "yes"}, InvalidOption, "progress is 'yes'"),
    "points beside samples": ({"points": [[1.0]]}, InvalidOption, "Samples hold"),
}


@pytest.mark.parametrize("case", ABUSE)
def test_careless_calls(case):
    options, kind, words = ABUSE[case]
    with pytest.raises(kind, match=words):
        unbraid.scan(TOY, **{"n_branches": 1, **options})


# The store -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_store_is_resumed_and_grows(tmp_path, found):
    path, told = tmp_path / "scan.db", []
    tell = lambda done, total, row: told.append(row.index)  # noqa: E731
    unbraid.scan(TOY, n_branches=[1, 3], degree=3, n_starts=2, store=path, progress=tell)
    assert told == [0, 1]
    whole = unbraid.scan(TOY, store=path, progress=tell, **BOTH)
    assert told == [0, 1, 2, 3, 4, 5]  # only what was missing, under new numbers
    assert [row.index for row in whole] == [0, 2, 1, 3, 4, 5]
    assert numbers(whole) == numbers(found)
    again = unbraid.scan(TOY, store=path, progress=tell, **BOTH)
    assert len(told) == 6
    assert again.table() == whole.table()  # times, too
    assert sorted(os.listdir(tmp_path)) == ["scan.db"]
    loaded = unbraid.load_scan(path)
    for row in whole:  # a number means the same cell, whatever was asked for first
        assert loaded[row.index].settings == row.settings == whole[row.index].settings
    # the whole message, as an example of good wording
    with pytest.raises(IndexError, match=r"^there is no row 99; the rows are 0 to 5$"):
        whole[99]
    assert {repr(row) for row in loaded.table()} == {repr(row) for row in whole.table()}
    np.testing.assert_array_equal(loaded.best().W, whole.best().W)


def test_rows_of_a_store_are_in_the_order_of_the_grid(tmp_path):
    path = tmp_path / "scan.db"
    with pytest.raises(RuntimeError, match="enough"):
        unbraid.scan(TOY, **FEW, store=path, progress=_stop_after(2))
    assert [row.n_branches for row in unbraid.load_scan(path).rows] == [1, 2]
    whole = unbraid.scan(TOY, **FEW, store=path, progress=False)
    assert unbraid.load_scan(path).table() == whole.table()


def _stop_after(count):
    def tell(done, total, row):
        if done == count:
            raise RuntimeError("enough")

    return tell


def test_another_problem_is_refused(tmp_path):
    path = tmp_path / "scan.db"
    unbraid.scan(TOY, n_branches=1, degree=3, store=path, progress=False)
    before = path.read_bytes()
    other = toy_samples(60, random_state=1)
    for samples, words in ((other, "other numbers"), (TOY.subset(range(50)), "50 points")):
        with pytest.raises(InvalidFile, match=words):
            unbraid.scan(samples, n_branches=1, degree=3, store=path)
    with pytest.raises(InvalidFile, match="another problem"):
        unbraid.scan(TOY, n_branches=1, degree=3, held_out=0.3, store=path)
    assert path.read_bytes() == before


def test_another_version_is_refused(tmp_path):
    path = tmp_path / "scan.db"
    unbraid.scan(TOY, n_branches=1, degree=3, store=path, progress=False)
    for name, words in (("version", "unbraid 0.0.1"), ("layout", "another version")):
        with sqlite3.connect(path) as database:
            old = database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            database.execute("UPDATE meta SET value = '0.0.1' WHERE name = ?", (name,))
        database.close()
        with pytest.raises(InvalidFile, match=words):
            unbraid.scan(TOY, n_branches=1, degree=3, store=path)
        with sqlite3.connect(path) as database:
            database.execute("UPDATE meta SET value = ? WHERE name = ?", (*old, name))
        database.close()
    assert len(unbraid.scan(TOY, n_branches=1, degree=3, store=path, progress=False)) == 1


@pytest.mark.slow
def test_a_damaged_store_is_moved_aside(tmp_path, found):
    path = tmp_path / "scan.db"
    unbraid.scan(TOY, **FEW, store=path, progress=False)
    whole = path.read_bytes()
    damages = {
        "cut": whole[: len(whole) // 3],
        "garbled": whole[:4096] + bytes(len(whole) - 4096),
        "no database": b"\x00" * 5000,
    }
    for number, (name, content) in enumerate(damages.items(), start=1):
        path.write_bytes(content)
        with pytest.raises(InvalidFile, match=r"\bdamaged"):
            unbraid.load_scan(path)
        with pytest.warns(StoreWarning, match=f"damaged-{number}"):
            again = unbraid.scan(TOY, **FEW, store=path, progress=False)
        assert numbers(again)[1] == numbers(found)[1][:3], name
        assert (tmp_path / f"scan.db.damaged-{number}").read_bytes() == content


def test_a_cell_of_flipped_bits_is_run_again(tmp_path):
    path, told = tmp_path / "scan.db", []
    first = unbraid.scan(TOY, **FEW, store=path, progress=False)
    with sqlite3.connect(path) as database:
        content = bytearray(database.execute("SELECT content FROM cells").fetchall()[1][0])
        content[len(content) // 2] ^= 1
        database.execute("UPDATE cells SET content = ? WHERE number = 2", (bytes(content),))
    database.close()
    with pytest.raises(InvalidFile, match="damaged"):
        unbraid.load_scan(path)
    with pytest.warns(StoreWarning, match="damaged cells"):
        again = unbraid.scan(TOY, **FEW, store=path, progress=lambda *now: told.append(now))
    assert len(told) == 1
    assert numbers(again) == numbers(first)


def test_files_that_are_no_stores(tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader,")
    foreign = tmp_path / "other.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE birds (name TEXT)")
    database.close()
    for path in (letter, foreign):
        before = path.read_bytes()
        with pytest.raises(InvalidFile, match=path.name):
            unbraid.scan(TOY, n_branches=1, degree=3, store=path)
        with pytest.raises(InvalidFile, match=path.name):
            unbraid.load_scan(path)
        assert path.read_bytes() == before
    with pytest.raises(InvalidFile, match="folder"):
        unbraid.scan(TOY, n_branches=1, degree=3, store=tmp_path)
    with pytest.raises(InvalidFile, match="cannot write"):
        unbraid.scan(TOY, n_branches=1, degree=3, store=tmp_path / "nowhere" / "scan.db")
    with pytest.raises(InvalidFile, match="cannot read"):
        unbraid.load_scan(tmp_path / "missing.db")


# Dynamic models --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spring():
    data = duffing(4096, 2048, random_state=0)
    return data, fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 3)


@pytest.mark.slow
def test_narx_models_through_the_same_door(spring, tmp_path):
    data, reference = spring
    path = tmp_path / "scan.db"
    grid = {"n_branches": [1, 2], "refine": [False, True], "n_starts": 2}
    found = unbraid.scan(reference, **grid, test=data.arrow, initial=50, store=path, progress=False)
    assert found.kind == "narx"
    assert found.coupled_parameters == 56
    by = {(row.n_branches, row.settings["refine"]): row for row in found.rows}
    for row in found.rows:
        assert row.fitted_error == row.model.score(*data.train, initial=50).percent
        assert row.held_out_error == row.model.score(*data.arrow, initial=50).percent
    fitted, tested = found.reference_errors
    assert fitted == reference.score(*data.train, initial=50).percent
    assert by[2, True].held_out_error < tested
    assert by[2, True].compression == 56 / by[2, True].n_parameters
    assert found.best().function.n_branches == 2
    assert "reference: training" in str(found)
    loaded = unbraid.load_scan(path)
    assert loaded.table() == found.table()
    assert len(loaded.rows[0].model.data.items[0]) == 4096
    pytest.importorskip("matplotlib")
    assert found.plot().axes[0].get_ylabel() == "test error (%)"


def test_another_reference_is_another_problem(spring, tmp_path):
    data, reference = spring
    path = tmp_path / "scan.db"
    unbraid.scan(reference, n_branches=1, refine=False, store=path, progress=False)
    other = fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 2)
    with pytest.raises(InvalidFile, match="another problem"):
        unbraid.scan(other, n_branches=1, refine=False, store=path)


NARX_ABUSE = {
    "points": (lambda m, d: unbraid.scan(m, [[1.0]]), InvalidOption, "points, jacobian"),
    "no data": (
        lambda m, d: unbraid.scan(NARX(lambda p: p[:, 0], (0,), ())),
        InvalidOption,
        "data=",
    ),
    "half of the data": (lambda m, d: unbraid.scan(m, data=3), InvalidOption, r"\(u, y\)"),
    "a short test": (
        lambda m, d: unbraid.scan(m, n_branches=1, test=([1.0], [1.0])),
        InvalidSamples,
        "1 samples",
    ),
}


@pytest.mark.parametrize("case", NARX_ABUSE)
def test_careless_scans_of_narx_models(spring, case):
    data, reference = spring
    call, kind, words = NARX_ABUSE[case]
    with pytest.raises(kind, match=words):
        call(reference, data)
