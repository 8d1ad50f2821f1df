"""Values and Jacobians of a plain callable."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from .._checks import counted, finite_array, moderate, plain_array, real_array
from ..errors import SamplingError, UnbraidError
from ..tensor import Array

Evaluate = Callable[[Any], Any]  # points (N, m) to values (N, n)
PROBES = 8  # points on which a callable is tried
SHOWN = 10  # bad points that a message lists
TINY = 1e-30  # complex step, relative to the spread: no subtraction, so no cancellation


class Evaluator:
    """Calls f on many points: on the whole table where f allows it, else row by row.

    ``style`` is "table" (f maps N rows to N rows), "row" (the same, but the whole table failed, so
    that it takes single rows to say where) or "point" (f takes one point as a vector).
    """

    def __init__(self, f: Callable[..., Any], points: Array) -> None:
        self.f = f
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            self.style = self._find_style(points)

    def __call__(self, points: Any) -> Any:
        """Values (N, n), real or complex, unchecked for finiteness."""
        with np.errstate(all="ignore"):  # what is not finite is reported with its points
            return self._table(points) if self.style == "table" else self._rows(points)

    def _table(self, points: Any) -> Any:
        try:
            return as_table(self.f(points.copy()), len(points))
        except UnbraidError:
            raise
        except Exception as error:  # it did well on these points before
            raise SamplingError(
                f"f raised {type(error).__name__} on {counted(len(points), 'point')} beside those "
                f"given, or when called again: {error}; f must give the same at any time"
            ) from error

    def _rows(self, points: Any) -> Any:
        rows: list[Any] = []
        for index, point in enumerate(points):
            where = f"at point {index}, p = {_show(point)}"
            try:
                argument = point.copy() if self.style == "point" else point[None].copy()
                row = np.atleast_1d(_detached(self.f(argument)))
            except UnbraidError:
                raise
            except Exception as error:
                raise SamplingError(f"f raised {type(error).__name__} {where}: {error}") from error
            if row.ndim == 2 and 1 in row.shape:
                row = row.ravel()
            if row.ndim != 1 or row.dtype.kind not in "fiubc":
                raise SamplingError(
                    f"f must return a vector of numbers, but {where}, it returned shape "
                    f"{row.shape} and type {row.dtype}"
                )
            if rows and row.shape != rows[0].shape:
                raise SamplingError(
                    f"f returned {row.size} outputs {where}, but {rows[0].size} at point 0"
                )
            rows.append(row)
        return np.stack(rows)

    def _find_style(self, points: Array) -> str:
        try:
            if self._maps_rows(points):
                return "table"
        except SamplingError:
            raise
        except Exception:  # what it raises is found again, with its point, row by row
            return "row" if self._takes_rows_only(points) else "point"
        return "point"

    def _maps_rows(self, points: Array) -> bool:
        """N rows go to N rows, and the same as single rows do."""
        whole = as_table(self.f(points.copy()), len(points))
        relative = 1e-3 if whole.dtype == np.float32 else 1e-6
        scale = relative * float(np.nanmax(np.abs(whole), initial=0.0))
        for index in {0, len(points) - 1}:
            row = as_table(self.f(points[index : index + 1].copy()), 1)
            if row.shape[1] != whole.shape[1] or not np.allclose(
                row[0], whole[index], rtol=relative, atol=scale, equal_nan=True
            ):
                self._check_repeats(points, whole)
                return False
        return True

    def _check_repeats(self, points: Array, whole: Any) -> None:
        """A function that draws random numbers maps no rows, and no points either."""
        again = as_table(self.f(points.copy()), len(points))
        if again.shape != whole.shape or not np.allclose(again, whole, rtol=1e-3, equal_nan=True):
            raise SamplingError(
                "f returned other values when it was called again with the same points: does it "
                "draw random numbers, or keep a state? Make it give the same at any time"
            )

    def _takes_rows_only(self, points: Array) -> bool:
        """Some single row works as a table, and does not as a vector."""
        for point in points[:20]:
            try:
                as_table(self.f(point[None].copy()), 1)
            except Exception:
                continue
            try:
                self.f(point.copy())
            except Exception:
                return True
            return False
        return False


def style_of(f: Callable[..., Any], points: Array) -> str:
    """The style of f, found on a few rows: at least three, so that no axis passes for another."""
    few = points[:PROBES]
    return Evaluator(f, np.resize(few, (max(3, len(few)), points.shape[1]))).style


def as_table(values: Any, n_points: int) -> Any:
    """Values as (n_points, n), or an error."""
    table = _detached(values)
    if table.dtype.kind not in "fiubc":
        raise TypeError(f"values of type {table.dtype}")
    if table.ndim == 1 and len(table) == n_points:
        return table[:, None]
    if table.ndim != 2 or len(table) != n_points:
        raise ValueError(f"values of shape {table.shape} for {n_points} points")
    return table


def _detached(values: Any) -> Any:
    """An array of our own, f may reuse its; NaN where it is masked."""
    values = plain_array(values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        return np.ma.filled(values.astype(float), np.nan)
    return np.array(values)


def _show(point: Any) -> str:
    return np.array2string(np.asarray(point), precision=6, threshold=8)


def values_of(evaluate: Evaluate, points: Array) -> Array:
    """Finite real values (N, n), or an error that names the points."""
    values = evaluate(points)
    if values.shape[1] == 0:
        raise SamplingError("f returned no outputs: it must return at least one number a point")
    bad = np.flatnonzero(~np.all(np.isfinite(values), axis=1))
    if bad.size:
        listed = ", ".join(map(str, bad[:SHOWN])) + (", ..." if bad.size > SHOWN else "")
        raise SamplingError(
            f"f is not finite at {counted(bad.size, 'point')} of {len(points)}: point {listed}; "
            f"the first is p = {_show(points[bad[0]])}; remove those points or repair f"
        )
    return moderate("values", finite_array("values", values))


def given_jacobians(jacobian: Callable[..., Any], points: Array, n_outputs: int) -> Array:
    """Jacobians (N, n, m) from the user's function, all at once or one point at a time."""
    n_points, n_inputs = points.shape
    shape = (n_points, n_outputs, n_inputs)
    whole = None
    with suppress(Exception):  # found again below, with its point
        whole = _shaped(jacobian(points.copy()), shape)
        first = _shaped(jacobian(points[:1].copy()), (1, *shape[1:]))
        whole = whole if np.allclose(first, whole[:1], equal_nan=True) else None
    if whole is not None:
        return finite_array("jacobians", whole)
    result = np.empty(shape)
    for index, point in enumerate(points):
        try:
            result[index] = _shaped(jacobian(point.copy()), shape[1:])
        except Exception as error:
            raise SamplingError(
                f"jacobian must return {shape[1:]} (outputs, inputs) for one point or {shape} for "
                f"all; at point {index}, p = {_show(point)}: {type(error).__name__}: {error}"
            ) from error
    return finite_array("jacobians", result)


