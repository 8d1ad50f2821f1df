"""The loader of the Silverbox record."""

from __future__ import annotations

import importlib.util
import sys
import types

import numpy as np
import pytest

import unbraid
from unbraid import InvalidFileError
from unbraid.cases import silverbox


def test_reads_mat_npz_and_csv(tmp_path):
    rng = np.random.default_rng(0)
    u, y = rng.standard_normal((2, 131_072))
    from scipy.io import savemat

    savemat(tmp_path / "SNLS80mV.mat", {"V1": u[None], "V2": y[None]})
    np.savez(tmp_path / "mine.npz", u=u, y=y)
    table = np.column_stack([u, y])
    np.savetxt(
        tmp_path / "mine.csv", table, delimiter=",", header="V1,V2", comments="", fmt="%.17g"
    )
    for path in (tmp_path, tmp_path / "mine.npz", tmp_path / "mine.csv"):
        data = silverbox(path)
        assert np.array_equal(data.train.u, u[40_650:105_712])
        assert np.array_equal(data.arrow_no_extrapolation.y, y[100:32_100])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.mat", b"nonsense", "a.mat"),
        ("a.npz", b"PK\x03\x04broken", "a.npz"),
        ("a.csv", b"V1,V2\n1,2\n3,x\n", "a.csv"),
        ("b.csv", b"V1,V2\n1,2\n3,4\n", "131072 samples"),
        ("c.csv", b"a,b\n1,2\n3,4\n", "V1"),
        ("a.txt", b"", "no .mat"),
    ],
)
def test_rejects_other_files(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFileError, match=message):
        silverbox(tmp_path / name)
    with pytest.raises(InvalidFileError, match=r"none\.mat"):
        silverbox(tmp_path / "none.mat")


@pytest.mark.skipif(
    importlib.util.find_spec("nonlinear_benchmarks") is not None, reason="the package is installed"
)
def test_silverbox_without_a_path_names_the_package():
    with pytest.raises(unbraid.MissingExtraError, match="nonlinear_benchmarks"):
        silverbox()


def test_reads_the_record_of_nonlinear_benchmarks(monkeypatch, tmp_path):
    path = tmp_path / "SNLS80mV.npz"
    u = np.random.default_rng(0).standard_normal(131_072)
    np.savez(path, u=u, y=2 * u)
    asked = []

    def download(**options):
        asked.append(options)
        return tmp_path / "Schroeder80mV.mat", path

    package = types.ModuleType("nonlinear_benchmarks")
    package.Silverbox = download
    monkeypatch.setitem(sys.modules, "nonlinear_benchmarks", package)
    data = silverbox()
    assert asked == [{"data_file_locations": True}]
    np.testing.assert_array_equal(data.test.y, 2 * data.test.u)
    np.testing.assert_array_equal(data.test.u.ravel(), u[105_712:127_400])
