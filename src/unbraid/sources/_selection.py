"""A selection of a model's inputs and outputs; the other inputs stay fixed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import count_noun, finite_array
from ..errors import InvalidOptionError, InvalidSamplesError

Index = NDArray[np.int64]
MAX_LISTED_INPUTS = 10  # inputs that a message lists


@dataclass(frozen=True, eq=False)
class Selection:
    """The inputs to vary, the values of the other inputs, and the outputs to keep.

    >>> selection = make_selection(2, inputs=[0, 2], fixed={1: 0.5})
    >>> selection.expand_points(np.array([[1.0, 3.0]]))
    array([[1. , 0.5, 3. ]])
    """

    inputs: Index | None = None
    base: Array | None = None
    outputs: Index | None = None

    def expand_points(self, points: Any) -> Any:
        """Points with all inputs of the model."""
        if self.inputs is None or self.base is None:
            return points
        rows = np.empty((len(points), self.base.size), dtype=points.dtype)
        rows[:] = self.base
        rows[:, self.inputs] = points
        return rows

    def select_outputs(self, table: Any) -> Any:
        """Values (N, n) or Jacobians (N, n, k) of the selected outputs."""
        if self.outputs is None:
            return table
        beyond = self.outputs[self.outputs >= table.shape[1]]
        if beyond.size:
            raise InvalidOptionError(
                f"outputs asks for {_join(beyond)} but the model has "
                f"{count_noun(table.shape[1], 'output')}, counted from 0"
            )
        return table[:, self.outputs]

    def select_jacobians(self, jacobians: Array) -> Array:
        """The selected rows and columns of Jacobians (N, n, m) of the full model."""
        columns = jacobians if self.inputs is None else jacobians[:, :, self.inputs]
        return np.asarray(self.select_outputs(columns))


def make_selection(
    n_columns: int, inputs: Any = None, fixed: Any = None, outputs: Any = None
) -> Selection:
    """Check the keywords of ``sample`` against the number of columns of points."""
    kept = None if outputs is None else _check_indices("outputs", outputs)
    if inputs is None and fixed is None:
        return Selection(outputs=kept)
    values = _read_fixed(fixed)
    if inputs is not None:
        columns = _check_indices("inputs", inputs)
    elif isinstance(fixed, Mapping):
        free = set(range(n_columns + len(values))) - set(values)
        columns = np.array(sorted(free)[:n_columns], dtype=np.int64)
    else:
        raise InvalidOptionError("fixed gives all inputs: say with inputs=[...] which of them move")
    if columns.size != n_columns:
        raise InvalidSamplesError(
            f"points has {count_noun(n_columns, 'column')} but inputs names {columns.size}: points "
            f"holds one column for each of inputs {_join(columns)}, the others are fixed"
        )
    return Selection(columns, _make_base(columns, values, isinstance(fixed, Mapping)), kept)


def _make_base(columns: Index, values: dict[int, float], by_index: bool) -> Array:
    """One point of the model with the values of all fixed inputs."""
    moving = set(columns.tolist())
    if by_index and moving & set(values):
        both = _join(sorted(moving & set(values)))
        raise InvalidOptionError(
            f"inputs and fixed both name {both}: an input moves or it does not"
        )
    if not by_index and values and max(moving) >= len(values):
        raise InvalidOptionError(
            f"inputs names {max(moving)} but fixed has {count_noun(len(values), 'input')}, "
            f"counted from 0"
        )
    known = moving | set(values)
    n_missing = max(known) + 1 - len(known)
    if n_missing:  # an index may be very large, so the missing ones are not all listed
        room = range(len(known) + MAX_LISTED_INPUTS)
        first = [index for index in room if index not in known][: min(n_missing, MAX_LISTED_INPUTS)]
        example = ", ".join(f"{index}: ..." for index in first[:3])
        more = ", ..." if len(first) < n_missing else ""
        raise InvalidOptionError(
            f"{count_noun(n_missing, 'input')} without a value: {_join(first)}{more}; give "
            f"it with fixed={{{example}}}"
        )
    return np.array([values.get(index, 0.0) for index in range(len(known))])


def _read_fixed(fixed: Any) -> dict[int, float]:
    """The values of the fixed inputs, by index."""
    if fixed is None or (isinstance(fixed, Mapping) and not fixed):
        return {}
    if isinstance(fixed, Mapping):
        indices = _check_indices("fixed", list(fixed)).tolist()
        return dict(zip(indices, finite_array("fixed", list(fixed.values()), ndim=1), strict=True))
    return dict(enumerate(finite_array("fixed", fixed, ndim=1)))


def _check_indices(name: str, value: Any) -> Index:
    """Distinct integers of at least 0, or InvalidOptionError."""
    try:
        array = np.atleast_1d(np.asarray(value))
    except ValueError:  # lists of lists of several lengths
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InvalidOptionError(f"{name} must be a list of whole numbers, got {value!r}")
    if array.min() < 0:
        raise InvalidOptionError(f"{name} holds {array.min()}: count from 0, not from the end")
    indices, counts = np.unique(array, return_counts=True)
    if counts.max() > 1:
        raise InvalidOptionError(f"{name} holds {_join(indices[counts > 1])} more than once")
    return array.astype(np.int64)


def _join(indices: Any) -> str:
    return ", ".join(map(str, indices))
