"""Some of a model's inputs and outputs: the rest of the inputs held still."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import counted, finite_array
from ..errors import InvalidOption, InvalidSamples

Index = NDArray[np.int64]
SHOWN = 10  # inputs that a message lists


@dataclass(frozen=True, eq=False)
class Part:
    """Which inputs the points fill, what the others are, and which outputs count.

    >>> part = part_of(2, inputs=[0, 2], fixed={1: 0.5})
    >>> part.whole(np.array([[1.0, 3.0]]))
    array([[1. , 0.5, 3. ]])
    """

    inputs: Index | None = None
    base: Array | None = None
    outputs: Index | None = None

    def whole(self, points: Any) -> Any:
        """Points with all inputs of the model."""
        if self.inputs is None or self.base is None:
            return points
        rows = np.empty((len(points), self.base.size), dtype=points.dtype)
        rows[:] = self.base
        rows[:, self.inputs] = points
        return rows

    def picked(self, table: Any) -> Any:
        """Values (N, n) or Jacobians (N, n, k) of the chosen outputs."""
        if self.outputs is None:
            return table
        beyond = self.outputs[self.outputs >= table.shape[1]]
        if beyond.size:
            raise InvalidOption(
                f"outputs asks for {_listed(beyond)} but the model has "
                f"{counted(table.shape[1], 'output')}, counted from 0"
            )
        return table[:, self.outputs]

    def of_jacobians(self, jacobians: Array) -> Array:
        """Jacobians (N, n, m) of the whole model, where they are wanted."""
        columns = jacobians if self.inputs is None else jacobians[:, :, self.inputs]
        return np.asarray(self.picked(columns))


def part_of(n_columns: int, inputs: Any = None, fixed: Any = None, outputs: Any = None) -> Part:
    """What the keywords of ``sample`` say, checked against the number of columns of points."""
    chosen = None if outputs is None else _indices("outputs", outputs)
    if inputs is None and fixed is None:
        return Part(outputs=chosen)
    values = _fixed(fixed)
    if inputs is not None:
        columns = _indices("inputs", inputs)
    elif isinstance(fixed, Mapping):
        free = set(range(n_columns + len(values))) - set(values)
        columns = np.array(sorted(free)[:n_columns], dtype=np.int64)
    else:
        raise InvalidOption("fixed gives all inputs: say with inputs=[...] which of them move")
    if columns.size != n_columns:
        raise InvalidSamples(
            f"points has {counted(n_columns, 'column')} but inputs names {columns.size}: points "
            f"holds one column for each of inputs {_listed(columns)}, the others are fixed"
        )
    return Part(columns, _base(columns, values, isinstance(fixed, Mapping)), chosen)


def _base(columns: Index, values: dict[int, float], by_name: bool) -> Array:
    """One point of the model, with every input that does not move."""
    moving = set(columns.tolist())
    if by_name and moving & set(values):
        both = _listed(sorted(moving & set(values)))
        raise InvalidOption(f"inputs and fixed both name {both}: an input moves or it does not")
    if not by_name and values and max(moving) >= len(values):
        raise InvalidOption(
            f"inputs names {max(moving)} but fixed has {counted(len(values), 'input')}, "
            f"counted from 0"
        )
    known = moving | set(values)
    n_missing = max(known) + 1 - len(known)
    if n_missing:  # not as many as the largest number says: that may be any
        first = [index for index in range(len(known) + SHOWN) if index not in known][:n_missing]
        example = ", ".join(f"{index}: ..." for index in first[:3])
        more = ", ..." if len(first[:SHOWN]) < n_missing else ""
        raise InvalidOption(
            f"{counted(n_missing, 'input')} without a value: {_listed(first[:SHOWN])}{more}; give "
            f"it with fixed={{{example}}}"
        )
    return np.array([values.get(index, 0.0) for index in range(len(known))])


def _fixed(fixed: Any) -> dict[int, float]:
    """The values of inputs that do not move, by number."""
    if fixed is None:
        return {}
    if isinstance(fixed, Mapping):
        if not fixed:
            return {}
        keys = _indices("fixed", list(fixed))
        numbers = finite_array("fixed", list(fixed.values()), ndim=1)
    else:
        numbers = finite_array("fixed", fixed, ndim=1)
        keys = np.arange(numbers.size)
    return dict(zip(keys.tolist(), numbers.tolist(), strict=True))


def _indices(name: str, value: Any) -> Index:
    """Distinct whole numbers from 0."""
    try:
        array = np.atleast_1d(np.asarray(value))
    except ValueError:  # lists of lists of several lengths
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InvalidOption(f"{name} must be a list of whole numbers, got {value!r}")
    if array.min() < 0:
        raise InvalidOption(f"{name} holds {array.min()}: count from 0, not from the end")
    numbers, counts = np.unique(array, return_counts=True)
    if counts.max() > 1:
        raise InvalidOption(f"{name} holds {_listed(numbers[counts > 1])} more than once")
    return array.astype(np.int64)


def _listed(numbers: Any) -> str:
    return ", ".join(map(str, numbers))
