"""The Silverbox record (Wigren and Schoukens, ECC 2013), from a file of the user."""

from pathlib import Path

import numpy as np

from .._typing import Array
from ..errors import InvalidFileError, MissingExtraError
from ..sources._files import read_data_file
from ._records import Dataset, Recording

RECORD_SAMPLES = 131_072
SIGNAL_NAMES = (("V1", "V2"), ("u", "y"))  # of input and output in a file
TRAIN, TEST = slice(40_650, 105_712), slice(105_712, 127_400)
ARROW, ARROW_INSIDE = slice(100, 40_575), slice(100, 32_100)


def silverbox(path: str | Path | None = None) -> Dataset:
    """Return the record, split as the ``nonlinear_benchmarks`` package does.

    Parameters
    ----------
    path : path, optional
        SNLS80mV.mat or .csv from the archive of the benchmark, the folder that holds it, or an
        .npz with arrays u and y. Without it, the package ``nonlinear_benchmarks`` is used, which
        downloads the record once.
    """
    u, y = _read_signals(_download() if path is None else Path(path))
    parts = (TRAIN, TEST, ARROW, ARROW_INSIDE)
    train, test, arrow, inside = (Recording(u[part], y[part]) for part in parts)
    return Dataset(train, test, arrow, inside)


def _download() -> Path:
    try:
        from nonlinear_benchmarks import Silverbox
    except ImportError:
        raise MissingExtraError(
            "pass the path of SNLS80mV.mat, or install the package that downloads it: "
            "pip install nonlinear_benchmarks"
        ) from None
    return Path(Silverbox(data_file_locations=True)[1])


def _read_signals(path: Path) -> tuple[Array, Array]:
    """Return input and output of the whole record, from a file of any known kind."""
    if path.is_dir():
        files = [path / "SNLS80mV.mat", path / "SNLS80mV.csv"]
        path = next((file for file in files if file.exists()), path)
    if path.suffix.lower() not in (".mat", ".npz", ".csv"):
        raise InvalidFileError(
            f"{path} is no .mat, .npz or .csv file, nor a folder with SNLS80mV.mat"
        )
    table = read_data_file(path)
    for names in SIGNAL_NAMES:
        if all(name in table for name in names):
            u, y = (np.asarray(table[name], dtype=float).ravel() for name in names)
            break
    else:
        raise InvalidFileError(f"{path} holds {sorted(table)}; V1 and V2, or u and y, are needed")
    if not u.size == y.size == RECORD_SAMPLES or not np.isfinite([u, y]).all():
        raise InvalidFileError(
            f"{path} is not the Silverbox record: that has {RECORD_SAMPLES} samples, all finite"
        )
    return u, y
