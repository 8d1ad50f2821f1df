"""The benchmarks themselves: does the check fail when it should, is the baseline the paper's?"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import cell, check, compare, dense, page, summary, tables
from benchmarks.peers import METHODS, Candidate
from benchmarks.problems import DATA, SYNTHETIC

from reference import paper

COMMITTED = {"varpro, toy": 600.0, "one iteration": 23.0}


def row(method, held_out, seconds=1.0, problem="toy", r=3, kindest=None, failed=""):
    draws = {
        "by_draw": held_out,
        "kindest": kindest or held_out,
        "fitted": 0.1,
        "held_out": float(np.median(held_out or [0.0])),
        "seconds": seconds,
        "peak": 1.0,
        "parameters": 9,
        "note": "",
    }
    start = {"problem": problem, "n_branches": r, "method": method, "failed": failed}
    return start if failed else start | draws


@pytest.mark.parametrize(
    ("now", "fallen"),
    [
        ({"varpro, toy": 600.0, "one iteration": 23.0}, []),
        ({"varpro, toy": 401.0, "one iteration": 99.0}, []),  # within the factor
        ({"varpro, toy": 399.0, "one iteration": 23.0}, ["varpro, toy"]),
        ({"varpro, toy": 600.0, "one iteration": 1.0}, ["one iteration"]),
        ({"varpro, toy": float("nan"), "one iteration": 23.0}, ["varpro, toy"]),
        ({"one iteration": 23.0}, ["varpro, toy"]),
    ],
)
def test_complaints(now, fallen):
    assert list(check.complaints(now, COMMITTED)) == fallen


@pytest.fixture
def committed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["check"])
    path = tmp_path / "committed.json"
    path.write_text(json.dumps({"check": COMMITTED}))
    monkeypatch.setattr(check, "COMMITTED", path)
    return path


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (600.0, None, 0),
        (200.0, 590.0, 0),  # a busy machine once
        (200.0, 210.0, 1),  # a real loss
    ],
)
def test_check_measures_twice_before_it_fails(committed, monkeypatch, capsys, first, second, code):
    runs = iter([first, second])
    monkeypatch.setattr(check, "measured", lambda: {**COMMITTED, "varpro, toy": next(runs)})
    assert check.main() == code
    said = capsys.readouterr().out
    assert ("FELL by more than 1.5: varpro, toy: was 600x, is 210x" in said) == (code == 1)


def test_check_without_a_table(committed, capsys):
    committed.unlink()
    assert check.main() == 1
    assert "make bench writes it" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["left", "right"])
def test_dense_filters_are_the_papers(rng, kind):
    z = rng.uniform(-1, 1, 15)
    assert np.allclose(dense.filter_matrix(z, kind), paper.filter_matrix(z, kind), rtol=1e-10)


def test_dense_iteration_is_the_papers(rng):
    P, J = rng.uniform(-1, 1, (12, 2)), rng.standard_normal((2, 2, 12))
    W, V, G = (rng.standard_normal(shape) for shape in ((2, 2), (2, 2), (12, 2)))
    V /= np.linalg.norm(V, axis=0)
    ours = dense.iteration(J, P, W, V, G, "relaxed")
    for found, expected in zip(ours, paper.implicit_iteration(J, P, W, V, G), strict=True):
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-8)
    miss = np.sum(dense.residuals(J, P, W, V, G) ** 2)
    assert np.isclose(miss, paper.implicit_objective(J, P, W, V, G, dense.KINDS))


def test_nonlinear_v_is_no_worse_than_its_start(rng):
    P, J = rng.uniform(-1, 1, (12, 2)), rng.standard_normal((2, 2, 12))
    W, V, G = (rng.standard_normal(shape) for shape in ((2, 2), (2, 2), (12, 2)))
    start = paper.v_relaxed(J, W, [paper.filtered(dense.filters(P, V, "left"), G)])
    found = dense.nonlinear_v(J, P, W, V, G)
    before, after = (np.sum(dense.residuals(J, P, W, X, G) ** 2) for X in (start, found))
    assert after < before


def test_ratios_are_taken_draw_by_draw():
    table = [row("varpro", [1.0, 10.0, 2.0], 0.5), row("ppr", [3.0, 20.0], 2.0)]
    found = compare.with_ratios(table)[1]
    assert found["times_error"] == pytest.approx(2.5)
    assert found["times_seconds"] == pytest.approx(4.0)


def test_exceptions_count_the_luckiest_start():
    table = [
        row("varpro", [1.0, 1.0]),
        row("varpro, basis goes on", [0.5, 0.3]),
        row("cpd", [2.0, 2.0]),
        row("ppr", [3.0, 3.0], kindest=[3.0, 0.9]),
        row("torch", [], failed="over time (90 s)"),
    ]
    (found,) = compare.exceptions(table)
    assert (found["method"], found["draws"], found["of"]) == ("ppr", 1, 2)
    assert found["going_on"] == pytest.approx(0.4)
    said = page.exception_words([found])
    assert "| toy | 3 | ppr |" in said
    assert "Nowhere" in page.exception_words([])


def test_out_of_time_ends_a_method(monkeypatch):
    asked = []

    def slow(asked_for, again):
        asked.append(asked_for.n_branches)
        failed = "over time (90 s)" if asked_for.n_branches >= 2 else ""
        draws = [] if failed else [{"seconds": 1.0, "fitted": 1.0, "held_out": 1.0, "kindest": 1.0,
                                    "peak": 1.0, "parameters": 1, "note": ""}]  # fmt: skip
        return {"method": "torch", "problem": "toy", "n_branches": asked_for.n_branches,
                "rows": draws, "failed": failed}  # fmt: skip

    monkeypatch.setattr(compare, "outcome", slow)
    found = list(compare.rows("toy", {"torch": METHODS["torch"]}, quick=False, again=False))
    assert asked == [1, 2]
    assert [line["failed"][:9] for line in found] == ["", "over time", "not tried", "not tried"]
    assert "not tried: out of time at r = 2" in "\n".join(tables.comparison_table("toy", found))


def test_starts_stop_when_time_is_up():
    starts = (Candidate(np.sin, 1, seconds=4.0) for _ in range(9))
    found, seconds = cell.all_starts(starts, 10.0)
    assert (len(found), seconds) == (3, 12.0)
    with pytest.raises(RuntimeError, match="no start"):
        cell.all_starts(iter(()), 10.0)


def test_the_best_fit_is_kept_and_the_kindest_known():
    task = SYNTHETIC["toy"].draw(1, 0, 1.0, "")
    lookup = {100: task.samples.values, len(task.fresh): task.truth}

    def off(fitted, fresh):
        sizes = {100: fitted, len(task.fresh): fresh}
        return Candidate(lambda p: lookup[len(p)] * (1 + sizes[len(p)]), 5)

    found = cell.judged([off(0.1, 0.2), off(0.05, 0.4)], task, 0.0)
    assert found["fitted"] < found["kindest"] < found["held_out"]


def test_draws_are_the_same_for_all_and_differ_by_seed():
    for problem in (*SYNTHETIC.values(), *DATA.values()):
        one, same, other = (problem.draw(1, seed, 1.0, "") for seed in (0, 0, 1))
        assert np.array_equal(one.samples.points, same.samples.points)
        assert not np.array_equal(one.samples.points, other.samples.points)
        assert len(one.fresh) == len(one.truth) == 2000


def test_a_cell_is_known_by_its_sources(monkeypatch):
    known = cell.Cell("varpro", "toy", 3, 1)
    before = known.key()
    assert before == cell.Cell("varpro", "toy", 3, 1).key() != cell.Cell("cpd", "toy", 3, 1).key()
    monkeypatch.setattr(cell, "sources", lambda module: "another version")
    assert known.key() != before


def test_last_words():
    assert cell.last_words("Traceback\nbenchmarks.peers.NotHere: skpp is not installed") == (
        "skpp is not installed"
    )


def test_results_page_shows_the_committed_run():
    document = json.loads(check.COMMITTED.read_text())
    results = (cell.ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert summary.table(document) in results
    assert (
        page.machine_words(document["machine"])
        in (cell.ROOT / "docs" / "benchmarks.md").read_text()
    )
