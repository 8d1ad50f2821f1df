"""Folders with files for the tests of the command line."""

import shlex
import shutil
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from cli_helpers import MODEL, write_network, write_table
from hardening.plain import F, J, P, known_function
from public_benchmarks.made_up import make_arrays
from unbraid import cases
from unbraid.cli import main
from unbraid.narx import NARX

NEEDED = ("click", "rich", "joblib", "threadpoolctl")
collect_ignore_glob = ["test_*.py"] if any(find_spec(name) is None for name in NEEDED) else []


@pytest.fixture(autouse=True)
def forget_user_modules(monkeypatch):
    """Undo what a command imports from the current folder."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("model", "things", "sick", "needy"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture(scope="session")
def input_files(tmp_path_factory):
    """A folder with one file of every kind that the examples name."""
    for package in ("onnx", "sklearn", "matplotlib"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(0)
    write_network(folder / "net.onnx")
    (folder / "model.py").write_text(MODEL)
    points = rng.uniform(-1, 1, (100, 2))
    z = points @ [1.0, 2.0]
    np.savez(folder / "samples.npz", P=points, F=z**3, J=(3 * z**2)[:, None] * [1.0, 2.0])
    write_table(folder / "points.csv", "speed,load", [points])
    X = rng.uniform(-1, 1, (60, 2))
    write_table(folder / "data.csv", "speed,load,force", [X, np.tanh(2 * X[:, 0] + X[:, 1])])
    write_table(folder / "record.csv", "u,y", cases.duffing(1024, 64, random_state=0).train)
    flow, level = np.repeat(rng.uniform(0.5, 2.0, 20), 20), [1.0]
    for inflow in flow[:-1]:
        level.append(level[-1] + 0.1 * (inflow - np.sqrt(level[-1])))
    columns = [4.0 * np.arange(len(flow)), flow, level]
    write_table(folder / "tank.csv", "t,pump_V,level_cm", columns)
    np.savez(folder / "emps.npz", **make_arrays("emps"))
    return folder


@pytest.fixture(scope="session")
def model_files(input_files, tmp_path_factory):
    """The same folder with models and a store in it."""
    folder = tmp_path_factory.mktemp("models") / "here"
    shutil.copytree(input_files, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        patch.delitem(sys.modules, "model", raising=False)
        assert main(shlex.split("decouple model:f --box -1:1,-1:1 -r 2 --basis poly:9 -q")) == 0
        assert main(["narx", "record.csv", "-r", "1", "--no-refine", "--json"]) == 0
        assert main(["scan", "samples.npz", "-r", "1:2", "--degree", "3"]) == 0
    sys.modules.pop("model", None)
    return folder


@pytest.fixture
def enter_copy(tmp_path, monkeypatch):
    """Copies a folder and makes the copy the current one."""

    def enter(source):
        folder = tmp_path / "workspace"
        shutil.copytree(source, folder)
        monkeypatch.chdir(folder)
        return folder

    return enter


@pytest.fixture
def workspace(model_files, enter_copy):
    """A fresh copy of the folder with models, as the current one."""
    return enter_copy(model_files)


@pytest.fixture
def input_workspace(input_files, enter_copy):
    """A fresh copy of the folder with inputs alone, as the current one."""
    return enter_copy(input_files)


@pytest.fixture(scope="session")
def record():
    """Input and output of a small dynamic system."""
    u = np.random.default_rng(2).standard_normal(160)
    system = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,))
    return u, system.simulate(u, [0.0])


@pytest.fixture
def small_files(record, tmp_path, monkeypatch):
    """A folder with samples, a record and a small model in it, as the current one."""
    monkeypatch.chdir(tmp_path)
    np.savez("samples.npz", P=P, F=F, J=J)
    np.savez("record.npz", u=record[0], y=record[1])
    known_function().save("model.json")
    return tmp_path
