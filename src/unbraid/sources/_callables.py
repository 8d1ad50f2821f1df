"""Values and Jacobians of a plain callable."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import counted, finite_array, moderate, plain_array, real_array
from ..errors import SamplingError, UnbraidError

Evaluate = Callable[[Any], Any]  # points (N, m) to values (N, n)
EPSILON = float(np.finfo(float).eps)
PROBES = 8  # points on which a callable is tried
SHOWN = 10  # bad points that a message lists
MOST_LETTERS = 200  # of a reason within a message
TINY = 1e-30  # complex step, relative to the spread: no subtraction, so no cancellation


class Evaluator:
    """Calls f on many points: on the whole table where f allows it, else row by row.

    ``style`` is "table" (f maps N rows to N rows), "row" (the same, but the whole table failed, so
    that it takes single rows to say where) or "point" (f takes one point as a vector).
    """

    def __init__(self, f: Callable[..., Any], points: Array) -> None:
        self.f = f
        self.why_no_table = ""
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
                hint = f"; the table of all points gave {self.why_no_table}"
                if index or self.style != "point" or self.why_no_table == _said(error):
                    hint = ""  # known to work, or the same again
                raise SamplingError(
                    f"f raised {type(error).__name__} {where}: {error}{hint}"
                ) from error
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
        except Exception as error:  # what f raises is found again, with its point, row by row
            self.why_no_table = _said(error)
            return "row" if self._takes_rows_only(points) else "point"
        self.why_no_table = "other values than its rows do one by one"
        return "point"

    def _maps_rows(self, points: Array) -> bool:
        """N rows go to N rows, and the same as single rows do."""
        whole = as_table(self.f(points.copy()), len(points))
        relative = max(1e-6, rounding(whole) ** 0.4)
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


def _said(error: Exception) -> str:
    """What an error is, in not too many words."""
    return f"{type(error).__name__}: {str(error)[:MOST_LETTERS]}"


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
    scales, epsilon = _scales(points), rounding(evaluate(points[:1]))
    exact = None if epsilon > EPSILON else _complex_step(evaluate, points, values, scales)
    if exact is not None and _agrees(evaluate, points, values, exact, _steps(points, EPSILON)):
        return exact, "by complex step", EPSILON
    steps = _steps(points, epsilon)
    near = _central(evaluate, points, steps)
    wide = _central(evaluate, points[:64], 2 * steps)
    size = float(np.sqrt(np.mean(near**2))) or 1.0
    truncation = float(np.sqrt(np.mean((wide - near[:64]) ** 2))) / 3 / size
    lost = epsilon * float(np.abs(values).max()) / (float(steps.min()) * size)
    return near, "by central differences", max(truncation, lost)


def rounding(values: Any) -> float:
    """Relative rounding error of what f returns; of anything but floats, that of doubles."""
    dtype = np.asarray(values).dtype
    return max(EPSILON, float(np.finfo(dtype).eps)) if dtype.kind == "f" else EPSILON


def _scales(points: Array) -> Array:
    """A length scale for every input: its spread, or its size where it never moves."""
    spread, size = points.std(axis=0), np.abs(points).max(axis=0)
    scale = np.where(spread > 1e-12 * size, spread, size)
    return np.where(scale > 0, scale, 1.0)


def _steps(points: Array, epsilon: float) -> Array:
    """Steps of difference quotients; wider ones far from zero, where p itself is rounded."""
    scales = _scales(points)
    far = np.maximum(1.0, 0.1 * np.abs(points).max(axis=0) / scales)
    return np.asarray(scales * (epsilon * far) ** (1 / 3))


def _complex_step(evaluate: Evaluate, points: Array, values: Array, scales: Array) -> Array | None:
    result = np.empty((*values.shape, points.shape[1]))
    for l, scale in enumerate(scales):
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
    direction = steps * np.cos(1.0 + np.arange(steps.size))
    further, nearer = points + direction, points - direction
    ahead, behind = _quiet(evaluate, further), _quiet(evaluate, nearer)
    ahead = np.full(values.shape, np.nan) if ahead is None else ahead
    behind = np.full(values.shape, np.nan) if behind is None else behind
    central = (ahead - behind) / 2
    one_sided = np.where(np.isfinite(ahead), ahead - values, values - behind)
    change = np.where(np.isfinite(central), central, one_sided)
    expected = np.einsum("nol,nl->no", jacobians, (further - nearer) / 2)
    size = np.sqrt(np.mean(expected**2, axis=0)) + 1e-300
    rounded = np.abs(jacobians).max(axis=0) @ np.abs(points).max(axis=0)
    noise = 100 * EPSILON * (np.abs(values).max(axis=0) + rounded)
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
