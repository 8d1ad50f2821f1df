"""Samples: operating points with the values and Jacobians of f there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import counted, finite_array, moderate, non_negative
from ..errors import InvalidSamples


@dataclass(frozen=True, eq=False)
class Samples:
    """What a decoupling needs to know of f, checked once.

    Parameters
    ----------
    points : (N, m)
        Operating points, one a row.
    values : (N, n) or (N,)
        f at the points; one column an output.
    jacobians : (N, n, m) or (N, m) for a single output
        ``jacobians[k, o, l]`` is the derivative of output o by input l at point k.
    source : str
        Where the Jacobians came from, in words.
    accuracy : float
        Estimated relative error of the Jacobians; 0 when they were given or exact.

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

    def __init__(
        self,
        points: Any,
        values: Any,
        jacobians: Any,
        source: str = "given",
        accuracy: float = 0.0,
    ) -> None:
        points = finite_array("points", points, ndim=2)
        values = finite_array("values", values)
        jacobians = finite_array("jacobians", jacobians)
        if values.ndim == 1:
            values = values[:, None]
        if jacobians.ndim == 2 and values.ndim == 2 and values.shape[1] == 1:
            jacobians = jacobians[:, None, :]
        expected = (points.shape[0], *values.shape[-1:], points.shape[1])
        if values.ndim != 2 or values.shape[0] != points.shape[0]:
            raise InvalidSamples(
                f"values has shape {values.shape} but points {points.shape} need "
                f"({points.shape[0]}, number of outputs)"
            )
        if jacobians.shape != expected:
            raise InvalidSamples(
                f"jacobians has shape {jacobians.shape} but points {points.shape} and values "
                f"{values.shape} need {expected}: one n by m matrix a point"
            )
        if 0 in expected:
            raise InvalidSamples(
                f"samples are empty: (N, n, m) is {expected}; pass at least one point, one output "
                f"and one input"
            )
        for name, array in (("points", points), ("values", values), ("jacobians", jacobians)):
            moderate(name, array)
        for name, value in (
            ("points", points),
            ("values", values),
            ("jacobians", jacobians),
            ("source", str(source)),
            ("accuracy", non_negative("accuracy", accuracy)),
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
        """The samples at some of the points: a slice, their numbers, or True and False for all."""
        try:
            parts = self.points[rows], self.values[rows], self.jacobians[rows]
        except (IndexError, TypeError) as error:
            raise InvalidSamples(f"rows must choose some of {len(self)} points: {error}") from None
        return Samples(*parts, self.source, self.accuracy)

    def __len__(self) -> int:
        return self.n_points

    @property
    def words(self) -> str:
        """How many there are of everything, and where the Jacobians came from."""
        return (
            f"{counted(self.n_points, 'point')}, {counted(self.n_inputs, 'input')}, "
            f"{counted(self.n_outputs, 'output')}, Jacobians {self.source}"
        )

    def __repr__(self) -> str:
        return f"Samples({self.words})"
