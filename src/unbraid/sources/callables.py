"""Values and Jacobians of a plain callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._checks import finite_array
from ..errors import SamplingError
from ..tensor import Array

TINY = 1e-30  # complex step, relative to the spread: no subtraction, so no cancellation


class Evaluator:
    """Calls f on many points, all at once where f allows it, else one at a time."""

    def __init__(self, f: Callable[..., Any], points: Array) -> None:
        self.f = f
        self.vectorised = self._is_vectorised(points)

    def __call__(self, points: Any) -> Any:
        """Values (N, n), real or complex, unchecked for finiteness."""
        if self.vectorised:
            return _as_table(self.f(points), len(points))
        rows: list[Any] = []
        for index, point in enumerate(points):
            try:
                row = np.atleast_1d(np.asarray(self.f(point)))
            except Exception as error:
                raise SamplingError(
                    f"f raised {type(error).__name__} at point {index}, p = {_show(point)}: {error}"
                ) from error
            if row.ndim == 2 and 1 in row.shape:
                row = row.ravel()
            if row.ndim != 1 or row.dtype.kind not in "fiubc":
                raise SamplingError(
                    f"f must return a vector of numbers, but at point {index}, p = {_show(point)}, "
                    f"it returned {type(row).__name__} of shape {row.shape} and type {row.dtype}"
                )
            if rows and row.shape != rows[0].shape:
                raise SamplingError(
                    f"f returned {row.size} outputs at point {index}, p = {_show(point)}, "
                    f"but {rows[0].size} at point 0"
                )
            rows.append(row)
        return np.stack(rows)

    def _is_vectorised(self, points: Array) -> bool:
        """f takes a table if it maps N rows to N rows, and the same as it maps single rows."""
        try:
            whole = _as_table(self.f(points), len(points))
            for index in {0, len(points) - 1}:
                row = _as_table(self.f(points[index : index + 1]), 1)
                if row.shape[1] != whole.shape[1] or not np.allclose(
                    row[0], whole[index], rtol=1e-6, atol=1e-9, equal_nan=True
                ):
                    return False
        except Exception:
            return False
        return True


def _as_table(values: Any, n_points: int) -> Any:
    detach = getattr(values, "detach", None)
    table = np.asarray(detach().cpu().numpy() if callable(detach) else values)
    if table.dtype.kind not in "fiubc":
        raise TypeError(f"values of type {table.dtype}")
    if table.ndim == 1 and len(table) == n_points:
        return table[:, None]
    if table.ndim != 2 or len(table) != n_points:
        raise ValueError(f"values of shape {table.shape} for {n_points} points")
    return table


def _show(point: Any) -> str:
    return np.array2string(np.asarray(point), precision=6, threshold=8)


def values_of(evaluate: Evaluator, points: Array) -> Array:
    """Finite real values (N, n), or an error that names the point."""
    values = evaluate(points)
    bad = np.flatnonzero(~np.all(np.isfinite(values), axis=1))
    if bad.size:
        raise SamplingError(
            f"f is not finite at {bad.size} points, the first is point {bad[0]}, "
            f"p = {_show(points[bad[0]])}; remove those points or repair f"
        )
    return finite_array("values", values)


def given_jacobians(jacobian: Callable[..., Any], points: Array, n_outputs: int) -> Array:
    """Jacobians (N, n, m) from the user's function, all at once or one point at a time."""
    shape = (len(points), n_outputs, points.shape[1])
    try:
        whole = np.asarray(_plain(jacobian(points)))
        if whole.shape == shape or (n_outputs == 1 and whole.shape == (shape[0], shape[2])):
            whole = whole.reshape(shape)
            first = np.asarray(_plain(jacobian(points[:1])))
            if first.size == whole[0].size and np.allclose(
                first.ravel(), whole[0].ravel(), equal_nan=True
            ):
                return finite_array("jacobians", whole)
    except Exception:
        pass
    result = np.empty(shape)
    for index, point in enumerate(points):
        try:
            single = np.asarray(_plain(jacobian(point)), dtype=float)
            result[index] = single.reshape(shape[1:])
        except Exception as error:
            raise SamplingError(
                f"jacobian must return {shape[1:]} for one point or {shape} for all; at point "
                f"{index}, p = {_show(point)}: {type(error).__name__}: {error}"
            ) from error
    return finite_array("jacobians", result)


def _plain(value: Any) -> Any:
    detach = getattr(value, "detach", None)
    return detach().cpu().numpy() if callable(detach) else value


def numerical_jacobians(
    evaluate: Evaluator, points: Array, values: Array
) -> tuple[Array, str, float]:
    """Jacobians, where they came from, and their estimated relative error."""
    steps = _steps(points)
    single = np.asarray(evaluate(points[:1])).dtype == np.float32
    exact = None if single else _complex_step(evaluate, points, values, steps)
    if exact is not None and _agrees(evaluate, points, exact, steps):
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


def _complex_step(evaluate: Evaluator, points: Array, values: Array, steps: Array) -> Array | None:
    result = np.empty((*values.shape, points.shape[1]))
    for l, scale in enumerate(steps):
        moved = points.astype(complex)
        moved[:, l] += 1j * TINY * scale
        try:
            with np.errstate(all="ignore"):
                image = np.asarray(evaluate(moved))
        except Exception:
            return None
        if image.dtype.kind != "c" or image.shape != values.shape:
            return None
        if not np.allclose(image.real, values, rtol=1e-9, atol=1e-12 * np.abs(values).max()):
            return None
        result[:, :, l] = image.imag / (TINY * scale)
    return result if np.all(np.isfinite(result)) else None


def _agrees(evaluate: Evaluator, points: Array, jacobians: Array, steps: Array) -> bool:
    """A complex step is silently wrong where f drops imaginary parts: check every point once.

    The check is a central difference along one fixed generic direction.
    """
    direction = steps * np.cos(1.0 + np.arange(steps.size))
    h = float(np.finfo(float).eps ** (1 / 3))
    try:
        change = (evaluate(points + h * direction) - evaluate(points - h * direction)) / (2 * h)
    except Exception:
        return False
    expected = jacobians @ direction
    size = np.sqrt(np.mean(expected**2, axis=0)) + 1e-300
    return bool(np.all(np.abs(change - expected) <= 1e-4 * size + 1e-3 * np.abs(expected)))


def _central(evaluate: Evaluator, points: Array, steps: Array) -> Array:
    columns = []
    for l, step in enumerate(steps):
        ahead, behind = points.copy(), points.copy()
        ahead[:, l] += step
        behind[:, l] -= step
        width = (ahead[:, l] - behind[:, l])[:, None]
        columns.append((values_of(evaluate, ahead) - values_of(evaluate, behind)) / width)
    return np.stack(columns, axis=2)
