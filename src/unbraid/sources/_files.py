"""Samples in files: .npz, MATLAB's .mat, and .csv."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.archives import Unreadable, arrays_in
from .._util.documents import content_of
from .._util.validation import file_path, finite_array
from ..data._samples import Samples
from ..errors import InvalidFile, InvalidOption, UnbraidError
from ._csv import csv_arrays
from ._mat import NewFormat, mat_content
from ._text import few

NAMES = {
    "points": ("points", "P", "p", "X", "x", "inputs", "u"),
    "values": ("values", "F", "f", "Y", "y", "outputs"),
    "jacobians": ("jacobians", "J", "jacobian", "dF"),
}
SUFFIXES = (".mat", ".npz", ".csv")


def is_data_file(model: Any) -> bool:
    """Is it a path to a file of samples?

    >>> is_data_file("run.MAT"), is_data_file("net.onnx")
    (True, False)
    """
    return isinstance(model, (str, Path)) and Path(model).suffix.lower() in SUFFIXES


def read_samples(
    path: str | Path, points: Any = None, values: Any = None, jacobians: Any = None
) -> Samples:
    """Samples from a .npz, .mat or .csv file.

    Parameters
    ----------
    path : str or Path
    points, values, jacobians : str, or list of str with .csv, optional
        Names of the arrays, or of the columns of a table. By default those that go by a common
        name: points, P, X, inputs or u; values, F, Y or outputs; jacobians, J or dF.

    Notes
    -----
    Rows are points: (N, m), (N, n) and (N, n, m). Where that does not fit, the layout of
    tensors in MATLAB is tried: (m, N), (n, N) and (n, m, N); then a mixture of the two, if just
    one fits.

    The first row of a .csv file names its columns: p1, p2, ... (or x1 or u1), f1, ... (or y1), and
    the Jacobian of output 1 by input 2 as J12, J1_2 or df1/dp2. Jacobians named in a list go by
    output: all inputs of the first, then of the second. Cells are parted by commas, semicolons
    (numbers may have decimal commas then), tabs or spaces; lines at the top that start with # are
    skipped, as are columns that nobody asks for.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "square.npz"
    ...     np.savez(path, P=[[1.0], [2.0]], F=[1.0, 4.0], J=[[2.0], [4.0]])
    ...     read_samples(path)
    Samples(2 points, 1 input, 1 output, Jacobians given)
    """
    path = file_path(path)
    if not is_data_file(path):
        raise InvalidOption(f"{path} is not a file of samples: it ends in none of .mat, .npz, .csv")
    asked = {"points": points, "values": values, "jacobians": jacobians}
    content = file_content(path)
    if path.suffix.lower() == ".csv":
        arrays = csv_arrays(path, content, asked)
    else:
        found = (mat_arrays if path.suffix.lower() == ".mat" else npz_arrays)(path, content)
        arrays = _rows_first(path, _chosen(path, found, asked))
    try:
        return Samples(arrays[0], arrays[1], arrays[2])
    except UnbraidError as error:
        raise InvalidFile(f"{path}: {error}") from error


def file_content(path: Path) -> bytes:
    return content_of(path)


def npz_arrays(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return arrays_in(content)
    except Unreadable as error:
        raise InvalidFile(
            f"{path} is not an .npz archive of plain arrays, or a damaged one: {error}"
        ) from None


def mat_arrays(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return mat_content(content)
    except NewFormat:
        raise InvalidFile(
            f"{path} is a MATLAB file of version 7.3 (HDF5), which is not read: save it with "
            f"save('{path.name}', 'P', 'F', 'J', '-v7')"
        ) from None
    except Unreadable as error:
        raise InvalidFile(f"{path} is not a MATLAB file, or a damaged one: {error}") from None


def _chosen(path: Path, found: Mapping[str, Any], asked: Mapping[str, Any]) -> list[Array]:
    """The three arrays under the names asked for, or common ones."""
    names = {role: _name(path, role, found, asked[role]) for role in NAMES}
    missing = [role for role, name in names.items() if name is None]
    if missing:
        raise InvalidFile(_lacks(path, missing, found))
    try:
        return [_numbers(name, found[name]) for name in names.values() if name]
    except UnbraidError as error:
        raise InvalidFile(f"{path}: {error}") from error


def _numbers(name: str, array: Any) -> Array:
    kind = np.asarray(array).dtype.kind
    if kind not in "biufc":
        what = {"U": array if np.ndim(array) == 0 else "text", "S": "text", "M": "dates"}
        raise InvalidFile(
            f"{name!r} is not a rectangular array of numbers: it is {what.get(kind, 'a record')}"
        )
    return finite_array(f"{name!r}", array)


def _name(path: Path, role: str, found: Mapping[str, Any], asked: Any) -> str | None:
    if asked is not None:
        if asked not in found:
            raise InvalidFile(f"{path} holds no {asked!r}; it holds {listing(found)}")
        return str(asked)
    exact = [name for name in NAMES[role] if name in found]
    lower = {name.lower() for name in NAMES[role]}
    return next(iter(exact), None) or next((n for n in found if n.lower() in lower), None)


def _lacks(path: Path, missing: list[str], found: Mapping[str, Any]) -> str:
    if missing == ["jacobians"]:
        return (
            f"{path} holds points and values but no Jacobians (it holds {listing(found)}): name "
            f"them with read_samples(path, jacobians=...); to decouple data without Jacobians use "
            f"unbraid.DecoupledRegressor"
        )
    return (
        f"{path} has no array that goes by the name of {' or '.join(missing)}; it holds "
        f"{listing(found)}: say which with read_samples(path, points=..., values=..., "
        f"jacobians=...)"
    )


def listing(found: Mapping[str, Any]) -> str:
    """Names and shapes of arrays.

    >>> listing({"A": np.ones((30, 2)), "t": np.ones(30)})
    "'A' (30 x 2), 't' (30)"
    """
    shapes = (
        f"{name!r} ({' x '.join(map(str, np.shape(array))) or 1})" for name, array in found.items()
    )
    return few(list(shapes))


def _rows_first(path: Path, arrays: list[Array]) -> list[Array]:
    """The arrays with points along the first axis, whichever way they lie in the file."""
    points, values, jacobians = arrays
    choices = product(_tables(points), _tables(values), _stacks(jacobians))
    fitting = [c for c in choices if _fits(*(array for _, array in c))]
    for layout in ("rows", "columns"):
        uniform = [c for c in fitting if all(kind == layout for kind, _ in c)]
        if uniform:
            return [array for _, array in uniform[0]]
    if len(fitting) == 1:
        return [array for _, array in fitting[0]]
    shapes = f"points {points.shape}, values {values.shape}, jacobians {jacobians.shape}"
    what = "do not belong together" if not fitting else "can be read in more than one way"
    raise InvalidFile(
        f"{path}: {shapes} {what}; save (N, m), (N, n), (N, n, m), or (m, N), (n, N), (n, m, N)"
    )


def _fits(points: Array, values: Array, jacobians: Array) -> bool:
    return len(values) == len(points) and jacobians.shape == (
        len(points),
        values.shape[1],
        points.shape[1],
    )


Layouts = list[tuple[str, Array]]


def _tables(array: Array) -> Layouts:
    """A table as it lies and turned over; a list of numbers is a column."""
    if array.ndim == 1:
        return [("rows", array[:, None]), ("columns", array[:, None])]
    return [("rows", array), ("columns", array.T)] if array.ndim == 2 else []


def _stacks(array: Array) -> Layouts:
    """Matrices stacked first or last; an axis of length one may have been dropped."""
    if array.ndim == 3:
        return [("rows", array), ("columns", np.moveaxis(array, 2, 0))]
    if array.ndim > 3:
        return []
    return [
        (layout, wide)
        for layout, table in _tables(array)
        for wide in (table[:, None, :], table[:, :, None])
    ]
