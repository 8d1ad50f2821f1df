"""Records from a file, a folder, the environment and the package that downloads them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import savemat

from unbraid import InvalidFileError, InvalidOptionError, MissingExtraError
from unbraid.public_benchmarks import BENCHMARKS, Start, load

from .made_up import make_arrays, make_signals, use_package

pytestmark = pytest.mark.usefixtures("no_data")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_reads_every_benchmark_from_a_folder(tmp_path, name):
    arrays, benchmark = make_arrays(name), BENCHMARKS[name]
    np.savez(tmp_path / benchmark.files[0], **arrays)
    record = load(name, tmp_path)
    assert record.name == name
    assert record.training
    assert record.tests
    assert record.sampling_time > 0
    for u, y in record.training:
        assert u.shape == y.shape == (u.size,)
    for test in record.tests.values():
        assert test.u.shape == test.y.shape == (test.u.size,)
        assert (test.start is Start.OUTPUTS) == (test.initial > 0)


def test_folder_file_and_environment_give_the_same_record(folder, monkeypatch):
    records = [load("emps", folder), load("emps", str(folder / "emps.npz"))]
    monkeypatch.setenv("UNBRAID_DATA", str(folder))
    records.append(load("emps"))
    for record in records:
        assert np.array_equal(record.training[0].y, make_signals(150)[1])
        assert record.tests["test"].initial == 20


def test_files_of_the_archives_give_the_same_records(tmp_path):
    ced = make_arrays("ced")
    names = {"u11": "u_low", "z11": "y_low", "u12": "u_high", "z12": "y_high"}
    savemat(tmp_path / "DATAUNIF.mat", {theirs: ced[ours] for theirs, ours in names.items()})
    emps = make_arrays("emps")
    for part, name in (("train", "DATA_EMPS"), ("test", "DATA_EMPS_PULSES")):
        columns = {"vir": emps[f"u_{part}"][:, None], "qm": emps[f"y_{part}"][:, None]}
        savemat(tmp_path / f"{name}.mat", columns)
    np.testing.assert_array_equal(load("ced", tmp_path).training[1].y, ced["y_high"][:400])
    record = load("emps", tmp_path)
    np.testing.assert_array_equal(record.training[0].u, emps["u_train"])
    np.testing.assert_array_equal(record.tests["test"].y, emps["y_test"])


def test_f16_files_are_split_by_name_and_give_the_first_acceleration(tmp_path):
    for k, name in enumerate(("FullMSine_Level1", "SineSw_Level2_Validation", "SpecialOddMSine")):
        u, y = make_signals(80, k)
        arrays = {"Force": u, "Acceleration": np.stack([y, 0 * y, 0 * y]), "Fs": 400.0}
        savemat(tmp_path / f"F16Data_{name}.mat", arrays)
    record = load("f16", tmp_path)
    assert len(record.training) == 1
    assert list(record.tests) == ["SineSw, Level2"]
    np.testing.assert_array_equal(record.tests["SineSw, Level2"].y, make_signals(80, 1)[1])


def test_the_package_is_asked_for_its_files(tmp_path, monkeypatch, capsys):
    np.savez(tmp_path / "ced.npz", **make_arrays("ced"))
    calls = use_package(monkeypatch, CED=str(tmp_path / "ced.npz"))
    monkeypatch.setenv("UNBRAID_DATA", str(tmp_path / "nowhere"))
    assert load("ced").n_training_samples == 800
    assert calls == [("CED", {"data_file_locations": True})]
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", "downloading\n")


def test_unused_files_of_the_package_are_left_out(tmp_path, monkeypatch):
    np.savez(tmp_path / "silverbox.npz", **make_arrays("silverbox"))
    files = tmp_path / "Schroeder80mV.mat", tmp_path / "silverbox.npz"
    use_package(monkeypatch, Silverbox=files)
    assert len(load("silverbox").tests) == 3


@pytest.mark.parametrize("answer", [OSError("no network"), ValueError("unable to download")])
def test_a_download_that_fails_says_where_to_put_the_file(monkeypatch, answer):
    use_package(monkeypatch, EMPS=answer)
    with pytest.raises(InvalidFileError, match=f"{answer}.*emps.npz"):
        load("emps")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_missing_record_says_where_to_put_it_and_what_to_install(name):
    with pytest.raises(MissingExtraError, match=BENCHMARKS[name].files[0]) as caught:
        load(name)
    assert "UNBRAID_DATA" in str(caught.value)
    assert "nonlinear_benchmarks" in str(caught.value)


def test_the_package_has_no_training_record_of_bouc_wen(monkeypatch):
    use_package(monkeypatch)
    with pytest.raises(MissingExtraError, match="no training record"):
        load("bouc-wen")


def test_an_unknown_benchmark_is_refused():
    with pytest.raises(InvalidOptionError, match="silverbox"):
        load("goldbox")


def test_paths_without_a_record_are_refused(tmp_path):
    with pytest.raises(InvalidFileError, match="has none of"):
        load("emps", tmp_path)
    with pytest.raises(InvalidFileError, match="does not exist"):
        load("emps", tmp_path / "emps.npz")
    with pytest.raises(InvalidFileError):
        load("emps", 3)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("emps", {"u_train": None}, "u_train is missing"),
        ("emps", {"y_test": np.ones(149)}, "150 samples, y_test 149"),
        ("emps", {"y_test": np.full(150, np.nan)}, "NaN"),
        ("emps", {"y_test": np.ones((75, 2))}, "not that of one signal"),
        ("emps", {"y_test": np.array(["a"] * 150)}, "y_test"),
        ("emps", {"u_test": np.ones(20), "y_test": np.ones(20)}, "more than 20"),
        ("ced", {"u_low": np.ones(499)}, "499 samples, the benchmark 500"),
        ("cascaded-tanks", {"y_train": np.ones(1023)}, "1024"),
        ("wiener-hammerstein", {"u": np.ones(188_001)}, "188000"),
        ("bouc-wen", {"u_train": np.ones(9000), "y_train": np.ones(9000)}, "whole periods"),
        ("parwh", {"y_test": np.ones((60, 2, 1, 4))}, "realisations"),
        ("parwh", {"fs": -1.0}, "positive"),
        ("f16", {"u_test_A_Level2": None}, "u_test_"),
        ("f16", {"y_train_B": None}, "y_train_B"),
    ],
)
def test_wrong_arrays_are_refused_with_the_file_and_the_array(tmp_path, name, change, message):
    path = tmp_path / BENCHMARKS[name].files[0]
    arrays = {k: v for k, v in (make_arrays(name) | change).items() if v is not None}
    np.savez(path, **arrays)
    with pytest.raises(InvalidFileError, match=message):
        load(name, path)


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "emps.npz").write_bytes(b"PK\x03\x04broken")
    with pytest.raises(InvalidFileError, match=r"emps\.npz"):
        load("emps", tmp_path)
    (tmp_path / "emps.txt").write_bytes(b"u,y")
    with pytest.raises(InvalidFileError, match=r"emps\.txt"):
        load("emps", tmp_path / "emps.txt")
