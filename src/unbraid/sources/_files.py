"""Samples in files: .npz, MATLAB's .mat, and .csv."""

from collections.abc import Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.archives import Arrays, UnreadableArchiveError, load_arrays
from .._util.documents import read_bytes
from .._util.validation import check_path, finite_array
from ..data._samples import Samples
from ..errors import InvalidFileError, InvalidOptionError, InvalidSamplesError, UnbraidError
from ._csv import read_csv_samples
from ._mat import read_variables
from ._text import TextTable, abbreviate, read_table

ARRAY_NAMES = {
    "points": ("points", "P", "p", "X", "x", "inputs", "u"),
    "values": ("values", "F", "f", "Y", "y", "outputs"),
    "jacobians": ("jacobians", "J", "jacobian", "dF"),
}
SAMPLE_SUFFIXES = (".mat", ".npz", ".csv")
Layouts = list[tuple[str, Array]]  # an array by the place of its points


def is_data_file(model: Any) -> bool:
    """Return whether it is a path to a file of samples.

    >>> is_data_file("run.MAT"), is_data_file("net.onnx")
    (True, False)
    """
    return isinstance(model, (str, Path)) and Path(model).suffix.lower() in SAMPLE_SUFFIXES


def read_samples(
    path: str | Path, points: Any = None, values: Any = None, jacobians: Any = None
) -> Samples:
    """Samples from a .npz, .mat or .csv file.

    Parameters
    ----------
    path : str or Path
    points, values, jacobians : str, or list of str with .csv, optional
        Names of the arrays, or of the columns of a table. By default those with a common name:
        points, P, X, inputs or u; values, F, Y or outputs; jacobians, J or dF.

    Notes
    -----
    Rows are points: (N, m), (N, n) and (N, n, m). Where that does not fit, the layout of
    tensors in MATLAB is tried: (m, N), (n, N) and (n, m, N). Then a mixture of the two is tried,
    and accepted if only one fits.

    The first row of a .csv file names its columns: p1, p2, ... (or x1 or u1), f1, ... (or y1), and
    the Jacobian of output 1 by input 2 as J12, J1_2 or df1/dp2. Jacobians named in a list go by
    output: all inputs of the first, then of the second. Cells are separated by commas, semicolons
    (numbers may then have decimal commas), tabs or spaces. Lines at the top that start with # are
    skipped, as are columns that are not needed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "square.npz"
    ...     np.savez(path, P=[[1.0], [2.0]], F=[1.0, 4.0], J=[[2.0], [4.0]])
    ...     read_samples(path)
    Samples(2 points, 1 input, 1 output, Jacobians given)
    """
    path = check_path(path)
    if not is_data_file(path):
        raise InvalidOptionError(
            f"{path} is not a file of samples: it ends in none of .mat, .npz, .csv"
        )
    requested = {"points": points, "values": values, "jacobians": jacobians}
    found = read_data_file(path)
    try:
        if isinstance(found, TextTable):
            arrays = read_csv_samples(found, requested)
        else:
            arrays = _put_rows_first(path, _select(path, found, requested))
        return Samples(arrays[0], arrays[1], arrays[2])
    except InvalidFileError:
        raise
    except UnbraidError as error:
        raise InvalidFileError(f"{path}: {error}") from error


def read_data_file(path: Path, headless: bool = False) -> TextTable | Arrays:
    """The columns of a .csv file, or the arrays of a .mat or .npz file, by name."""
    content, suffix = read_bytes(path), path.suffix.lower()
    if suffix == ".csv":
        return read_table(path, content, headless)
    kind = "a MATLAB file" if suffix == ".mat" else "an .npz archive of plain arrays"
    try:
        return read_variables(content) if suffix == ".mat" else load_arrays(content)
    except UnreadableArchiveError as error:
        raise InvalidFileError(f"{path} cannot be read as {kind}: {error}") from None


