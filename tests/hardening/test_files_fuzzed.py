"""Damaged and hostile files: a right answer or a clear refusal, in little memory."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import unbraid
from effort import seeds
from hardening import bombs
from hardening.mutations import as_json, damaged, damaged_tree
from unbraid import BSpline, InvalidFileError, Polynomial
from unbraid.cases import duffing, toy_samples
from unbraid.cases._network import network_samples
from unbraid.errors import InvalidSamplesError, SamplingError, UnbraidError
from unbraid.narx import fit_polynomial_narx
from unbraid.sources import read_samples, sample

if find_spec("onnx"):
    from hardening import graphs

needs_onnx = pytest.mark.skipif(not find_spec("onnx"), reason="no onnx: pip install onnx")
SAMPLES = network_samples(30, random_state=0)
NAMES = ["p1", "p2", "f1", "f2", "J11", "J12", "J21", "J22"]
POINTS = np.array([[0.0, 0.0], [0.3, -0.4], [-2.0, 1.0]])


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """Saved functions of three kinds; the last has arrays beside it."""
    folder, toy = tmp_path_factory.mktemp("functions"), toy_samples(60, random_state=0)
    options = {"random_state": 0, "method": "cpd"}
    made = {
        "polynomials": unbraid.decouple(toy, n_branches=3, basis=Polynomial(3), **options),
        "splines": unbraid.decouple(toy, n_branches=2, basis=BSpline(8), **options),
        "free": unbraid.decouple(
            network_samples(600, random_state=0), n_branches=2, basis=None, **options
        ),
    }
    return {name: d.save(folder / f"{name}.json") for name, d in made.items()}


def unsealed(path: Path) -> dict:
    tree = json.loads(path.read_text())
    del tree["checksum"]
    return tree


def tried(call, path, *others):
    """What comes out, or None where it is refused; anything else fails."""
    try:
        return call(path)
    except (InvalidFileError, *others) as error:
        said = str(error)
    assert path.name in said or others, said
    assert 20 < len(said) < 1500, said
    return None


# Saved functions and models --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["polynomials", "splines", "free"])
def test_a_damaged_function_is_refused_or_the_same(functions, kind):
    """The checksum finds what would be another function."""
    original = unbraid.load(functions[kind])
    content, path = functions[kind].read_bytes(), functions[kind].with_name(f"{kind}-damaged.json")
    loaded = 0
    for seed in seeds(40):
        path.write_bytes(damaged(content, seed, text=True))
        d = tried(unbraid.load, path)
        if d is not None and "checksum" in json.loads(path.read_text()):
            np.testing.assert_array_equal(d(POINTS), original(POINTS))
            loaded += 1
    assert loaded < 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["polynomials", "splines", "free"])
def test_a_function_changed_by_hand_works_or_is_refused(functions, kind):
    tree = unsealed(functions[kind])
    path = functions[kind].with_name(f"{kind}-edited.json")
    for seed in seeds(60):
        path.write_bytes(as_json(damaged_tree(tree, seed)))
        d = tried(unbraid.load, path)
        if d is None:
            continue
        assert d.W.shape == (d.n_outputs, d.n_branches)
        assert d.V.shape == (d.n_inputs, d.n_branches)
        if all(branch.extrapolate != "nan" for branch in d.branches):
            points = np.zeros((1, d.n_inputs))
            assert np.isfinite(d(points)).all()
            assert np.isfinite(d.jacobian(points)).all()
        assert repr(d)


@pytest.mark.slow
def test_a_narx_model_changed_by_hand_works_or_is_refused(tmp_path):
    record = duffing(600, 100, random_state=0).train
    model = fit_polynomial_narx(*record, input_lags=(0, 1), output_lags=(1, 2), degree=2)
    path = tmp_path / "model.json"
    for kind in (model, model.decouple(n_branches=1, random_state=0)):
        tree = unsealed(kind.save(path))
        for seed in seeds(40):
            path.write_bytes(as_json(damaged_tree(tree, seed)))
            found = tried(unbraid.narx.load, path)
            if found is not None:
                with suppress(UnbraidError):  # other lags, or numbers that overflow
                    assert np.isfinite(found.predict(record[0][:50], record[1][:50])).all()


@pytest.mark.slow
def test_a_state_space_model_changed_by_hand_works_or_is_refused(cubic_model, tmp_path):
    path = tmp_path / "model.json"
    tree = unsealed(cubic_model.save(path))
    for seed in seeds(40):
        path.write_bytes(as_json(damaged_tree(tree, seed)))
        found = tried(unbraid.load, path)
        if found is not None:
            with suppress(UnbraidError):  # other numbers may diverge
                assert np.isfinite(found.simulate(np.zeros((30, found.n_inputs)))).all()
                assert str(found.describe())


def test_one_digit_is_noticed_and_an_edit_on_purpose_is_read(functions, tmp_path):
    path, text = tmp_path / "d.json", functions["polynomials"].read_text()
    tree = json.loads(text)
    tree["offset"][0] += 1e-12
    path.write_text(json.dumps(tree))
    with pytest.raises(InvalidFileError, match="changed"):
        unbraid.load(path)
    lines = json.dumps(tree, indent=1).splitlines()
    path.write_text("\n".join(line for line in lines if '"checksum"' not in line))
    assert unbraid.load(path).offset[0] == tree["offset"][0]


def test_another_layout_of_the_same_text_is_the_same_file(functions, tmp_path):
    tree = json.loads(functions["polynomials"].read_text())
    original = unbraid.load(functions["polynomials"])
    path = tmp_path / "d.json"
    turned = dict(reversed(tree.items()))
    for content in (json.dumps(tree, indent=4), json.dumps(turned), "\ufeff" + json.dumps(tree)):
        path.write_text(content, encoding="utf-8")
        np.testing.assert_array_equal(unbraid.load(path)(POINTS), original(POINTS))


@pytest.mark.slow
def test_hostile_functions(functions, tmp_path, opener):
    tree = unsealed(functions["polynomials"])
    for name, text in bombs.trees(tree).items():
        path = tmp_path / f"{name}.json"
        path.write_text(text)
        ending = opener("function", path)
        ending.judge(path)
        assert ending.verdict == "refused", name


def test_hostile_arrays_beside_a_function(functions, tmp_path, opener):
    mark = tmp_path / "code-was-run"
    tree = unsealed(functions["polynomials"])
    for name, archive in bombs.archives(mark).items():
        path = tmp_path / f"{name}.json"
        bombs.with_archive(path, archive, tree)
        ending = opener("function", path)
        ending.judge(path)
        assert ending.verdict == "refused", name
    assert not mark.exists()


# Samples ---------------------------------------------------------------------------------------


def sample_files(folder: Path) -> dict[str, Path]:
    arrays = {"P": SAMPLES.points, "F": SAMPLES.values, "J": SAMPLES.jacobians}
    cells = np.array([1, "x", {"a": 3}], dtype=object)
    table = np.column_stack([SAMPLES.points, SAMPLES.values, SAMPLES.jacobians.reshape(30, -1)])
    rows = [NAMES, *([repr(cell) for cell in row] for row in table.tolist())]
    np.savez(folder / "plain.npz", **arrays)
    np.savez_compressed(folder / "packed.npz", **arrays)
    savemat(folder / "plain.mat", arrays)
    savemat(folder / "packed.mat", arrays, do_compression=True)
    savemat(folder / "cells.mat", {**arrays, "c": cells, "s": {"u": {"v": [1, 2]}}, "t": "text"})
    flat = {"P": SAMPLES.points, "F": SAMPLES.values[:, 0], "J": SAMPLES.jacobians[:, 0]}
    savemat(folder / "old.mat", flat, format="4")
    (folder / "plain.csv").write_text("\n".join(map(",".join, rows)))
    quoted = ('"' + '";"'.join(row) + '"' for row in rows)
    (folder / "quoted.csv").write_text("\n".join(quoted))
    return {path.name: path for path in folder.iterdir()}


CHECKED = ("plain.npz", "packed.npz", "packed.mat")  # whose formats have checksums
KINDS = [*CHECKED, "plain.mat", "cells.mat", "old.mat", "plain.csv", "quoted.csv"]


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_samples(tmp_path, kind):
    content = sample_files(tmp_path)[kind].read_bytes()
    assert read_samples(tmp_path / kind).points.shape == (30, 2)
    path = tmp_path / f"damaged-{kind}"
    for seed in seeds(80):
        path.write_bytes(damaged(content, seed, text=kind.endswith("csv")))
        found = tried(read_samples, path)
        if found is not None:
            assert np.isfinite(found.jacobians).all()
            assert found.jacobians.shape == (found.n_points, found.n_outputs, found.n_inputs)
            if kind in CHECKED:
                np.testing.assert_array_equal(found.points, SAMPLES.points)
                np.testing.assert_array_equal(found.jacobians, SAMPLES.jacobians)


def test_hostile_archives(tmp_path, opener):
    mark = tmp_path / "code-was-run"
    for name, content in bombs.archives(mark).items():
        path = tmp_path / f"{name}.npz"
        path.write_bytes(content)
        ending = opener("samples", path)
        ending.judge(path)
        assert ending.verdict == "refused", name
    assert not mark.exists()


@pytest.mark.slow
def test_hostile_mats(tmp_path, opener):
    fine = {"vast cells", "deep cells"}  # what nobody asks for is not unfolded
    for name, content in bombs.mats().items():
        path = tmp_path / f"{name}.mat"
        path.write_bytes(content)
        ending = opener("samples", path)
        ending.judge(path)
        assert ending.verdict == ("right" if name in fine else "refused"), (name, ending.message)


def test_hostile_tables(tmp_path, opener):
    fine = {"many columns", "empty lines", "separators"}
    for name, text in bombs.tables().items():
        path = tmp_path / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        ending = opener("samples", path)
        ending.judge(path)
        assert ending.verdict == ("right" if name in fine else "refused"), (name, ending.message)


@pytest.mark.parametrize(
    "content",
    [
        b"p1,f1,J11\n1,2\0,3\n",
        b"p1,f1,J11\n1,2,3\n" + "4,5,6\n".encode("utf-16"),
        "p1,f1,J11\n1,2,3\n".encode("utf-16") + b"x",
        "p1,f1,J11\n1,2,3\n".encode("utf-16-le"),
        "p1,f1,J11\n1,2,3\n".encode("utf-32"),
        "p1,f1,J11,Größe\n1,2,3,4\n".encode("latin-1"),
    ],
)
def test_other_encodings_are_refused(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match="text file"):
        read_samples(path)


# ONNX ------------------------------------------------------------------------------------------


@needs_onnx
def test_damaged_networks(tmp_path, capfd):
    content, path = graphs.network().SerializeToString(), tmp_path / "net.onnx"
    path.write_bytes(content)
    assert sample(path, POINTS).source.startswith("exact")
    for seed in seeds(80):
        path.write_bytes(damaged(content, seed))
        found = tried(lambda path: sample(path, POINTS), path, SamplingError, InvalidSamplesError)
        assert found is None or np.isfinite(found.jacobians).all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in folders are POSIX")
@needs_onnx
def test_hostile_networks(tmp_path, opener):
    (tmp_path / "weights.bin").write_bytes(np.ones(2, np.float32).tobytes())
    os.mkfifo(tmp_path / "pipe.bin")
    (tmp_path / "device.bin").symlink_to("/dev/zero")
    for name, model in graphs.evil().items():
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        ending = opener("onnx", path)
        ending.judge(path)
        assert ending.verdict == "refused", name
        assert "root:" not in ending.message


@needs_onnx
def test_weights_in_a_file_beside_are_read(tmp_path):
    (tmp_path / "weights.bin").write_bytes(np.ones(2, np.float32).tobytes())
    path = tmp_path / "net.onnx"
    path.write_bytes(graphs.weight(file="weights.bin").SerializeToString())
    np.testing.assert_allclose(sample(path, POINTS).values[:, 0], POINTS.sum(axis=1), atol=1e-12)


# What is no file -------------------------------------------------------------------------------

READERS = {
    ".json": unbraid.load,
    ".npz": read_samples,
    ".mat": read_samples,
    ".csv": read_samples,
    ".onnx": lambda path: sample(path, POINTS),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in folders are POSIX")
@pytest.mark.parametrize("suffix", READERS)
def test_pipes_devices_folders_and_rings_are_refused(tmp_path, suffix):
    if suffix == ".onnx":
        pytest.importorskip("onnx")
    places = {name: tmp_path / f"{name}{suffix}" for name in ("pipe", "device", "folder", "ring")}
    os.mkfifo(places["pipe"])
    places["device"].symlink_to("/dev/zero")
    places["folder"].mkdir()
    places["ring"].symlink_to(places["ring"])
    for path in places.values():
        with pytest.raises(InvalidFileError, match=path.name):
            READERS[suffix](path)
    with pytest.raises(InvalidFileError, match="x00"):
        READERS[suffix](f"a\0b{suffix}")


def test_nothing_in_the_source_can_unpickle():
    source = Path(unbraid.__file__).parent
    text = "\n".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    assert "import pickle" not in text
    assert "pickle.load" not in text
    assert "allow_pickle=True" not in text
    assert text.count("np.load(") == text.count("allow_pickle=False)) as") + text.count(
        "allow_pickle=False) as"
    )


# The command line ------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in folders are POSIX")
def test_commands_refuse_what_the_library_refuses(functions, tmp_path, capsys, monkeypatch):
    pytest.importorskip("click")
    pytest.importorskip("rich")
    from unbraid.cli import main

    monkeypatch.chdir(tmp_path)
    text = functions["polynomials"].read_text()
    Path("model.json").write_text(text.replace('"offset": [', '"offset": [1,', 1))
    Path("deep.json").write_text("[" * 100_000)
    os.mkfifo("pipe.json")
    Path("data.npz").write_bytes(bombs.three(bombs.npy("(1,)", "'|O'", b"objects")))
    Path("data.mat").write_bytes(bombs.matlab(*bombs.GOOD)[:-50])
    Path("data.csv").write_text("p1,f1,J11\n1,2," + "9" * 200_000 + "\n")
    commands = [[c, f"{f}.json"] for c in ("show", "report") for f in ("model", "deep", "pipe")]
    commands += [["decouple", f"data.{suffix}"] for suffix in ("npz", "mat", "csv")]
    for command in commands:
        assert main(command) == 2, command
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert command[1] in said.err
