"""Find the files of a benchmark, and combine several into one set of arrays."""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import check_path
from ..errors import InvalidFileError, MissingExtraError
from ..sources._files import read_data_file
from ..sources._text import TextTable
from ._arrays import NamedArrays

DATA_VARIABLE = "UNBRAID_DATA"  # names a folder with the records
PACKAGE = "nonlinear_benchmarks"  # downloads records
UNUSED_F16_FILES = "SpecialOddMSine"  # records that are in no split
Combiner = Callable[[Mapping[str, Any]], dict[str, Any]]


def combine_emps(files: Mapping[str, Any]) -> dict[str, Any]:
    """Motor force and position of the two files of the archive."""
    parts = {"train": files.get("DATA_EMPS"), "test": files.get("DATA_EMPS_PULSES")}
    names = {"u": "vir", "y": "qm"}
    return {
        f"{ours}_{part}": arrays[theirs]
        for part, arrays in parts.items()
        for ours, theirs in names.items()
        if arrays is not None and theirs in arrays
    }


def combine_f16(files: Mapping[str, Any]) -> dict[str, Any]:
    """Force and first acceleration of every file; those for validation are tests."""
    found: dict[str, Any] = {}
    for stem, arrays in files.items():
        if UNUSED_F16_FILES in stem or not {"Force", "Acceleration"} <= set(arrays):
            continue
        label = stem.removeprefix("F16Data_")
        part = "test" if "Validation" in label else "train"
        label = label.removesuffix("_Validation")
        found[f"u_{part}_{label}"] = np.ravel(arrays["Force"])
        found[f"y_{part}_{label}"] = np.atleast_2d(arrays["Acceleration"])[0]
    return found


def read_files(paths: Sequence[Path], combine: Combiner | None) -> NamedArrays:
    """The arrays of one file, or those of several files of an archive, combined."""
    tables = {path.stem: read_data_file(path) for path in paths}
    origin = str(paths[0] if len(paths) == 1 else paths[0].parent)
    if len(tables) > 1 and combine is not None:
        return NamedArrays(combine(tables), origin)
    table = tables[paths[0].stem]
    if isinstance(table, TextTable):
        return NamedArrays({name: table[name] for name in table}, origin)
    return NamedArrays(table, origin)


def locate(path: Any, patterns: Sequence[str]) -> tuple[Path, ...]:
    """The file at a path, or the files in a folder; see ``find_in_folder``."""
    place = Path(path) if isinstance(path, (str, Path)) else check_path(path)
    if not place.is_dir():
        if not place.exists():
            raise InvalidFileError(f"{place} does not exist: pass a file or a folder")
        return (place,)
    found = find_in_folder(place, patterns)
    if not found:
        raise InvalidFileError(f"{place} has none of {', '.join(patterns)}")
    return found


def find_in_folder(folder: Path, patterns: Sequence[str]) -> tuple[Path, ...]:
    """The files of a folder that match the first pattern with a match."""
    for pattern in patterns:
        found = tuple(sorted(folder.glob(pattern)))
        if found:
            return found
    return ()


def download(title: str, function: str | None, file_name: str) -> tuple[Path, ...]:
    """The files of a benchmark from the package that downloads them."""
    remedy = f"put {file_name} into the folder that {DATA_VARIABLE} names, or pass its path"
    if function is None:
        raise MissingExtraError(
            f"no record of {title}: {remedy}; {PACKAGE} has no training record of it"
        )
    try:
        import nonlinear_benchmarks
    except ImportError:
        raise MissingExtraError(
            f"no record of {title}: {remedy}, or install the package that downloads it: "
            f"pip install {PACKAGE}"
        ) from None
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the package prints where it downloads to
            found = getattr(nonlinear_benchmarks, function)(data_file_locations=True)
    except Exception as error:  # of the network, of an archive, of an older version
        raise InvalidFileError(
            f"{PACKAGE} could not get the record of {title} ({error}): {remedy}"
        ) from error
    paths = [found] if isinstance(found, (str, Path)) else found
    return tuple(sorted(Path(path) for path in paths))


def data_folder() -> Path | None:
    """The folder that the environment names."""
    value = os.environ.get(DATA_VARIABLE)
    return Path(value) if value else None
