"""Jacobians of a plain callable: from the user's function, or numerically."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array, real_array
from ..errors import SamplingError
from ._evaluator import EPSILON, Evaluate, evaluate_finite, find_precision, format_point

COMPLEX_STEP = 1e-30  # relative to the spread: nothing is subtracted, so nothing cancels
N_ERROR_POINTS = 64  # points at which the error of central differences is estimated


def evaluate_jacobian(jacobian: Callable[..., Any], points: Array, n_outputs: int) -> Array:
    """Jacobians (N, n, m) from the user's function, in one call or point by point."""
    shape = (len(points), n_outputs, points.shape[1])
    table = None
    with suppress(Exception):  # raised again below, with its point
        table = _reshape_jacobian(jacobian(points.copy()), shape)
        first = _reshape_jacobian(jacobian(points[:1].copy()), (1, *shape[1:]))
        table = table if np.allclose(first, table[:1], equal_nan=True) else None
    if table is not None:
        return finite_array("jacobians", table)
    result = np.empty(shape)
    for index, point in enumerate(points):
        try:
            result[index] = _reshape_jacobian(jacobian(point.copy()), shape[1:])
        except Exception as error:
            raise SamplingError(
                f"jacobian must return {shape[1:]} (outputs, inputs) for one point or {shape} for "
                f"all; at point {index}, p = {format_point(point)}: {type(error).__name__}: {error}"
            ) from error
    return finite_array("jacobians", result)


def _reshape_jacobian(value: Any, shape: tuple[int, ...]) -> Array:
    """Return the array in this shape; only axes of length one may be missing."""
    array = real_array("what jacobian returned", value)
    squeezed = shape[:-2] + tuple(size for size in shape[-2:] if size != 1)
    if array.shape not in (shape, squeezed):
        raise ValueError(f"it returned shape {array.shape}")
    return array.reshape(shape)


def estimate_jacobians(
    evaluate: Evaluate, points: Array, values: Array
) -> tuple[Array, str, float]:
    """Jacobians, the method that gave them, and their estimated relative error."""
    epsilon = find_precision(evaluate(points[:1]))
    exact = None if epsilon > EPSILON else _complex_step(evaluate, points, values)
    if exact is not None and matches_differences(evaluate, points, values, exact):
        return exact, "by complex step", EPSILON
    steps = _choose_steps(points, epsilon)
    near = central_differences(evaluate, points, steps)
    wide = central_differences(evaluate, points[:N_ERROR_POINTS], 2 * steps)
    size = float(np.sqrt(np.mean(near**2))) or 1.0
    truncation = float(np.sqrt(np.mean((wide - near[:N_ERROR_POINTS]) ** 2))) / 3 / size
    cancellation = epsilon * float(np.abs(values).max()) / (float(steps.min()) * size)
    return near, "by central differences", max(truncation, cancellation)


def _find_scales(points: Array) -> Array:
    """The length scale of every input: its spread, or its size where it is constant."""
    spread, size = points.std(axis=0), np.abs(points).max(axis=0)
    scale = np.where(spread > 1e-12 * size, spread, size)
    return np.where(scale > 0, scale, 1.0)


def _choose_steps(points: Array, epsilon: float) -> Array:
    """Steps of difference quotients, wider far from zero, where p itself is rounded."""
    scales = _find_scales(points)
    far = np.maximum(1.0, 0.1 * np.abs(points).max(axis=0) / scales)
    return np.asarray(scales * (epsilon * far) ** (1 / 3))


def _complex_step(evaluate: Evaluate, points: Array, values: Array) -> Array | None:
    """Derivatives by a complex step, or None where f does not take complex numbers."""
    result = np.empty((*values.shape, points.shape[1]))
    for l, scale in enumerate(_find_scales(points)):
        moved = points.astype(complex)
        moved[:, l] += 1j * COMPLEX_STEP * scale
        image = _try_evaluate(evaluate, moved, values.shape)
        if image.dtype.kind != "c":
            return None
        if not np.allclose(image.real, values, rtol=1e-9, atol=1e-12 * np.abs(values).max()):
            return None
        result[:, :, l] = image.imag / (COMPLEX_STEP * scale)
    return result if np.all(np.isfinite(result)) else None


def _try_evaluate(evaluate: Evaluate, points: Any, shape: tuple[int, ...]) -> Any:
    """Values of this shape without the warnings of f, or NaN where f fails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
        warnings.simplefilter("ignore")
        values = np.asarray(evaluate(points))
        if values.shape == shape:
            return values
    return np.full(shape, np.nan)


def matches_differences(
    evaluate: Evaluate,
    points: Array,
    values: Array,
    jacobians: Array,
    tolerance: float = 1e-3,
    share: float = 1.0,
) -> bool:
    """Check whether Jacobians agree with differences at enough of the points.

    ``share`` is the smallest share of the points that must agree.

    A complex step is wrong where f drops imaginary parts, and a traced Jacobian where f leaves the
    framework. The check is a difference quotient along one fixed generic direction. It is central,
    or one-sided where f is not finite on one side. A point without a finite quotient passes.
    """
    epsilon = find_precision(values)
    steps = _choose_steps(points, epsilon)
    direction = steps * np.cos(1.0 + np.arange(steps.size))
    further, nearer = points + direction, points - direction
    ahead = _try_evaluate(evaluate, further, values.shape)
    behind = _try_evaluate(evaluate, nearer, values.shape)
    central = (ahead - behind) / 2
    one_sided = np.where(np.isfinite(ahead), ahead - values, values - behind)
    change = np.where(np.isfinite(central), central, one_sided)
    expected = np.einsum("nol,nl->no", jacobians, (further - nearer) / 2)
    size = np.sqrt(np.mean(expected**2, axis=0)) + 1e-300
    rounded = np.abs(jacobians).max(axis=0) @ np.abs(points).max(axis=0)
    noise = 100 * epsilon * (np.abs(values).max(axis=0) + rounded)
    room = np.where(np.isfinite(central), 1e-4, 1e-2) * size + tolerance * np.abs(expected) + noise
    close = (np.abs(change - expected) <= room) | ~np.isfinite(change)
    return bool(np.all(close.mean(axis=0) >= share))


def central_differences(evaluate: Evaluate, points: Array, steps: Array) -> Array:
    """Jacobians (N, n, m) by central differences with one step per input."""
    columns = []
    for l, step in enumerate(steps):
        ahead, behind = points.copy(), points.copy()
        ahead[:, l] += step
        behind[:, l] -= step
        width = (ahead[:, l] - behind[:, l])[:, None]
        change = evaluate_finite(evaluate, ahead) - evaluate_finite(evaluate, behind)
        columns.append(change / width)
    return np.stack(columns, axis=2)