def _select(path: Path, found: Mapping[str, Any], requested: Mapping[str, Any]) -> list[Array]:
    """The three arrays with the requested names, or with common names."""
    names = {role: _find_name(path, role, found, requested[role]) for role in ARRAY_NAMES}
    missing = [role for role, name in names.items() if name is None]
    if missing:
        raise InvalidFileError(_describe_missing(path, missing, found))
    return [_check_numeric(name, found[name]) for name in names.values() if name]


def _check_numeric(name: str, array: Any) -> Array:
    if array.dtype.kind == "U" and array.ndim == 0:  # what a variable of MATLAB is
        raise InvalidSamplesError(f"{name!r} is not a rectangular array of numbers: it is {array}")
    return finite_array(f"{name!r}", array)


def _find_name(path: Path, role: str, found: Mapping[str, Any], requested: Any) -> str | None:
    if requested is not None:
        if requested not in found:
            raise InvalidFileError(
                f"{path} holds no {requested!r}; it holds {describe_arrays(found)}"
            )
        return str(requested)
    lower = {name.lower() for name in ARRAY_NAMES[role]}
    exact = (name for name in ARRAY_NAMES[role] if name in found)
    return next(chain(exact, (name for name in found if name.lower() in lower)), None)


def _describe_missing(path: Path, missing: list[str], found: Mapping[str, Any]) -> str:
    if missing == ["jacobians"]:
        return (
            f"{path} holds points and values but no Jacobians (it holds {describe_arrays(found)}): "
            f"name them with read_samples(path, jacobians=...); to decouple data without Jacobians "
            f"use unbraid.DecoupledRegressor"
        )
    return (
        f"{path} has no array with a name of {' or '.join(missing)}; it holds "
        f"{describe_arrays(found)}: say which with read_samples(path, points=..., values=..., "
        f"jacobians=...)"
    )


def describe_arrays(found: Mapping[str, Any]) -> str:
    """Names and shapes of arrays.

    >>> describe_arrays({"A": np.ones((30, 2)), "t": np.ones(30)})
    "'A' (30 x 2), 't' (30)"
    """
    return abbreviate(
        f"{name!r} ({' x '.join(map(str, np.shape(array))) or 1})" for name, array in found.items()
    )


def _put_rows_first(path: Path, arrays: list[Array]) -> list[Array]:
    """The arrays with points along the first axis, whichever way they are stored."""
    points, values, jacobians = arrays
    choices = product(_list_tables(points), _list_tables(values), _list_stacks(jacobians))
    fitting = [c for c in choices if _fits(*(array for _, array in c))]
    uniform = [
        c for layout in ("rows", "columns") for c in fitting if all(kind == layout for kind, _ in c)
    ]
    if uniform or len(fitting) == 1:
        return [array for _, array in (uniform or fitting)[0]]
    shapes = f"points {points.shape}, values {values.shape}, jacobians {jacobians.shape}"
    what = "do not belong together" if not fitting else "can be read in more than one way"
    raise InvalidFileError(
        f"{path}: {shapes} {what}; save (N, m), (N, n), (N, n, m), or (m, N), (n, N), (n, m, N)"
    )


def _fits(points: Array, values: Array, jacobians: Array) -> bool:
    n_points, n_inputs = points.shape
    return len(values) == n_points and jacobians.shape == (n_points, values.shape[1], n_inputs)


def _list_tables(array: Array) -> Layouts:
    """A table in both layouts; a vector is a column."""
    if array.ndim == 1:
        return [("rows", array[:, None]), ("columns", array[:, None])]
    return [("rows", array), ("columns", array.T)] if array.ndim == 2 else []


def _list_stacks(array: Array) -> Layouts:
    """The possible layouts of matrices stacked along the first or the last axis.

    An axis of length one may be missing.
    """
    if array.ndim == 3:
        return [("rows", array), ("columns", np.moveaxis(array, 2, 0))]
    return [
        (layout, wide)
        for layout, table in _list_tables(array)
        for wide in (table[:, None, :], table[:, :, None])
    ]
