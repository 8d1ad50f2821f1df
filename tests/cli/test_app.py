"""Errors, exit codes and streams of all commands."""

import io
import os
import shlex
import shutil
import subprocess
import sys

import click
import numpy as np
import pytest
from scipy.io import savemat

import unbraid
import unbraid_command
from cli_helpers import make_raiser, write_table
from unbraid.cli import _app as app
from unbraid.cli import main


def test_lists_all_commands():
    context = click.Context(app.group)
    assert app.group.list_commands(context) == list(app.COMMANDS)


def test_ctrl_c_exits_with_130(monkeypatch, capsys):
    for error in (KeyboardInterrupt(), click.Abort()):
        monkeypatch.setattr(app.group, "main", make_raiser(error))
        assert main(["demo"]) == 130
        assert capsys.readouterr().err == "unbraid: stopped\n"


def test_reports_out_of_memory(monkeypatch, capsys):
    monkeypatch.setattr(app.group, "main", make_raiser(MemoryError()))
    assert main(["demo"]) == 2
    # the whole message, as an example of good wording
    assert capsys.readouterr().err == "unbraid: out of memory: use fewer points\n"


def test_broken_pipe_exits_with_141(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(app.group, "main", make_raiser(BrokenPipeError()))
    assert main(["demo"]) == 141
    with sys.stdout as nowhere:
        nowhere.write("what is left to flush")
    assert nowhere.name == os.devnull
    assert capsys.readouterr().err == ""


BAD_LINES = [
    # the command itself
    ("dance", "'dance'"),
    ("show", "'FILE'"),
    ("decouple model:f --wrong", "'--wrong'"),
    ("demo --seed -1", "--seed"),
    ("demo --out model.py", "folder model.py"),
    ("reproduce table9", "table9"),
    # models
    ("decouple nothing", "'nothing'"),
    ("decouple model", "model:NAME"),
    ("decouple model.py", "model:NAME"),
    ("decouple nowhere:f --box 0:1,0:1", "'nowhere'"),
    ("decouple nowhere.py:f --box 0:1,0:1", "nowhere.py"),
    ("decouple model:g --box 0:1,0:1", "'g'"),
    ("decouple model:box.outer --box 0:1,0:1", "'box.outer'"),
    ("decouple sick:f --box 0:1,0:1", "ZeroDivisionError"),
    ("decouple needy:f --box 0:1,0:1", "'surely_missing'"),
    ("decouple model:broken --box 0:1,0:1", "RuntimeError"),
    ("decouple model:leaving --box 0:1,0:1", "SystemExit"),
    ("decouple model:endless --box 0:1,0:1", "not finite"),
    ("decouple model:np --box 0:1,0:1", "evaluate module"),
    ("decouple missing.onnx --box 0:1", "missing.onnx"),
    ("decouple fake.onnx --box 0:1", "ONNX model"),
    ("decouple net.onnx --box 0:1,0:1,0:1", "3 ranges"),
    # points
    ("decouple model:f", "--points FILE"),
    ("decouple model:f --box 0:1", "--inputs-count"),
    ("decouple model:f --box 1:0,0:1", "'1:0'"),
    ("decouple model:f --box 0:1,x:2", "'x'"),
    ("decouple model:f --box 0:1,0:inf", "'inf'"),
    ("decouple model:f --box 0:1,0:1 --points points.csv", "keep one"),
    ("decouple model:f --points points.txt", "points.txt"),
    ("decouple model:f --points gone.csv", "gone.csv"),
    ("decouple model:f --points empty.csv", "empty.csv"),
    ("decouple model:f --points fake.npy", "fake.npy"),
    ("decouple model:f --box 0:1,0:1 --n-points 2", "too few"),
    ("decouple model:f --box 0:1,0:1 --target a", "--target"),
    # options
    ("decouple model:f --box 0:1,0:1 -r 0", "'0' branches"),
    ("decouple model:f --box 0:1,0:1 -r many", "'many'"),
    ("decouple model:f --box 0:1,0:1 --basis poly", "'poly'"),
    ("decouple model:f --box 0:1,0:1 --basis rbf:1", "n_centres"),
    ("decouple model:f --box 0:1,0:1 --method magic", "'magic'"),
    ("decouple model:f --box 0:1,0:1 --method varpro,cpd", "unbraid scan"),
    ("decouple model:f --box 0:1,0:1 --held-out 1", "--held-out"),
    ("decouple model:f --box 0:1,0:1 -r 2 --tolerance 1", "--tolerance"),
    ("decouple model:f --box 0:1,0:1 -r 2 --max-branches 3", "--max-branches"),
    ("decouple model:f --points points.csv --n-points 9", "--n-points"),
    ("decouple model:f --points across.mat", "transposed"),
    ("decouple model:f --points odd.npz", "odd.npz"),
    ("decouple model:f --box 0:1,0:1 --names a", "names is ['a']"),
    ("decouple model:f --box 0:1,0:1 --names a,", "'a,'"),
    ("decouple model:f --box 0:1,0:1 --output-names a,b", "output names"),
    # data
    ("decouple samples.npz --box 0:1", "--box"),
    ("decouple data.csv", "--target NAME"),
    ("decouple data.csv --target push", "'push'"),
    ("decouple data.csv --target force --features force", "'force'"),
    ("decouple data.csv --target speed,load,force", "columns left"),
    ("decouple data.csv --target force --tolerance 1", "--tolerance"),
    ("decouple data.csv --target force --method cpd", "--method cpd"),
    ("decouple data.csv --target force --names one", "names is ['one']"),
    ("decouple odd.npz", "--target NAME"),
    ("decouple data.xlsx --target force", "data.xlsx"),
    ("decouple points.txt --target force", "points.txt"),
    ("decouple gaps.csv --target c", "under 'b'"),
    ("decouple part.csv --target f2", "J2_1, J2_2"),
    ("decouple part.csv --target torque", "'torque'"),
    ("decouple twice.csv --target a", "column 'a'"),
    ("decouple words.csv --target b", "'two'"),
    ("decouple fake.npz", "fake.npz"),
    ("decouple fake.mat", "fake.mat"),
    ("decouple gone.mat", "gone.mat"),
    ("decouple empty.csv", "empty.csv"),
    # outputs, looked at before the work
    ("decouple model:f --box 0:1,0:1 -o no/where.json", "folder no"),
    ("decouple model:f --box 0:1,0:1 -o model.npz", "model.npz"),
    ("decouple model:f --box 0:1,0:1 -o /proc/model.json", "/proc/model.json"),
    ("decouple model:f --box 0:1,0:1 --report report.pdf", "report.pdf"),
    ("decouple model:f --box 0:1,0:1 --plot .", "folder"),
    ("decouple model:f --box 0:1,0:1 --plot x.xyz", "x.xyz"),
    ("export f.unbraid.json --to latex -o /dev/full", "/dev/full"),
    # records
    ("narx data.csv", "column u"),
    ("narx record.csv --u v", "'v'"),
    ("narx record.csv --test data.csv", "column u"),
    ("narx record.csv --output-lags 0,1", "output_lags"),
    ("narx record.csv --input-lags a", "'a'"),
    ("narx record.csv --initial 5000", "initial"),
    ("narx record.csv --degree 9 --output-lags 1:9", "too few"),
    ("narx record.txt", "record.txt"),
    ("narx record.csv -r 1 --max-branches 2", "--max-branches"),
    ("narx record.csv --test record.csv --test-share 0.5", "keep one"),
    # scans
    ("scan model:f --box 0:1,0:1 -r 3:1", "'3:1'"),
    ("scan model:f --box 0:1,0:1 -r 1,1", "'1,1'"),
    ("scan model:f --box 0:1,0:1 -r 0:2", "'0:2'"),
    ("scan model:f --box 0:1,0:1 -j 0", "-j 0"),
    ("scan model:f --box 0:1,0:1 --degree 2 --basis poly:3", "--basis poly:3"),
    ("scan model:f --box 0:1,0:1 --smoothness 1,2", "--smoothness"),
    # the whole message, as an example of good wording
    ("scan model:f --box 0:1,0:1 --u u", "--u is for records: add --narx"),
    ("scan samples.npz --test-share 0.25", "--test-share"),
    ("scan samples.npz --test record.csv", "--test"),
    ("scan record.csv --narx --held-out 0.2", "--held-out"),
    ("scan model:f --box 0:1,0:1 --store no/where.db", "folder no"),
    ("scan model:f --box 0:1,0:1 --store samples.scan.db", "another problem"),
    ("scan model:f --box 0:1,0:1 --store net.onnx", "net.onnx"),
    ("scan data.csv --target force", "no Jacobians"),
    ("scan record.csv --narx --box 0:1", "--box"),
    ("scan samples.npz -r 1 --degree 1 --tolerance 1 --store new.db", "no model has"),
    # files
    ("show gone.json", "gone.json"),
    ("show model.py", "model.py"),
    ("report samples.npz", "samples.npz"),
    ("show plain.json", "plain.json"),
    ("export data.csv --to c", "data.csv"),
    ("show samples.scan.db --names a,b,c", "names is"),
    ("show fake.scan.db", "damaged"),
    ("show f.unbraid.json --row 1", "--row"),
    ("show f.unbraid.json --save x.json", "--save"),
    ("show f.unbraid.json --names a,b,c", "names is"),
    ("show samples.scan.db --row 7", "row 7"),
    ("report f.unbraid.json -o report.txt", "report.txt"),
    ("report f.unbraid.json --data record.csv", "(N, 2)"),
    ("export f.unbraid.json", "'--to'"),
    ("export f.unbraid.json --to torch", "to_torch"),
    ("export f.unbraid.json --to pascal", "'pascal'"),
    ("export f.unbraid.json --to onnx", "-o FILE.onnx"),
    ("export f.unbraid.json --to onnx -o f.c", "f.c"),
    ("export f.unbraid.json --to c -o f.m", "f.m"),
    ("export f.unbraid.json --to c --name ''", "--name"),
    ("export f.unbraid.json --to c --name for", "'for'"),
    ("export f.unbraid.json --to onnx -o f.onnx --digits 3", "--digits"),
    ("export f.unbraid.json --to matlab -o f.txt", "f.m"),
]


@pytest.fixture(scope="module")
def bad_files(model_files, tmp_path_factory):
    """The folder with models, and files whose content does not match their names."""
    folder = tmp_path_factory.mktemp("bad") / "files"
    shutil.copytree(model_files, folder)
    for name in ("fake.onnx", "fake.npz", "fake.mat", "fake.npy", "points.txt"):
        (folder / name).write_bytes(b"nothing of the kind")
    (folder / "fake.scan.db").write_bytes(b"SQLite format 3\0" + bytes(4000))
    (folder / "empty.csv").write_text("")
    (folder / "twice.csv").write_text("a,a,b\n1,2,3\n")
    (folder / "words.csv").write_text("a,b\n1,two\n")
    (folder / "gaps.csv").write_text("day,a,b,c\nMon,1,2,3\nTue,4,,5\nWed,6,NA,7\n")
    write_table(folder / "part.csv", "p1,p2,f1,f2,J11,J12", [np.ones((3, 6))])
    np.savez(folder / "odd.npz", A=np.ones((30, 2)), b=np.ones(30))
    savemat(folder / "across.mat", {"P": np.ones((2, 50))})
    (folder / "data.xlsx").write_bytes(b"PK")
    (folder / "plain.json").write_text("{}")
    (folder / "sick.py").write_text("1 / 0\n")
    (folder / "needy.py").write_text("import surely_missing\n")
    return folder


@pytest.mark.parametrize(("line", "message"), BAD_LINES, ids=[line for line, _ in BAD_LINES])
def test_rejects_bad_input_in_a_few_lines(line, message, bad_files, monkeypatch, capsys):
    monkeypatch.chdir(bad_files)
    monkeypatch.setenv("COLUMNS", "200")
    before = sorted(path.name for path in bad_files.iterdir())
    assert main(shlex.split(line)) == 2
    result = capsys.readouterr()
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == "" or "no model has" in message  # the table of a scan
    lines = [text for text in result.err.splitlines() if "warning" not in text]
    lines = [text for text in lines if "left out" not in text]
    assert lines[0].startswith("unbraid: ")
    assert len(lines) <= 3
    after = {path.name for path in bad_files.iterdir()} - {"__pycache__"}
    assert after <= {*before, "new.db"}


def test_environment_variable_shows_traceback(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNBRAID_TRACEBACK", "1")
    assert main(["show", "gone.json"]) == 2
    result = capsys.readouterr().err
    assert "Traceback" in result
    assert "unbraid: cannot read" in result


def test_names_the_missing_extra(workspace, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert main(["decouple", "data.csv", "--target", "force"]) == 2
    assert "unbraid[sklearn]" in capsys.readouterr().err


@pytest.mark.slow
def test_head_of_a_pipe_prints_no_error(workspace):
    command = f"{shlex.quote(sys.executable)} -m unbraid.cli show f.unbraid.json | head -1"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert ended.stdout == "2 inputs, 1 output, 2 branches, " + ended.stdout.split(", ")[-1]
    assert ended.stderr == ""


def test_closed_pipe_exits_with_141(workspace):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "unbraid.cli", "show", "f.unbraid.json"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_ascii_encoding_gets_ascii_plots(workspace):
    command = [sys.executable, "-m", "unbraid.cli", "show", "f.unbraid.json"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for more, mark in (([], "****"), (["--no-plot"], "R^2")):
        ended = subprocess.run(
            [*command, *more], env=environment, capture_output=True, text=True, check=True
        )
        assert ended.stderr == ""
        assert mark in ended.stdout


def test_interrupt_in_a_users_model_exits_with_130(monkeypatch, capsys, tmp_path):
    body = "import signal\ndef f(p):\n    signal.raise_signal(signal.SIGINT)\n"
    (tmp_path / "interrupted.py").write_text(body, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["decouple", "interrupted:f", "--box", "-1:1,-1:1", "-r", "1"]) == 130
    assert capsys.readouterr().err.strip() == "unbraid: stopped"


def test_interrupt_during_import_exits_with_130(monkeypatch, capsys):
    monkeypatch.setattr(unbraid.cli, "main", make_raiser(KeyboardInterrupt()))
    assert unbraid_command.main() == 130
    assert capsys.readouterr().err == "unbraid: stopped\n"
