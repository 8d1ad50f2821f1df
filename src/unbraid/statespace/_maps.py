"""The static map of a state-space model in the form that simulation needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from ..dynamics._static_map import StaticMap, make_static_map
from ..errors import InvalidOptionError, InvalidSamplesError
from ..model._branch import Branch
from ..model._function import DecoupledFunction
from ._equations import Equations
from ._simulation import Transition


@dataclass(frozen=True, eq=False)
class SumMap:
    """A linear map plus any static map."""

    linear: Array
    offset: Array
    rest: StaticMap

    @property
    def vectorised(self) -> bool:
        return self.rest.vectorised

    @property
    def rounding(self) -> float:
        return self.rest.rounding

    def values(self, table: Array) -> Array:
        return np.asarray(table @ self.linear.T + self.offset + self.rest.values(table))

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]:
        values, slopes = self.rest.linearise(table, columns)
        return table @ self.linear.T + self.offset + values, slopes + self.linear[:, columns]


def make_equations(n_states: int, linear: Array, offset: Array, function: Any) -> Equations:
    """Equations around a decoupled function, or around none."""
    if function is None:
        n, m = linear.shape
        return Equations(n_states, linear, offset, np.zeros((n, 0)), np.zeros((m, 0)))
    if not isinstance(function, DecoupledFunction):
        raise InvalidOptionError("this needs a decoupled model: call decouple(n_branches) first")
    plain = tuple(Branch(b.curve, b.extrapolate, margin=b.margin) for b in function.branches)
    total = offset + function.offset
    return Equations(n_states, linear, total, function.W, function.V, plain)


def make_transition(
    n_states: int, linear: Array, offset: Array, function: Any, probe: Array
) -> Transition:
    """The map [x; u] to [next x; y]; ``probe`` holds rows to try a callable on."""
    if function is None or isinstance(function, DecoupledFunction):
        return make_equations(n_states, linear, offset, function)
    if probe.shape[1] != linear.shape[1]:
        raise InvalidSamplesError(
            f"the model has {n_states} states and {linear.shape[1] - n_states} inputs, but u has "
            f"{probe.shape[1] - n_states} channels"
        )
    return SumMap(linear, offset, make_static_map(function, probe, len(linear)))
