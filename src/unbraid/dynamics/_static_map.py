"""The static map of a model in the form that simulation needs.

Every map has ``values`` (N, n) at rows of regressors, and ``linearise``, which adds the derivatives
with respect to some columns (N, n, k). Nothing is checked: a value that is not finite means
divergence. ``rounding`` is the relative rounding error of the values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from .._typing import Array
from ..errors import InvalidSamplesError, SamplingError
from ..model._branch import Branch
from ..model._function import DecoupledFunction
from ..sources import HermitePolynomial, as_function
from ..sources._evaluator import EPSILON, Evaluator, find_precision

DIFFERENCE_STEP = EPSILON ** (1 / 3)  # of a central difference, in spreads


def make_static_map(function: Any, table: Array, n_outputs: int) -> StaticMap:
    """Wrap a function for simulation; ``table`` holds regressors to try it on."""
    chosen: StaticMap
    if isinstance(function, (DecoupledFunction, HermitePolynomial)):
        if function.n_inputs != table.shape[1]:
            raise InvalidSamplesError(
                f"the model's function has {function.n_inputs} inputs but the lags make "
                f"{table.shape[1]} regressors of u and of {n_outputs} outputs; several outputs "
                f"are columns of y, also of its initial samples: (samples, {function.n_outputs})"
            )
        if isinstance(function, DecoupledFunction):
            chosen = DecoupledMap(function)
        else:
            chosen = PolynomialMap(function)
    else:
        plain = as_function(function)
        chosen = CallableMap(Evaluator(plain, table), getattr(plain, "jacobian", None), table[:2])
    with np.errstate(all="ignore"):  # the callers report values that are not finite
        found = chosen.values(table).shape[1]
    if found != n_outputs:
        raise InvalidSamplesError(
            f"the model's function returns {found} outputs but y has {n_outputs} channels"
        )
    return chosen


@dataclass(frozen=True)
class PolynomialMap:
    """A polynomial, with its own values and derivatives."""

    function: HermitePolynomial
    vectorised: bool = True
    rounding: float = EPSILON

    def values(self, table: Array) -> Array:
        return self.function(table)

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]:
        return self.function.linearised(table, columns)


@dataclass(frozen=True)
class DecoupledMap:
    """W g(V' p) + c without input checks; z is computed once."""

    function: DecoupledFunction
    vectorised: bool = True
    rounding: float = EPSILON

    def values(self, table: Array) -> Array:
        return self._combine(np.stack([branch(z) for branch, z in self._branches(table)]))

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]:
        d = self.function
        values, slopes = np.empty((2, d.n_branches, len(table)))
        for i, (branch, z) in enumerate(self._branches(table)):
            values[i], slopes[i] = branch.linearise(z)
        gains = np.einsum("oi,li->iol", d.W, d.V[columns]).reshape(d.n_branches, -1)
        shape = (len(table), d.n_outputs, len(columns))
        return self._combine(values), (slopes.T @ gains).reshape(shape)

    def _branches(self, table: Array) -> list[tuple[Branch, Array]]:
        return list(zip(self.function.branches, self.function.V.T @ table.T, strict=True))

    def _combine(self, g: Array) -> Array:
        return np.asarray(g.T @ self.function.W.T + self.function.offset)


@dataclass(frozen=True)
class CallableMap:
    """Any other function, with its own Jacobian or central differences."""

    evaluate: Evaluator
    jacobian: Callable[..., Any] | None
    probe: Array

    @property
    def vectorised(self) -> bool:
        return self.evaluate.style == "table"

    @cached_property
    def rounding(self) -> float:
        return find_precision(self.evaluate(self.probe))

    def values(self, table: Array) -> Array:
        try:
            values = np.asarray(self.evaluate(table))
        except SamplingError:
            if np.all(np.isfinite(table)):
                raise
            return np.full((len(table), 1), np.nan)  # the function refuses diverged regressors
        if values.dtype.kind == "c":
            raise SamplingError("the model's function returns complex numbers: take a part")
        return values.astype(float)

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]:
        values = self.values(table)
        if callable(self.jacobian) and self.vectorised:
            slopes = self._evaluate_jacobian(self.jacobian, table)
            if slopes.shape == (*values.shape, table.shape[1]):
                return values, slopes[:, :, columns]
        spread = np.maximum(table.std(axis=0), 1e-3 * np.abs(table).max(axis=0))
        parts = []
        for column in columns:
            step = np.zeros(table.shape[1])
            step[column] = DIFFERENCE_STEP * (spread[column] or 1.0)
            change = self.values(table + step) - self.values(table - step)
            parts.append(change / (2 * step[column]))
        return values, np.stack(parts, axis=2) if parts else np.zeros((*values.shape, 0))

    @staticmethod
    def _evaluate_jacobian(jacobian: Callable[[Array], Any], table: Array) -> Array:
        try:
            return np.asarray(jacobian(table), dtype=float)
        except Exception as error:
            raise SamplingError(
                f"the model's jacobian raised {type(error).__name__} on {len(table)} regressors: "
                f"{error}"
            ) from error


StaticMap: TypeAlias = PolynomialMap | DecoupledMap | CallableMap
