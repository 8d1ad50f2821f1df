"""The real Silverbox record (Wigren and Schoukens, ECC 2013), from a file the user has."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFile, MissingExtra
from ._records import Dataset, Recording

SAMPLES = 131_072
SAMPLING_TIME = 1 / 610.35
NAMES = (("V1", "V2"), ("u", "y"))
TRAIN, TEST = slice(40_650, 105_712), slice(105_712, 127_400)
ARROW, ARROW_INSIDE = slice(100, 40_575), slice(100, 32_100)


def silverbox(path: str | Path | None = None) -> Dataset:
    """The record, split as the ``nonlinear_benchmarks`` package does.

    Parameters
    ----------
    path : path, optional
        SNLS80mV.mat or .csv from the benchmark's archive, the folder that holds it, or an .npz
        with arrays u and y. Without it the package ``nonlinear_benchmarks`` is asked, which
        downloads the record once.
    """
    u, y = _signals(_file() if path is None else Path(path))
    train, test, arrow, inside = (
        Recording(u[part], y[part]) for part in (TRAIN, TEST, ARROW, ARROW_INSIDE)
    )
    return Dataset(train, test, arrow, inside, SAMPLING_TIME)


def _file() -> Path:
    try:
        from nonlinear_benchmarks import Silverbox
    except ImportError:
        raise MissingExtra(
            "pass the path of SNLS80mV.mat, or install the package that downloads it: "
            "pip install nonlinear_benchmarks"
        ) from None
    return Path(Silverbox(data_file_locations=True)[1])


def _signals(path: Path) -> tuple[Array, Array]:
    """Input and output in a file of any of the known kinds, whole."""
    if path.is_dir():
        inside = [path / "SNLS80mV.mat", path / "SNLS80mV.csv"]
        path = next((file for file in inside if file.exists()), path)
    readers = {".mat": _from_mat, ".npz": _from_npz, ".csv": _from_csv}
    if path.suffix.lower() not in readers:
        raise InvalidFile(f"{path} is no .mat, .npz or .csv file, nor a folder with SNLS80mV.mat")
    if not path.exists():
        raise InvalidFile(f"{path} does not exist")
    try:
        table = readers[path.suffix.lower()](path)
    except Exception as error:  # each reader has its own ways to say that a file is broken
        raise InvalidFile(f"{path} cannot be read: {error}") from None
    for names in NAMES:
        if all(name in table for name in names):
            break
    else:
        raise InvalidFile(f"{path} holds {sorted(table)}; V1 and V2, or u and y, are needed")
    signals = [np.asarray(table[name], dtype=float).ravel() for name in names]
    if any(signal.size != SAMPLES or not np.all(np.isfinite(signal)) for signal in signals):
        raise InvalidFile(f"{path} is not the Silverbox record: that has {SAMPLES} samples")
    return signals[0], signals[1]


def _from_mat(path: Path) -> dict[str, Any]:
    from scipy.io import loadmat

    return dict(loadmat(path))


def _from_npz(path: Path) -> dict[str, Any]:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _from_csv(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8-sig") as lines:
        header = [name.strip(" \"'\n") for name in lines.readline().split(",")]
    two = range(min(len(header), 2))
    columns = np.loadtxt(path, delimiter=",", skiprows=1, usecols=two, ndmin=2)
    return dict(zip(header, columns.T, strict=False))
