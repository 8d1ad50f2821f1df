"""Samples: operating points with the values and Jacobians of f there."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from .._util.tables import column_names
from .._util.validation import check_magnitude, check_non_negative, count_noun, finite_array
from ..errors import InvalidSamplesError


@dataclass(frozen=True, eq=False)
class Samples:
    """Operating points with the values and Jacobians of f, validated.

    Parameters
    ----------
    points : (N, m)
        Operating points, one per row.
    values : (N, n) or (N,)
        f at the points; one column per output.
    jacobians : (N, n, m) or (N, m) for a single output
        ``jacobians[k, o, l]`` is the derivative of output o by input l at point k.
    source : str
        Where the Jacobians came from.
    accuracy : float
        Estimated relative error of the Jacobians; 0 when they were given or exact.
    estimated : bool
        Whether the Jacobians were computed from values of f, by steps or differences.
    input_names : tuple of str or None
        Names of the inputs; by default those of the columns of points, if it is a table.

    Examples
    --------
    >>> Samples(points=[[0.0], [1.0]], values=[0.0, 1.0], jacobians=[[0.0], [2.0]])
    Samples(2 points, 1 input, 1 output, Jacobians given)
    """

    points: Array
    values: Array
    jacobians: Array
    source: str = "given"
    accuracy: float = 0.0
    estimated: bool = False
    input_names: tuple[str, ...] | None = None

    def __init__(
        self,
        points: Any,
        values: Any,
        jacobians: Any,
        source: str = "given",
        accuracy: float = 0.0,
        estimated: bool = False,
        input_names: Sequence[str] | None = None,
    ) -> None:
        names = column_names(points) if input_names is None else input_names
        points = finite_array("points", points, ndim=2)
        values = finite_array("values", values)
        jacobians = finite_array("jacobians", jacobians)
        if values.ndim == 1:
            values = values[:, None]
        if jacobians.ndim == 2 and values.ndim == 2 and values.shape[1] == 1:
            jacobians = jacobians[:, None, :]
        expected = (points.shape[0], *values.shape[-1:], points.shape[1])
        if values.ndim != 2 or values.shape[0] != points.shape[0]:
            raise InvalidSamplesError(
                f"values has shape {values.shape} but points {points.shape} need "
                f"({points.shape[0]}, number of outputs)"
            )
        if jacobians.shape != expected:
            raise InvalidSamplesError(
                f"jacobians has shape {jacobians.shape} but points {points.shape} and values "
                f"{values.shape} need {expected}: one n by m matrix per point"
            )
        if 0 in expected:
            raise InvalidSamplesError(
                f"samples are empty: (N, n, m) is {expected}; pass at least one point, one output "
                f"and one input"
            )
        if names is not None and len({str(name) for name in names}) != points.shape[1]:
            raise InvalidSamplesError(
                f"input_names is {names!r}: pass {points.shape[1]} different names"
            )
        for name, array in (("points", points), ("values", values), ("jacobians", jacobians)):
            check_magnitude(name, array)
        for name, value in (
            ("points", points),
            ("values", values),
            ("jacobians", jacobians),
            ("source", str(source)),
            ("accuracy", check_non_negative("accuracy", accuracy)),
            ("estimated", bool(estimated)),
            ("input_names", None if names is None else tuple(map(str, names))),
        ):
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def n_points(self) -> int:
        return int(self.points.shape[0])

    @property
    def n_inputs(self) -> int:
        return int(self.points.shape[1])

    @property
    def n_outputs(self) -> int:
        return int(self.values.shape[1])

    def subset(self, rows: Any) -> Samples:
        """The samples at some of the points: a slice, indices or a mask."""
        try:
            parts = self.points[rows], self.values[rows], self.jacobians[rows]
        except (IndexError, TypeError) as error:
            raise InvalidSamplesError(
                f"rows must choose some of {len(self)} points: {error}"
            ) from None
        if parts[0].ndim != 2 or parts[0].size == 0:
            return Samples(*parts, self.source)  # refused with the reason
        chosen = copy(self)  # the numbers have been checked
        for name, part in zip(("points", "values", "jacobians"), parts, strict=True):
            part.setflags(write=False)
            object.__setattr__(chosen, name, part)
        return chosen

    def __len__(self) -> int:
        return self.n_points

    @property
    def words(self) -> str:
        """Sizes, and where the Jacobians came from."""
        return (
            f"{count_noun(self.n_points, 'point')}, {count_noun(self.n_inputs, 'input')}, "
            f"{count_noun(self.n_outputs, 'output')}, Jacobians {self.source}"
        )

    def __repr__(self) -> str:
        return f"Samples({self.words})"