def _shaped(value: Any, shape: tuple[int, ...]) -> Array:
    """The array in this shape; an axis of length one may be left out, others not swapped."""
    array = real_array("what jacobian returned", value)
    without = tuple(size for size in shape[:-2]) + tuple(s for s in shape[-2:] if s != 1)
    if array.shape not in (shape, without):
        raise ValueError(f"it returned shape {array.shape}")
    return array.reshape(shape)


def numerical_jacobians(
    evaluate: Evaluate, points: Array, values: Array
) -> tuple[Array, str, float]:
    """Jacobians, where they came from, and their estimated relative error."""
    steps = _steps(points)
    single = np.asarray(evaluate(points[:1])).dtype == np.float32
    exact = None if single else _complex_step(evaluate, points, values, steps)
    if exact is not None and _agrees(evaluate, points, values, exact, steps):
        return exact, "by complex step", float(np.finfo(float).eps)
    epsilon = float(np.finfo(np.float32 if single else np.float64).eps)
    relative = epsilon ** (1 / 3)
    near = _central(evaluate, points, relative * steps)
    wide = _central(evaluate, points[:64], 2 * relative * steps)
    size = float(np.sqrt(np.mean(near**2))) or 1.0
    truncation = float(np.sqrt(np.mean((wide - near[:64]) ** 2))) / 3 / size
    largest = float(np.abs(values).max())
    rounding = epsilon * largest / (relative * float(steps.min()) * size)
    return near, "by central differences", max(truncation, rounding)


def _steps(points: Array) -> Array:
    """A length scale for every input: its spread, or its size where it never moves."""
    spread, size = points.std(axis=0), np.abs(points).max(axis=0)
    scale = np.where(spread > 1e-9 * size, spread, size)
    return np.where(scale > 0, scale, 1.0)


def _complex_step(evaluate: Evaluate, points: Array, values: Array, steps: Array) -> Array | None:
    result = np.empty((*values.shape, points.shape[1]))
    for l, scale in enumerate(steps):
        moved = points.astype(complex)
        moved[:, l] += 1j * TINY * scale
        image = _quiet(evaluate, moved)
        if image is None or image.dtype.kind != "c" or image.shape != values.shape:
            return None
        if not np.allclose(image.real, values, rtol=1e-9, atol=1e-12 * np.abs(values).max()):
            return None
        result[:, :, l] = image.imag / (TINY * scale)
    return result if np.all(np.isfinite(result)) else None


def _quiet(evaluate: Evaluate, points: Any) -> Any:
    """Values where f survives these points, without its warnings; else None."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(evaluate(points))
        except Exception:
            return None


def _agrees(
    evaluate: Evaluate, points: Array, values: Array, jacobians: Array, steps: Array
) -> bool:
    """A complex step is silently wrong where f drops imaginary parts: check every point once.

    The check is a difference quotient along one fixed generic direction, central, or one-sided
    where f does not reach that far. Where f reaches neither way it is believed.
    """
    h = float(np.finfo(float).eps ** (1 / 3))
    direction = steps * np.cos(1.0 + np.arange(steps.size))
    ahead, behind = (_quiet(evaluate, points + side * h * direction) for side in (1, -1))
    ahead = np.full(values.shape, np.nan) if ahead is None else ahead
    behind = np.full(values.shape, np.nan) if behind is None else behind
    central = (ahead - behind) / (2 * h)
    one_sided = np.where(np.isfinite(ahead), ahead - values, values - behind) / h
    change = np.where(np.isfinite(central), central, one_sided)
    expected = jacobians @ direction
    size = np.sqrt(np.mean(expected**2, axis=0)) + 1e-300
    noise = 100 * np.finfo(float).eps * np.abs(values).max(axis=0) / h
    room = np.where(np.isfinite(central), 1e-4, 1e-2) * size + 1e-3 * np.abs(expected) + noise
    return bool(np.all((np.abs(change - expected) <= room) | ~np.isfinite(change)))


def _central(evaluate: Evaluate, points: Array, steps: Array) -> Array:
    columns = []
    for l, step in enumerate(steps):
        ahead, behind = points.copy(), points.copy()
        ahead[:, l] += step
        behind[:, l] -= step
        width = (ahead[:, l] - behind[:, l])[:, None]
        columns.append((values_of(evaluate, ahead) - values_of(evaluate, behind)) / width)
    return np.stack(columns, axis=2)
