"""The static map of a model, as simulation wants it: values, and slopes by some regressors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .._typing import Array
from ..errors import InvalidSamples, SamplingError
from ..model._branch import Branch
from ..model._function import DecoupledFunction
from ..sources import HermitePolynomial, as_function
from ..sources._callables import Evaluator

EPSILON = float(np.finfo(float).eps)
STEP = float(np.finfo(float).eps ** (1 / 3))  # of a central difference, in spreads


class StaticMap(Protocol):
    """F at rows of regressors, unchecked: where it is not finite, simulation has run off."""

    @property
    def vectorised(self) -> bool: ...

    @property
    def rounding(self) -> float:
        """Relative rounding of its values."""
        ...

    def values(self, table: Array) -> Array:
        """(N, n)."""
        ...

    def linearised(self, table: Array, columns: Any) -> tuple[Array, Array]:
        """Values (N, n) and slopes by the regressors of these columns (N, n, k)."""
        ...


def static_map(function: Any, table: Array, n_outputs: int) -> StaticMap:
    """What to simulate with, found out on regressors of the record at hand."""
    if isinstance(function, (DecoupledFunction, HermitePolynomial)):
        if function.n_inputs != table.shape[1]:
            raise InvalidSamples(
                f"the model's function has {function.n_inputs} inputs but the lags make "
                f"{table.shape[1]} regressors of u and of {n_outputs} outputs; several outputs "
                f"are columns of y, also of its initial samples: (samples, {function.n_outputs})"
            )
        kind = Decoupled if isinstance(function, DecoupledFunction) else Polynomial
        chosen: StaticMap = kind(function)  # type: ignore[arg-type]
    else:
        plain = as_function(function)
        chosen = Called(Evaluator(plain, table), getattr(plain, "jacobian", None), table[:2])
    with np.errstate(all="ignore"):  # of what is not finite, those who ask for values tell
        found = chosen.values(table).shape[1]
    if found != n_outputs:
        raise InvalidSamples(
            f"the model's function returns {found} outputs but y has {n_outputs} channels"
        )
    return chosen


@dataclass(frozen=True)
class Polynomial:
    """All there already."""

    function: HermitePolynomial
    vectorised: bool = True
    rounding: float = EPSILON

    def values(self, table: Array) -> Array:
        return self.function(table)

    def linearised(self, table: Array, columns: Any) -> tuple[Array, Array]:
        return self.function.linearised(table, columns)


@dataclass(frozen=True)
class Decoupled:
    """W g(V' p) + c without the checks at the door, z computed once."""

    function: DecoupledFunction
    vectorised: bool = True
    rounding: float = EPSILON

    def values(self, table: Array) -> Array:
        return self._summed([branch(z) for branch, z in self._branches(table)])

    def linearised(self, table: Array, columns: Any) -> tuple[Array, Array]:
        d, pairs = self.function, self._branches(table)
        slopes = np.stack([branch.derivative(z) for branch, z in pairs])
        gains = np.einsum("oi,li->iol", d.W, d.V[columns]).reshape(d.n_branches, -1)
        shape = (len(table), d.n_outputs, len(columns))
        return self._summed([branch(z) for branch, z in pairs]), (slopes.T @ gains).reshape(shape)

    def _branches(self, table: Array) -> list[tuple[Branch, Array]]:
        return list(zip(self.function.branches, (table @ self.function.V).T, strict=True))

    def _summed(self, g: list[Array]) -> Array:
        return np.asarray(np.stack(g).T @ self.function.W.T + self.function.offset)


@dataclass(frozen=True)
class Called:
    """Anything else; slopes are its own or central differences."""

    evaluate: Evaluator
    jacobian: Callable[..., Any] | None
    probe: Array

    @property
    def vectorised(self) -> bool:
        return self.evaluate.style == "table"

    @cached_property
    def rounding(self) -> float:
        """Coarser where the map works in float32, as networks do."""
        return float(np.finfo(self._dtype).eps) if self._dtype.kind == "f" else EPSILON

    @cached_property
    def _dtype(self) -> Any:
        return np.asarray(self.evaluate(self.probe)).dtype

    def values(self, table: Array) -> Array:
        try:
            values = np.asarray(self.evaluate(table))
        except SamplingError:
            if np.all(np.isfinite(table)):
                raise
            return np.full((len(table), 1), np.nan)  # it says no to what has run off
        if values.dtype.kind == "c":
            raise SamplingError("the model's function returns complex numbers: take a part")
        return values.astype(float)

    @staticmethod
    def _own_slopes(jacobian: Callable[[Array], Any], table: Array) -> Array:
        try:
            return np.asarray(jacobian(table), dtype=float)
        except Exception as error:
            raise SamplingError(
                f"the model's jacobian raised {type(error).__name__} on {len(table)} regressors: "
                f"{error}"
            ) from error

    def linearised(self, table: Array, columns: Any) -> tuple[Array, Array]:
        values = self.values(table)
        if callable(self.jacobian) and self.vectorised:
            slopes = self._own_slopes(self.jacobian, table)
            if slopes.shape == (*values.shape, table.shape[1]):
                return values, slopes[:, :, columns]
        spread = np.maximum(table.std(axis=0), 1e-3 * np.abs(table).max(axis=0))
        parts = []
        for column in columns:
            step = np.zeros(table.shape[1])
            step[column] = STEP * (spread[column] or 1.0)
            change = self.values(table + step) - self.values(table - step)
            parts.append(change / (2 * step[column]))
        return values, np.stack(parts, axis=2) if parts else np.zeros((*values.shape, 0))
