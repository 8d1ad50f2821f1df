"""The command line: every example of every help text, bad input, pipes, the tour."""

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import unbraid
from unbraid import cases
from unbraid.bases import Polynomial
from unbraid.cli import main
from unbraid.model._branch import Branch, fit_branch

for needed in ("click", "rich", "joblib", "onnx", "sklearn", "matplotlib"):
    pytest.importorskip(needed)

from unbraid.cli import (  # noqa: E402 - they need click
    _app,
    _options,
    _tables,
    _terminal,
)

TOUR = Path(__file__).parents[1] / "docs" / "commands.md"
MODEL = """\
import numpy as np

def f(p):
    return np.tanh(p[:, :1] + 2 * p[:, 1:]) + 0.1 * p[:, :1] ** 2

def broken(p):
    raise RuntimeError("no luck today")

def endless(p):
    return p[:, :1] / 0

def chatty(p):
    print("here I am")
    return f(p)

def leaving(p):
    raise SystemExit(0)

class box:
    inner = f
"""


def commands():
    context = _app.group.make_context("unbraid", ["show"], resilient_parsing=True)
    return {name: _app.group.get_command(context, name) for name in _app.COMMANDS}


def examples_of(command):
    return [line.strip() for line in command.epilog.splitlines() if line.startswith("  unbraid ")]


def write_network(path):
    from onnx import TensorProto, helper, numpy_helper, save

    nodes = [
        helper.make_node("MatMul", ["p", "V"], ["z"]),
        helper.make_node("Tanh", ["z"], ["g"]),
        helper.make_node("MatMul", ["g", "W"], ["f"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("p", TensorProto.DOUBLE, [None, 2])],
        [helper.make_tensor_value_info("f", TensorProto.DOUBLE, [None, 1])],
        [
            numpy_helper.from_array(np.array([[1.0, 0.5], [2.0, -1.0]]), "V"),
            numpy_helper.from_array(np.array([[1.0], [0.5]]), "W"),
        ],
    )
    opset = [helper.make_opsetid("", 17)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)


def write_table(path, header, columns):
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=header, comments="")


@pytest.fixture(autouse=True)
def modules_of_users(monkeypatch):
    """What a command imports from its folder is forgotten."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("model", "things", "sick", "needy"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with one file of every kind that the examples name."""
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(0)
    write_network(folder / "net.onnx")
    (folder / "model.py").write_text(MODEL)
    P = rng.uniform(-1, 1, (100, 2))
    z = P @ [1.0, 2.0]
    np.savez(folder / "samples.npz", P=P, F=z**3, J=(3 * z**2)[:, None] * [1.0, 2.0])
    write_table(folder / "points.csv", "speed,load", [P])
    X = rng.uniform(-1, 1, (60, 2))
    write_table(folder / "data.csv", "speed,load,force", [X, np.tanh(2 * X[:, 0] + X[:, 1])])
    write_table(folder / "record.csv", "u,y", cases.duffing(1024, 64, random_state=0).train)
    return folder


