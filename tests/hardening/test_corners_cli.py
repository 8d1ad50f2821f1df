"""Corners of the command line: broken pipes, terminals, files that hold almost what is needed."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import webbrowser
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")

import click
from rich.console import Console

import unbraid
import unbraid_command
from hardening.plain import F, J, P, known_function
from unbraid import InvalidFile, InvalidOption, UnbraidError
from unbraid.cli import (
    _app as app,
)
from unbraid.cli import (
    _output as output,
)
from unbraid.cli import (
    _progress as progress,
)
from unbraid.cli import _reproduce as reproduce_command
from unbraid.cli import (
    _summaries as summaries,
)
from unbraid.cli import (
    main,
)
from unbraid.cli._options import Text
from unbraid.cli._stored import stored
from unbraid.cli._tables import gathered, record_of, table_of
from unbraid.narx import NARX
from unbraid.scans import _scan as front
from unbraid.solvers._base import Progress

U = np.random.default_rng(2).standard_normal(160)
Y = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,)).simulate(U, [0.0])
LAGS = ["--input-lags", "0", "--output-lags", "1", "--degree", "1"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with samples, a record and a model in it, as the current one."""
    monkeypatch.chdir(tmp_path)
    np.savez("samples.npz", P=P, F=F, J=J)
    np.savez("record.npz", u=U, y=Y)
    known_function().save("model.json")
    return tmp_path


def raising(error):
    def call(*_, **__):
        raise error

    return call


# The group -------------------------------------------------------------------------------------


def test_commands_are_listed():
    context = click.Context(app.group)
    assert app.group.list_commands(context) == list(app.COMMANDS)


def test_ctrl_c_where_no_command_hears_it(monkeypatch, capsys):
    for error in (KeyboardInterrupt(), click.Abort()):
        monkeypatch.setattr(app.group, "main", raising(error))
        assert main(["demo"]) == 130
        assert capsys.readouterr().err == "unbraid: stopped\n"


def test_memory_that_runs_out(monkeypatch, capsys):
    monkeypatch.setattr(app.group, "main", raising(MemoryError()))
    assert main(["demo"]) == 2
    # the whole message, as an example of good wording
    assert capsys.readouterr().err == "unbraid: out of memory: use fewer points\n"


