"""The line that shows what a long call is doing."""

import io
from types import SimpleNamespace

import numpy as np
import pytest

import unbraid
from unbraid import InvalidOptionError, Polynomial
from unbraid._util import progress
from unbraid._util.parallel import run_unordered
from unbraid._util.progress import clear_progress, report_progress, show_progress


class Terminal(io.StringIO):
    """Remembers what a terminal was sent."""

    def isatty(self):
        return True

    @property
    def lines(self):
        return [line.rstrip() for line in self.getvalue().split("\r") if line.strip()]


class Clock:
    """Stands still until it is moved."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def show_on(monkeypatch):
    """A function that takes the place of standard error, which pytest itself replaces."""
    return lambda stream: monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))


@pytest.fixture
def terminal(show_on):
    stream = Terminal()
    show_on(stream)
    return stream


def test_line_is_shown_after_two_seconds_and_removed_at_the_end(terminal):
    clock = Clock()
    with show_progress("Decoupling", None, clock):
        clock.now += 1.9
        report_progress("search", 2)
        assert terminal.getvalue() == ""
        clock.now += 0.2
        report_progress("polish")
        clock.now += 0.1
        report_progress("too soon for another change")
        clock.now += 10
        report_progress(n_branches=1)
    assert terminal.lines == [
        "Decoupling: 2 branches, polish, 2 s",
        "Decoupling: 1 branch, too soon for another change, 12 s",
    ]
    assert terminal.getvalue().endswith("\r")
    sent = terminal.getvalue()
    report_progress("no line is open")
    assert terminal.getvalue() == sent


def test_true_shows_it_at_once_and_false_never(terminal):
    with show_progress("Fitting", False, Clock()):
        report_progress("coupled model")
    assert terminal.getvalue() == ""
    with show_progress("Fitting", True, Clock()):
        report_progress("coupled model")
    assert terminal.lines == ["Fitting: coupled model, 0 s"]


def test_files_are_left_alone(show_on):
    for stream in (io.StringIO(), None):
        show_on(stream)
        with show_progress("Fitting", None, Clock()):
            assert not progress.is_progress_shown()


def test_tasks_of_workers_show_nothing(terminal):
    def fit(task):
        with show_progress("Fitting", True, Clock()):
            report_progress("coupled model")
        return task

    assert list(run_unordered(fit, [7], n_jobs=1)) == [(0, 7)]
    assert terminal.getvalue() == ""


def test_notebooks_count_as_terminals(show_on):
    show_on(type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})())
    with show_progress("Fitting", None, Clock()):
        assert progress.is_progress_shown()


def test_the_outer_call_decides(terminal):
    with show_progress("Scanning", False, Clock()), show_progress("Decoupling", True, Clock()):
        report_progress("search")
    assert terminal.getvalue() == ""
    with show_progress("Fitting", True, Clock()), show_progress("Decoupling", None, Clock()):
        report_progress("search", 3)
    assert terminal.lines == ["Fitting: 3 branches, search, 0 s"]


def test_line_is_cleared_for_a_warning_and_short_enough(terminal):
    with show_progress("Fitting", True, Clock()):
        report_progress("a long stage " * 20)
        assert len(terminal.lines[0]) <= 79
        clear_progress()
        assert terminal.getvalue().endswith("\r" + " " * len(terminal.lines[0]) + "\r")


def test_a_closed_stream_does_not_end_the_work(terminal):
    with show_progress("Fitting", True, Clock()):
        terminal.close()
        report_progress("coupled model")
        finished = True
    assert finished


def test_rejects_other_values(terminal):
    with pytest.raises(InvalidOptionError, match="progress is 3"), show_progress("Fitting", 3):
        pass
    with pytest.raises(InvalidOptionError, match="progress"):
        unbraid.decouple(np.sin, [[0.0]] * 9, 1, progress="yes")


POINTS = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
QUICK = {"n_branches": 1, "basis": Polynomial(3), "n_starts": 1, "random_state": 0}


def bent(p):
    return np.tanh(2 * p[:, 0] + p[:, 1])


def test_decouple_reports_branches_and_stages(terminal, monkeypatch):
    monkeypatch.setattr(progress, "UPDATE_SECONDS", 0.0)
    unbraid.decouple(bent, POINTS, progress=True, **QUICK)
    stages = [line.rsplit(", ", 1)[0] for line in terminal.lines]
    for stage in ("search", "screen, 1 of 1", "choose basis", "polish", "cross-validation"):
        assert f"Decoupling: 1 branch, {stage}" in stages
    silent = terminal.getvalue()
    unbraid.decouple(bent, POINTS, progress=False, **QUICK)
    assert terminal.getvalue() == silent


def test_progress_does_not_change_the_result(terminal):
    shown, hidden = (
        unbraid.decouple(bent, POINTS, progress=flag, **QUICK) for flag in (True, False)
    )
    np.testing.assert_array_equal(shown.V, hidden.V)
    np.testing.assert_array_equal(shown(POINTS), hidden(POINTS))