@pytest.fixture(scope="module")
def made(inputs, tmp_path_factory):
    """The same folder with models and a store in it."""
    folder = tmp_path_factory.mktemp("made") / "here"
    shutil.copytree(inputs, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(shlex.split("decouple model:f --box -1:1,-1:1 -r 2 --basis poly:9 -q")) == 0
        assert main(["narx", "record.csv", "-r", "1", "--no-refine", "--json"]) == 0
        assert main(["scan", "samples.npz", "-r", "1:2", "--degree", "3"]) == 0
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """A fresh copy of that folder, as the current one."""
    folder = tmp_path / "here"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    return folder


ORDER = ["decouple", "narx", "scan", "show", "report", "export"]
LONG = ["unbraid", "demo", "reproduce"]


def run_examples(names, capsys):
    """All examples of some commands, one after the other; what the last one printed."""
    listed = {"unbraid": examples_of(_app.group)}
    listed |= {name: examples_of(command) for name, command in commands().items()}
    assert sorted(ORDER + LONG) == sorted(listed)
    assert all(listed.values())
    for line in dict.fromkeys(line for name in names for line in listed[name]):
        code = main(shlex.split(line)[1:])
        said = capsys.readouterr()
        assert code == 0, f"{line}\n{said.err}"
        assert "Traceback" not in said.err
        if "--json" in line:
            json.loads(said.out, parse_constant=pytest.fail)


@pytest.fixture
def fresh(inputs, tmp_path, monkeypatch):
    """A fresh copy of the inputs, as the current folder."""
    folder = tmp_path / "fresh"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
def test_every_example_runs(fresh, capsys):
    run_examples(ORDER, capsys)
    for page in ("data.html", "samples.html", "net.html", "scan.html", "record.html"):
        assert "<html" in (fresh / page).read_text(encoding="utf-8"), page
    assert unbraid.load("two.json").n_branches == 3
    assert (fresh / "samples-scan.csv").read_text().count("\n") == 7


@pytest.mark.slow
def test_every_long_example_runs_and_the_demo_resumes(fresh, monkeypatch, capsys):
    from unbraid.cli import _demo as demo

    run_examples(LONG, capsys)
    assert (fresh / "demo" / "branches.png").exists()
    assert unbraid.load("demo/toy.json").n_branches == 3
    (store,) = (fresh / "demo").glob("*.scan.db")
    seconds = [row.seconds for row in unbraid.load_scan(store).rows]
    (fresh / "demo" / "report.html").unlink()
    real = demo.table1
    monkeypatch.setattr(  # the table again, the quick method three times
        demo, "table1", lambda samples, _, **__: real(samples, "varpro", random_state=0)
    )
    assert main(["demo", "--out", "demo"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"The report: {Path('demo/report.html')}  (open it in a browser)"
    assert "<html" in (fresh / "demo" / "report.html").read_text(encoding="utf-8")
    assert [row.seconds for row in unbraid.load_scan(store).rows] == seconds


BAD = [
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
def wreck(made, tmp_path_factory):
    """That folder with files that are not what their names say."""
    folder = tmp_path_factory.mktemp("wreck") / "here"
    shutil.copytree(made, folder)
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


@pytest.mark.parametrize(("line", "message"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_refused_in_a_line_or_two(line, message, wreck, monkeypatch, capsys):
    monkeypatch.chdir(wreck)
    monkeypatch.setenv("COLUMNS", "200")
    before = sorted(path.name for path in wreck.iterdir())
    assert main(shlex.split(line)) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert "Traceback" not in said.err
    assert said.out == "" or "no model has" in message  # the table of a scan
    lines = [text for text in said.err.splitlines() if "warning" not in text]
    lines = [text for text in lines if "left out" not in text]
    assert lines[0].startswith("unbraid: ")
    assert len(lines) <= 3
    after = {path.name for path in wreck.iterdir()} - {"__pycache__"}
    assert after <= {*before, "new.db"}


def test_a_traceback_is_shown_where_it_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNBRAID_TRACEBACK", "1")
    assert main(["show", "gone.json"]) == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "unbraid: cannot read" in said


@pytest.mark.slow
def test_decouple_writes_what_it_says(here, capsys):
    line = "decouple model:f --box -1:1,-2:2 -r 2 --n-points 300 --names speed,load --json"
    assert main([*shlex.split(line), "-o", "m.json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["written"] == {"model": "m.json"}
    assert said["n_branches"] == 2
    assert max(said["held_out_error"]) < 0.01
    assert said["branches"][0]["shape"] == "saturating"
    assert set(said["branches"][0]["direction"]) == {"speed", "load"}
    d = unbraid.load("m.json")
    p = np.array([[0.3, -0.8]])
    expected = np.tanh(0.3 - 1.6) + 0.1 * 0.09
    assert d(p)[0, 0] == pytest.approx(expected, abs=1e-4)
    np.testing.assert_allclose(said["V"], d.V)


def test_what_a_model_prints_is_no_result(here, capsys):
    line = "decouple model:chatty --box -1:1,-1:1 -r 1 --basis poly:3 --n-points 50 --json"
    assert main(shlex.split(line)) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["n_branches"] == 1
    assert "here I am" in said.err


def test_decouple_is_quiet_where_it_is_told_to_be(here, capsys):
    line = "decouple samples.npz -r 1 --basis poly:3 -q --report r.html"
    assert main(shlex.split(line)) == 0
    assert capsys.readouterr() == ("", "")
    assert (here / "samples.unbraid.json").exists()
    assert (here / "r.html").exists()


MODELS = """
import numpy as np
from unbraid import PolynomialFunction, Samples
from sklearn.linear_model import LinearRegression

X = np.random.default_rng(0).uniform(-1, 1, (40, 2))
regression = LinearRegression().fit(X, X @ [1.0, 2.0])
polynomial = PolynomialFunction([[1.0, 2.0]], [[2, 0], [0, 1]])
samples = Samples(X, X @ [1.0, 2.0], np.tile([1.0, 2.0], (40, 1)))

class holder:
    class inner:
        f = staticmethod(lambda p: p[:, :1] + 2 * p[:, 1:])
"""


@pytest.mark.parametrize(
    "line",
    [
        "things:regression --box -1:1",  # it says how many inputs it has
        "things:polynomial --box -1:1 --inputs-count 2",
        "things:samples",
        "things:holder.inner.f --points points.npy",
        "things.py:holder.inner.f --points points.npz",
        "things:holder.inner.f --points points.mat",
        "things:holder.inner.f --points across.mat --inputs-count 2",
        "things:regression --points across.mat",
        "things:holder.inner.f --points bare.csv",  # numbers and no names
        "columns.csv",  # p1, p2, f1 and Jacobians
    ],
)
def test_models_of_every_kind(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "things.py").write_text(MODELS)
    P = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    np.save("points.npy", P)
    np.savez("points.npz", points=P, other=np.ones(3))
    savemat("points.mat", {"P": P})
    savemat("across.mat", {"P": P.T})
    np.savetxt("bare.csv", P, delimiter=" ")
    ones = np.ones(len(P))
    write_table("columns.csv", "p1,p2,f1,J11,J12", [P, P @ [1.0, 2.0], ones, 2 * ones])
    assert main(["decouple", *shlex.split(line), "-r", "2", "--basis", "poly:2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert max(said["fitted_error"]) < 1e-6


@pytest.mark.slow
def test_data_without_jacobians(here, capsys):
    line = "decouple data.csv --target force -r 1 --basis spline:8 --json"
    assert main(shlex.split(line)) == 0
    out, err = capsys.readouterr()
    assert err == "unbraid: data.csv has no Jacobians: fitted as data, by DecoupledRegressor\n"
    said = json.loads(out)
    assert said["fitted_error"][0] < 2
    assert said["cross_validated_error"] < 5
    assert said["words"].startswith("force is a constant plus 1 term: a saturating function of")
    assert list(said["branches"][0]["direction"]) == ["speed", "load"]


@pytest.mark.slow
def test_columns_of_words_are_left_out(here, capsys):
    rows = (here / "data.csv").read_text().splitlines()
    lines = [
        f"{k - 1};2 May;{row.replace(',', ';').replace('.', ',')}" for k, row in enumerate(rows)
    ]
    lines[0] = ";day;speed;load;force"
    (here / "other.csv").write_text("# a rig\n" + "\n".join(lines))
    documents = []
    for name in ("data.csv", "other.csv"):
        assert main(shlex.split(f"decouple {name} --target force -r 1 --basis poly:3 --json")) == 0
        said = capsys.readouterr()
        documents.append(json.loads(said.out))
    assert "left out day" in said.err
    assert documents[0]["V"] == documents[1]["V"]
    assert documents[1]["input_names"] == ["speed", "load"]


def test_a_few_rows_say_little(here, capsys):
    rows = (here / "data.csv").read_text().splitlines()
    (here / "short.csv").write_text("\n".join(rows[:7]))
    assert main(shlex.split("decouple short.csv --target force --json")) == 0
    said = capsys.readouterr()
    assert "6 rows" in said.err
    assert any("so few" in text for text in json.loads(said.out)["warnings"])


JACOBIANS = [
    ("--target f2", "f2", None),
    ("--target f2 --features p1,p2", "f2", None),
    ("--target f1", "f1", None),
    ("--target f1 --features p1", "f1", "no Jacobians of f1 by p1 and no more"),
    ("--target f2 --features p2,note", "f2", "no Jacobians of f2 by p2, note and no more"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "output", "said"), JACOBIANS)
def test_one_output_of_a_table_with_jacobians(line, output, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    P = np.random.default_rng(0).uniform(-1, 1, (60, 3))
    z, one = P[:, 0] + P[:, 1], np.ones(60)
    columns = [P, z**2, 3 * z, 2 * z, 2 * z, 3 * one, 3 * one]
    write_table("s.csv", "p1,p2,note,f1,f2,J11,J12,J21,J22", columns)
    assert main(["decouple", "s.csv", *line.split(), "-r", "1", "--basis", "poly:2"]) == 0
    err = capsys.readouterr().err
    assert said in err if said else err == ""
    d = unbraid.load("s.unbraid.json")
    assert d.output_names == (output,)
    assert set(d.input_names) <= {"p1", "p2", "note"}
    assert said is not None or max(d.fitted_error) < 1e-6


@pytest.mark.slow
def test_names_go_with_the_model(here, capsys):
    line = (
        "decouple model:f --box -1:1,-1:1 -r 1 --basis poly:5 --names speed,load "
        "--output-names force -o n.json -q"
    )
    assert main(shlex.split(line)) == 0
    line = "decouple data.csv --target force -r 1 --basis poly:3 -o d.json -q"
    assert main(shlex.split(line)) == 0
    capsys.readouterr()
    for name in ("n.json", "d.json"):
        assert unbraid.load(name).input_names == ("speed", "load")
        assert main(["show", name, "--no-plot"]) == 0
        shown = capsys.readouterr().out
        assert "force is a constant" in shown
        assert re.search(r"z = .*speed", shown)
        assert main(["export", name, "--to", "latex"]) == 0
        assert "speed" in capsys.readouterr().out
        assert main(["show", name, "--no-plot", "--names", "a,b"]) == 0
        assert "speed" not in capsys.readouterr().out
    line = "scan model:f --box -1:1,-1:1 -r 1 --degree 3 --names speed,load -o best.json"
    assert main(shlex.split(line)) == 0
    assert unbraid.load("best.json").input_names == ("speed", "load")


def test_a_poor_approximation_is_called_so(here, capsys):
    poor = "a poor approximation: "
    assert main(shlex.split("decouple samples.npz -r 1 --basis poly:1 -o p.json")) == 0
    assert poor in capsys.readouterr().out
    for name, is_poor in (("p.json", True), ("f.unbraid.json", False)):
        assert main(["show", name, "--no-plot"]) == 0
        assert (poor in capsys.readouterr().out) is is_poor


def test_tables_by_their_usual_names(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    np.savez(tmp_path / "a.npz", X=X.T, y=y)
    write_table(tmp_path / "b.csv", "y,x2,x1,J", [y, X[:, ::-1], y])
    for name, labels in (("a.npz", ["X1", "X2"]), ("b.csv", ["x1", "x2"])):
        table = _tables.table_of(tmp_path / name, None, None)
        assert (table.names, table.outputs) == (labels, ["y"])
        np.testing.assert_array_equal(table.X, X)
        np.testing.assert_array_equal(table.Y, y[:, None])


@pytest.mark.slow
def test_narx_prints_both_models(here, capsys):
    assert main(["narx", "record.csv", "-r", "2", "-o", "n.json", "--json"]) == 0
    coupled, small = json.loads(capsys.readouterr().out)["models"]
    assert small["n_parameters"] < coupled["n_parameters"] == 56
    assert small["test_error"] < coupled["test_error"]
    model = unbraid.narx.load("n.json")
    u, y = np.genfromtxt("record.csv", delimiter=",", skip_header=1)[768:].T
    assert model.score(u, y).percent == pytest.approx(small["test_error"])


def test_narx_reads_rows_and_several_channels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    u = rng.normal(size=(400, 2))
    y = np.zeros((400, 2))
    for t in range(1, 400):
        y[t] = 0.5 * y[t - 1] + np.tanh(u[t])
    np.savez("two.npz", u=u.T, y=y)
    lags = ["--input-lags", "0", "--output-lags", "1", "--degree", "1"]
    assert main(["narx", "two.npz", *lags, "-r", "2", "--test-share", "0", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["model"]["n_inputs"] == 4
    assert said["models"][0]["test_error"] is None
    assert set(said["model"]["branches"][0]["direction"]) == {
        "u1(t)",
        "u2(t)",
        "y1(t-1)",
        "y2(t-1)",
    }


@pytest.mark.slow
def test_scan_counts_every_combination(here, capsys):
    line = (
        "scan samples.npz -r 1,2 --degree 2:3 --seeds 0:1 --json --store s.db --csv t.csv -o b.json"
    )
    assert main(shlex.split(line)) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["rows"]) == 8
    best = said["rows"][said["best"]]
    assert (best["n_branches"], best["basis"]) == (1, "Polynomial(3)")
    assert best["held_out_error"] < 1e-6
    assert unbraid.load("b.json").n_branches == 1
    lines = (here / "t.csv").read_text().splitlines()
    assert len(lines) == 9
    assert "held_out_error" in lines[0]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_scan_without_a_model_that_is_good_enough(here, capsys, as_json):
    line = "scan samples.npz -r 1 --degree 1 --tolerance 1 --csv t.csv -o b.json --report r.html"
    assert main([*shlex.split(line), "--store", "new.db", *["--json"] * as_json]) == 2
    out, err = capsys.readouterr()
    assert "no model" in err
    assert "b.json" in err
    assert not (here / "b.json").exists()
    assert (here / "t.csv").read_text().count("\n") == 2
    assert "<html" in (here / "r.html").read_text(encoding="utf-8")
    if as_json:
        said = json.loads(out)
        assert said["written"] == {"table": "t.csv", "report": "r.html"}
        assert (said["best"], said["store"]) == (None, "new.db")
    else:
        assert re.search(r"^store: +new.db$", out, re.MULTILINE)
        assert "best: " not in out


def test_a_row_keeps_its_number_when_the_grid_grows(here, capsys):
    for counts in ("2", "1:2"):
        assert main(shlex.split(f"scan samples.npz -r {counts} --degree 3 --store g.db")) == 0
    for index in (0, 1):
        model = unbraid.load_scan("g.db")[index].model
        capsys.readouterr()
        assert main(["export", "g.db", "--row", str(index), "--to", "c"]) == 0
        assert capsys.readouterr().out.strip() == unbraid.export.to_c(model).strip()
        assert main(["show", "g.db", "--row", str(index), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["model"]["n_branches"] == model.n_branches
    assert unbraid.load_scan("g.db")[0].settings["n_branches"] == 2


def test_scan_finds_the_number_of_branches(here, capsys):
    assert main(shlex.split("scan samples.npz -r AUTO,2 --degree 3 --json --store a.db")) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert sorted(row["n_branches"] for row in rows) == [1, 2]


def test_show_draws_every_branch(here, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    assert main(["show", "f.unbraid.json"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("└") == 2
    assert re.search("[\u2801-\u28ff]", printed)
    assert max(len(line) for line in printed.splitlines() if "│" in line) <= 50
    assert "\033" not in printed
    assert main(["show", "f.unbraid.json", "--ascii"]) == 0
    plain = capsys.readouterr().out
    assert plain.count("*") > 40
    assert plain.isascii()
    assert main(["show", "f.unbraid.json", "--no-plot"]) == 0
    words = capsys.readouterr().out
    assert "branch 2" in words
    assert "└" not in words


def test_show_of_a_store(here, capsys):
    assert main(["show", "samples.scan.db", "--no-plot"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\* +0 +varpro, r = 1", printed)
    assert "Row 0: varpro, r = 1" in printed
    assert main(["show", "samples.scan.db", "--row", "1", "--save", "two.json"]) == 0
    assert "Row 1" in capsys.readouterr().out
    assert unbraid.load("two.json").n_branches == 2
    line = "show samples.scan.db --save named.json --names left,right --no-plot"
    assert main(shlex.split(line)) == 0
    assert "left" in capsys.readouterr().out
    assert unbraid.load("named.json").input_names == ("left", "right")
    assert main(["show", "samples.scan.db", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["row"], len(said["rows"]), said["model"]["n_branches"]) == (0, 2, 1)


def test_show_of_narx_models(here, capsys):
    assert main(["show", "record.unbraid.json"]) == 0
    printed = capsys.readouterr().out
    assert "input lags 0, 1, output lags 1, 2, 3" in printed
    assert "y(t-1)" in printed
    assert re.search(r"error of one step ahead: [\d.e-]+ % fitted", printed)
    u, y = np.genfromtxt("record.csv", delimiter=",", skip_header=1).T
    unbraid.narx.fit_polynomial_narx(u, y).save("coupled.json")
    assert main(["show", "coupled.json"]) == 0
    assert "coupled, 56 numbers" in capsys.readouterr().out
    for line in ("export coupled.json --to c", "report coupled.json"):
        assert main(shlex.split(line)) == 2
        assert "coupled model" in capsys.readouterr().err


def test_exports_are_those_of_the_library(here, capsys):
    d = unbraid.load("f.unbraid.json")
    for line, expected in {
        "--to c --name g --precision float32": unbraid.export.to_c(d, None, "g", "float32"),
        "--to matlab --name law": unbraid.export.to_matlab(d, None, "law"),
        "--to latex --names u,v --digits 2": unbraid.export.to_latex(d, ["u", "v"], 2),
    }.items():
        assert main(["export", "f.unbraid.json", *shlex.split(line)]) == 0
        assert capsys.readouterr().out.strip() == expected.strip()
    assert main(["export", "samples.scan.db", "--row", "1", "--to", "c", "-o", "row.c"]) == 0
    assert capsys.readouterr() == ("", "unbraid: wrote row.c\n")
    row = unbraid.load_scan("samples.scan.db").rows[1].model
    assert (here / "row.c").read_text() == unbraid.export.to_c(row)


def test_sympy_is_printed_and_written(here, capsys):
    pytest.importorskip("sympy")
    assert main(["export", "f.unbraid.json", "--to", "sympy", "--digits", "3"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("f1 = ")
    assert main(["export", "f.unbraid.json", "--to", "sympy", "--digits", "3", "-o", "f.txt"]) == 0
    assert (here / "f.txt").read_text() == printed


def test_a_report_of_other_data(here, capsys):
    write_table("more.csv", "p1,p2,f", [np.random.default_rng(1).uniform(-1, 1, (30, 3))])
    line = "report f.unbraid.json --data more.csv --names speed,load -o a.html --title A<B"
    assert main(shlex.split(line)) == 0
    assert capsys.readouterr().out == "a.html\n"
    page = (here / "a.html").read_text(encoding="utf-8")
    assert "A&lt;B" in page
    assert "speed" in page


def test_a_missing_extra_is_named(here, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert main(["decouple", "data.csv", "--target", "force"]) == 2
    assert "unbraid[sklearn]" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["click", "rich"])
def test_the_command_line_says_what_it_needs(package, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["--version"]) == 2
    assert "unbraid[cli]" in capsys.readouterr().err


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"unbraid {unbraid.__version__}\n"
    assert main([]) == 0
    whole = capsys.readouterr().out
    for name in _app.COMMANDS:
        assert f"  {name} " in whole
        assert main([name, "-h"]) == 0
        assert "Examples:\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (_options.whole_numbers, "1:3", [1, 2, 3]),
        (_options.whole_numbers, "1,2,4", [1, 2, 4]),
        (_options.whole_numbers, "4:4,1", [4, 1]),
        (_options.box, "-1:1", [(-1.0, 1.0)]),
        (_options.box, "0:1,-2e3:2", [(0.0, 1.0), (-2000.0, 2.0)]),
        (_options.basis, "spline:12", unbraid.BSpline(12)),
        (_options.basis, "linear:8", unbraid.PiecewiseLinear(8)),
        (_options.basis, "fourier:3", unbraid.Fourier(3)),
        (_options.basis, "rbf:8", unbraid.RBF(8)),
        (_options.bases, "auto,poly:2", ["auto", unbraid.Polynomial(2)]),
        (_options.branches, "auto", "auto"),
        (_options.branches, "AUTO", "auto"),
        (_options.branch_counts, "1:2,Auto", [1, 2, "auto"]),
        (_options.branch_counts, "auto", ["auto"]),
        (_options.branches, "7", 7),
    ],
)
def test_values_of_options(read, text, value):
    assert read(text) == value


def wave(estimate=None):
    z = np.linspace(-3.0, 3.0, 61)
    branch = fit_branch(Polynomial(7), z, np.sin(z))
    return Branch(branch.curve, "linear", estimate)


def test_pictures_follow_the_curve():
    lines = _terminal.picture(wave(), _terminal.Pen(braille=False), 41, 9)
    body = [line.split("|")[-1].split("+")[-1].ljust(41) for line in lines[:9]]
    crest, trough = (np.flatnonzero([c == "*" for c in body[k]]).mean() for k in (0, -1))
    assert crest == pytest.approx(20 + 20 * np.pi / 6, abs=1)  # of a sine, at pi / 2
    assert trough == pytest.approx(20 - 20 * np.pi / 6, abs=1)
    assert all(any(line[k] == "*" for line in body) for k in range(41))  # no gap
    assert lines[0].split()[0] == _terminal.number(max(wave()(np.linspace(-3, 3, 656))))
    assert lines[-1].split() == ["-3", "3"]


def test_pictures_show_data_beneath_the_curve():
    marks = np.array([[-2.0, 1.0], [2.0, -1.0]])
    text = "\n".join(_terminal.picture(wave(marks), _terminal.Pen(braille=False)))
    assert text.count(".") >= 2
    coloured = "".join(_terminal.picture(wave(marks), _terminal.Pen(True, colour=True)))
    assert _terminal.CURVE in coloured
    assert _terminal.MARK in coloured
    bare = re.sub("\\033\\[\\d+m", "", coloured)
    assert bare == "".join(_terminal.picture(wave(marks), _terminal.Pen(True, False)))


def test_pictures_of_a_flat_branch():
    z = np.linspace(0.0, 1.0, 9)
    lines = _terminal.picture(fit_branch(Polynomial(1), z, 0 * z), _terminal.Pen(False), 20, 5)
    assert sum("*" * 20 in line for line in lines) == 1


def test_pens(monkeypatch):
    class Screen:
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert _terminal.pen_for(False) == _terminal.Pen(True, True)
    assert _terminal.pen_for(True) == _terminal.Pen(False, True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _terminal.pen_for(False).colour
    Screen.encoding = "latin-1"
    assert not _terminal.pen_for(False).braille


# real processes


def unbraid_process(arguments, folder, **settings):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **settings.pop("environment", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "unbraid.cli", *shlex.split(arguments)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,
    )


def test_nothing_heavy_is_imported_for_help():
    code = (
        "import sys; from unbraid.cli import main; assert main(['--help']) == 0; "
        "heavy = {'rich.console', 'unbraid.cli._decouple', 'matplotlib', 'torch', 'sklearn'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_news(here):
    command = f"{shlex.quote(sys.executable)} -m unbraid.cli show f.unbraid.json | head -1"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert ended.stdout == "2 inputs, 1 output, 2 branches, " + ended.stdout.split(", ")[-1]
    assert ended.stderr == ""


def test_a_reader_that_is_gone_has_a_code_of_its_own(here):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "unbraid.cli", "show", "f.unbraid.json"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_plain_letters_where_the_terminal_has_no_others(here):
    process = unbraid_process(
        "show f.unbraid.json", here, environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert "R^2 = " in out
    assert "****" in out


def test_a_bar_is_drawn_on_a_terminal(here):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "unbraid.cli"]
    command += shlex.split("scan samples.npz -r 1 --degree 2:4 --store bar.db")
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        seen = b""
        while part := read_or_nothing(ours):
            seen += part
        os.close(ours)
    assert process.returncode == 0
    assert b"Scanning" in seen
    assert b"3/3" in seen


def read_or_nothing(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side was closed
        return b""


# the tour


def sessions(page):
    """Commands and what they print, in the order of the page."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *rest = part.splitlines()
            more = [line for line in rest if line.startswith(">")]
            command = "\n".join([first, *(line[2:] for line in more)])
            yield command, "\n".join(rest[len(more) :])


def printed_by(command, capfd):
    """What a person would see; plain commands run in this process, which is quicker."""
    if not command.startswith("unbraid ") or re.search(r"[|;]", command):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        settings = {"shell": True, "env": {**os.environ, "PATH": path}, "text": True}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.run(command, check=True, **settings, **streams).stdout
    assert main(shlex.split(command, comments=True)[1:]) == 0, command
    said = capfd.readouterr()
    return said.err + said.out


@pytest.mark.slow
def test_the_tour(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    seen = taken(TOUR, monkeypatch, capfd)
    assert seen == {"decouple", "show", "export", "scan", "report", "narx"}
    assert (tmp_path / "force.html").exists()
    assert unbraid.load("cubic.json").n_branches == 2


@pytest.mark.slow
def test_the_short_tour_of_all_commands(fresh, monkeypatch, capfd):
    assert taken(TOUR.parents[1] / "README.md", monkeypatch, capfd) == set(commands())
    assert (fresh / "force.html").exists()


def taken(page, monkeypatch, capfd):
    """Run all sessions of a page and compare; the names of the commands."""
    monkeypatch.setenv("COLUMNS", "72")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    commands_seen = set()
    for command, expected in sessions(page.read_text(encoding="utf-8")):
        found = printed_by(command, capfd)
        if command.startswith("unbraid "):
            commands_seen.add(command.split()[1])
        matches = doctest.OutputChecker().check_output(expected + "\n", found, flags)
        assert matches, f"$ {command}\n{found}"
    return commands_seen