def test_a_reader_that_goes_away(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(app.group, "main", raising(BrokenPipeError()))
    assert main(["demo"]) == 141
    with sys.stdout as nowhere:
        nowhere.write("what is left to flush")
    assert nowhere.name == os.devnull
    assert capsys.readouterr().err == ""


def test_a_disk_without_room_for_what_is_printed(monkeypatch):
    monkeypatch.setattr(click, "echo", raising(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(InvalidFile, match="standard output"):
        output.say("a result")


def test_a_value_that_was_read_already_is_left():
    assert Text("count", int).convert(3, None, None) == 3
    assert Text("count", int).convert("3", None, None) == 3


# On a terminal ---------------------------------------------------------------------------------


@pytest.fixture
def screen(monkeypatch):
    """What a terminal would show."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    monkeypatch.setattr(progress, "_console", lambda: console)
    return shown


def test_a_line_turns_while_something_is_done(screen):
    with progress.waiting("Decoupling") as told:
        told(Progress("polish", 1, 4, 17, 0.5))
    assert "Decoupling: polish, 2 of 4, step 17" in screen.getvalue()
    with progress.waiting("Decoupling", quiet=True) as told:
        assert told is None


def test_a_bar_moves(screen, monkeypatch):
    moved = []

    class Bar:
        def __init__(self, *given):
            moved.append(given)

        def __enter__(self):
            return lambda *given: moved.append(given)

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(progress, "bar", Bar)
    with progress.counting("Reproducing", 7) as move:
        move(3)
    assert moved == [("Reproducing", 7), (3, "Reproducing")]


def test_long_work_is_announced(monkeypatch, capsys):
    monkeypatch.setattr(reproduce_command, "reproduce", raising(UnbraidError("enough")))
    assert main(["reproduce", "table3"]) == 2
    said = capsys.readouterr().err
    assert "minutes on a core of its own; --quick less than one" in said
    assert said.endswith("unbraid: enough\n")


# Records ---------------------------------------------------------------------------------------


def test_narx_with_a_report_and_a_record_to_test_on(capsys):
    np.savez("other.npz", u=U[::-1].copy(), y=Y[::-1].copy())
    line = ["narx", "record.npz", *LAGS, "-r", "1", "--no-refine", "--test", "other.npz"]
    assert main([*line, "--report", "r.html", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["written"]["report"] == "r.html"
    assert said["models"][0]["test_error"] > 1
    with open("r.html", encoding="utf-8") as page:
        assert "simulated" in page.read()


def test_what_a_chosen_model_has_to_say_is_said(monkeypatch, capsys):
    real = unbraid.scans.scan

    def scan(*arguments, **options):
        row = replace(
            real(*arguments, **options).best_row(), warnings=("not refined: it runs off",)
        )
        return SimpleNamespace(best_row=lambda: row)

    monkeypatch.setattr(unbraid.scans, "scan", scan)
    line = ["narx", "record.npz", *LAGS, "-r", "auto", "--max-branches", "1", "--no-refine"]
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == ["not refined: it runs off"]


def test_a_record_to_test_on_with_other_columns(capsys):
    np.savez("other.npz", u=np.stack([U, U]), y=Y)
    assert main(["narx", "record.npz", *LAGS, "-r", "1", "--test", "other.npz"]) == 2
    assert "other.npz" in capsys.readouterr().err


def test_outputs_that_lie_down_are_turned_over():
    np.savez("wide.npz", u=U, y=np.stack([Y, 2 * Y]))
    inputs, outputs = record_of("wide.npz", None, None)
    assert inputs.shape == (160, 1)
    np.testing.assert_array_equal(outputs, np.stack([Y, 2 * Y], axis=1))


def test_narx_models_are_shown_and_exported(capsys):
    assert main(["narx", "record.npz", *LAGS, "-r", "1", "--no-refine", "-o", "n.json"]) == 0
    capsys.readouterr()
    assert main(["show", "n.json", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["input_lags"], said["output_lags"]) == ([0], [1])
    assert main(["export", "n.json", "--to", "latex"]) == 0
    said = capsys.readouterr()
    assert "the static map of the NARX model is written, of u(t), y(t-1)" in said.err
    assert "aligned" in said.out


# Tables ----------------------------------------------------------------------------------------


def test_columns_of_several_lengths():
    columns = {"a": np.ones(3), "b": np.ones(4)}
    with pytest.raises(InvalidFile, match=r"\[3, 4\] rows"):
        gathered("d.csv", columns, ["a", "b"])


def test_columns_that_are_no_numbers():
    columns = {"a": np.array([1.0, np.nan])}
    with pytest.raises(InvalidFile, match="a holds"):
        gathered("d.csv", columns, ["a"])


def test_columns_of_jacobians_are_no_inputs():
    text = "p1,p2,f1,g,J11,J12\n1,2,3,4,5,6\n2,3,4,5,6,7\n"
    with open("d.csv", "w") as file:
        file.write(text)
    table = table_of("d.csv", ["g"], None)
    assert table.names == ["p1", "p2"]
    np.testing.assert_array_equal(table.X, [[1, 2], [2, 3]])


def test_one_row_is_no_table(capsys):
    with open("d.csv", "w") as file:
        file.write("a,b,y\n1,2,3\n")
    assert main(["decouple", "d.csv", "--target", "y"]) == 2
    assert "1 rows" in capsys.readouterr().err


def test_arrays_with_jacobians_have_one_name_each(capsys):
    assert main(["decouple", "samples.npz", "--target", "F,P"]) == 2
    assert "--features" in capsys.readouterr().err


# Reports and models ----------------------------------------------------------------------------


def test_a_report_on_samples_where_no_browser_is(monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    line = ["report", "model.json", "--data", "samples.npz", "-o", "r.html", "--open"]
    assert main(line) == 0
    assert "there is no browser to be had here: open r.html yourself" in capsys.readouterr().err
    with open("r.html", encoding="utf-8") as page:
        assert "error on the data given" in page.read()


def test_branches_that_keep_no_points_are_not_described():
    d = known_function()
    assert summaries.described(d, None, None) is not None
    bare = [replace(b, estimate=None) for b in d.branches]
    assert summaries.described(replace(d, branches=tuple(bare)), None, None) is None


def test_a_model_that_runs_off_is_poor():
    assert summaries.poor(float("inf")) == ["a poor approximation: it runs off"]


# Stores ----------------------------------------------------------------------------------------


def failed_scan(path):
    """A store in which no cell has a model."""
    samples = unbraid.Samples(P, F, J)
    return unbraid.scan(samples, n_branches=[5000], degree=2, progress=False, store=path)


def test_a_store_without_a_model(capsys):
    found = failed_scan("s.db")
    assert found.rows[0].failure
    assert stored("s.db").model is None
    assert main(["show", "s.db"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("No row has a model.")
    with pytest.raises(InvalidOption, match="row 0"):
        stored("s.db", 0)


def test_a_store_without_a_finished_cell(monkeypatch, capsys):
    monkeypatch.setattr(front, "run_cells", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        failed_scan("s.db")
    assert main(["show", "s.db"]) == 2
    assert "no finished cell" in capsys.readouterr().err


def test_a_scan_that_is_stopped_before_its_first_cell(monkeypatch, capsys):
    monkeypatch.setattr(unbraid.scans, "scan", raising(KeyboardInterrupt()))
    assert main(["scan", "samples.npz", "-r", "1", "--store", "s.db"]) == 130
    assert "0 finished cells" in capsys.readouterr().err


def test_an_interrupt_in_the_users_model(monkeypatch, capsys, tmp_path):
    body = "import signal\ndef f(p):\n    signal.raise_signal(signal.SIGINT)\n"
    (tmp_path / "interrupted.py").write_text(body, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["decouple", "interrupted:f", "--box", "-1:1,-1:1", "-r", "1"]) == 130
    assert capsys.readouterr().err.strip() == "unbraid: stopped"


def test_an_interrupt_while_the_library_is_imported(monkeypatch, capsys):
    monkeypatch.setattr(unbraid.cli, "main", raising(KeyboardInterrupt()))
    assert unbraid_command.main() == 130
    assert capsys.readouterr().err == "unbraid: stopped\n"
