"""Models on the command line: Python objects, files, points."""

import json
import shlex

import numpy as np
import pytest
from scipy.io import savemat

import unbraid
from cli_helpers import write_table
from unbraid.cli import main

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
def test_reads_models_of_every_kind(line, tmp_path, monkeypatch, capsys):
    pytest.importorskip("sklearn")
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
    result = json.loads(capsys.readouterr().out)
    assert max(result["fitted_error"]) < 1e-6


JACOBIANS = [
    ("--target f2", "f2", None),
    ("--target f2 --features p1,p2", "f2", None),
    ("--target f1", "f1", None),
    ("--target f1 --features p1", "f1", "no Jacobians of f1 for the inputs p1 alone"),
    ("--target f2 --features p2,note", "f2", "no Jacobians of f2 for the inputs p2, note alone"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "output", "message"), JACOBIANS)
def test_target_selects_output_and_its_jacobians(
    line, output, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    P = np.random.default_rng(0).uniform(-1, 1, (60, 3))
    z, one = P[:, 0] + P[:, 1], np.ones(60)
    columns = [P, z**2, 3 * z, 2 * z, 2 * z, 3 * one, 3 * one]
    write_table("s.csv", "p1,p2,note,f1,f2,J11,J12,J21,J22", columns)
    assert main(["decouple", "s.csv", *line.split(), "-r", "1", "--basis", "poly:2"]) == 0
    err = capsys.readouterr().err
    assert message in err if message else err == ""
    d = unbraid.load("s.unbraid.json")
    assert d.output_names == (output,)
    assert set(d.input_names) <= {"p1", "p2", "note"}
    assert message is not None or max(d.fitted_error) < 1e-6


def test_rejects_several_array_names_with_jacobians(capsys, small_files):
    assert main(["decouple", "samples.npz", "--target", "F,P"]) == 2
    assert "--features" in capsys.readouterr().err
