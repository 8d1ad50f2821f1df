"""Values of a plain callable of a table of points, or of one point at a time."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_magnitude, count_noun, detach_tensor, finite_array
from ..errors import SamplingError, UnbraidError

Evaluate = Callable[[Any], Any]  # points (N, m) to values (N, n)
EPSILON = float(np.finfo(float).eps)
N_PROBE_POINTS = 8  # points on which a callable is tried
MAX_LISTED_POINTS = 10  # invalid points that a message lists
MAX_REASON_LENGTH = 200  # characters of another error's message that a message quotes


class Evaluator:
    """Evaluates f at many points: in one call where f allows it, else row by row.

    ``style`` is "table" (f maps N rows to N rows), "row" (the same, but f failed on the full table,
    so that single rows locate the error) or "point" (f takes one point as a vector).
    """

    def __init__(self, f: Callable[..., Any], points: Array) -> None:
        self.f = f
        self.table_problem = ""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            self.style = self._find_style(points)

    def __call__(self, points: Any) -> Any:
        """Values (N, n), real or complex, not necessarily finite."""
        with np.errstate(all="ignore"):  # values that are not finite are reported with their points
            if self.style == "table":
                return self._evaluate_table(points)
            return self._evaluate_rows(points)

    def _evaluate_table(self, points: Any) -> Any:
        try:
            return as_table(self.f(points.copy()), len(points))
        except UnbraidError:
            raise
        except Exception as error:  # f accepted the first table
            raise SamplingError(
                f"f raised {type(error).__name__} on {count_noun(len(points), 'point')} near those "
                f"given, or when called again: {error}; f must return the same at any time"
            ) from error

    def _evaluate_rows(self, points: Any) -> Any:
        rows: list[Any] = []
        for index, point in enumerate(points):
            where = f"at point {index}, p = {format_point(point)}"
            try:
                argument = point.copy() if self.style == "point" else point[None].copy()
                row = np.atleast_1d(_copy_array(self.f(argument)))
            except UnbraidError:
                raise
            except Exception as error:
                hint = f"; the table of all points gave {self.table_problem}"
                if index or self.style != "point" or self.table_problem == _describe(error):
                    hint = ""  # the style is known to work, or the reason is the same
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
        except Exception as error:  # raised again, with its point, when rows are evaluated
            self.table_problem = _describe(error)
            return "row" if self._takes_rows_only(points) else "point"
        self.table_problem = "other values than its rows do one by one"
        return "point"

    def _maps_rows(self, points: Array) -> bool:
        """Return whether f maps N rows to N rows with the values of the single rows."""
        values = as_table(self.f(points.copy()), len(points))
        tolerance = max(1e-6, find_precision(values) ** 0.4)
        room = tolerance * float(np.nanmax(np.abs(values), initial=0.0))
        for index in {0, len(points) - 1}:
            row = as_table(self.f(points[index : index + 1].copy()), 1)
            if row.shape[1] != values.shape[1] or not np.allclose(
                row[0], values[index], rtol=tolerance, atol=room, equal_nan=True
            ):
                self._check_repeats(points, values)
                return False
        return True

    def _check_repeats(self, points: Array, values: Any) -> None:
        again = as_table(self.f(points.copy()), len(points))
        if again.shape != values.shape or not np.allclose(again, values, rtol=1e-3, equal_nan=True):
            raise SamplingError(
                "f returned other values when it was called again with the same points: does it "
                "draw random numbers, or keep a state? Make it return the same at any time"
            )

    def _takes_rows_only(self, points: Array) -> bool:
        """Return whether some point works as a table of one row but not as a vector."""
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


def find_style(f: Callable[..., Any], points: Array) -> str:
    """Find the calling style of f on a few rows.

    There are at least three rows, so that axes are not confused.
    """
    few = points[:N_PROBE_POINTS]
    return Evaluator(f, np.resize(few, (max(3, len(few)), points.shape[1]))).style


def as_table(values: Any, n_points: int) -> Any:
    """Values as (n_points, n), or an error."""
    table = _copy_array(values)
    if table.dtype.kind not in "fiubc":
        raise TypeError(f"values of type {table.dtype}")
    if table.ndim == 1 and len(table) == n_points:
        return table[:, None]
    if table.ndim != 2 or len(table) != n_points:
        raise ValueError(f"values of shape {table.shape} for {n_points} points")
    return table


def _copy_array(values: Any) -> Any:
    """Copy an array, which f may reuse; masked entries become NaN."""
    values = detach_tensor(values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        return np.ma.filled(values.astype(float), np.nan)
    return np.array(values)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:MAX_REASON_LENGTH]}"


def format_point(point: Any) -> str:
    """Format a point for a message."""
    return np.array2string(np.asarray(point), precision=6, threshold=8)


def find_precision(values: Any) -> float:
    """Relative rounding error of values: that of their float type, or of doubles."""
    dtype = np.asarray(values).dtype
    return max(EPSILON, float(np.finfo(dtype).eps)) if dtype.kind == "f" else EPSILON


def evaluate_finite(evaluate: Evaluate, points: Array) -> Array:
    """Finite real values (N, n), or an error that lists the points."""
    values = evaluate(points)
    if values.shape[1] == 0:
        raise SamplingError("f returned no outputs: it must return at least one number per point")
    bad = np.flatnonzero(~np.all(np.isfinite(values), axis=1))
    if bad.size:
        listed = ", ".join(map(str, bad[:MAX_LISTED_POINTS]))
        more = ", ..." if bad.size > MAX_LISTED_POINTS else ""
        raise SamplingError(
            f"f is not finite at {count_noun(bad.size, 'point')} of {len(points)}: point "
            f"{listed}{more}; the first is p = {format_point(points[bad[0]])}; remove those points "
            f"or repair f"
        )
    return check_magnitude("values", finite_array("values", values))
