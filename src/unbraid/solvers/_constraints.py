"""Constraints on the shape of a branch (section 5.2, last remark)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._typing import Array
from ..errors import InvalidOptionError
from ._axis import Axis


@dataclass(frozen=True)
class BranchConstraint:
    """Where the derivative of a branch may jump, and limits beyond which it is 0.

    Both are places on the branch's own axis ``z = v.p`` with ``v`` of unit length and its
    largest entry positive, in the user's units. ``breaks="detect"`` finds the places.

    >>> BranchConstraint(breaks=(0.0,), limits=(-1.0, 1.0))
    BranchConstraint(breaks=(0.0,), limits=(-1.0, 1.0))
    """

    breaks: tuple[float, ...] | Literal["detect"] = ()
    limits: tuple[float, float] = (-np.inf, np.inf)

    def __post_init__(self) -> None:
        if not isinstance(self.breaks, str):
            object.__setattr__(self, "breaks", _check_numbers("breaks", self.breaks))
            if not np.all(np.isfinite(np.asarray(self.breaks))):
                raise InvalidOptionError(f"breaks must be finite, got {self.breaks}")
        elif self.breaks != "detect":
            raise InvalidOptionError(f"breaks is {self.breaks!r}: give numbers or 'detect'")
        limits = _check_numbers("limits", self.limits)
        if len(limits) != 2 or not limits[0] < limits[1]:
            raise InvalidOptionError(f"limits must be two rising numbers, got {self.limits}")
        object.__setattr__(self, "limits", limits)


def _check_numbers(name: str, value: Any) -> tuple[float, ...]:
    try:
        numbers = np.atleast_1d(value)
        if numbers.ndim == 1 and (numbers.size == 0 or numbers.dtype.kind in "iuf"):
            return tuple(numbers.astype(float).tolist())
    except (TypeError, ValueError):
        pass
    raise InvalidOptionError(f"{name} must be a sequence of numbers, got {value!r}")


def check_constraints(
    constraints: BranchConstraint | Sequence[BranchConstraint] | None, n_branches: int
) -> tuple[BranchConstraint, ...]:
    """Return one constraint per branch."""
    if constraints is None or isinstance(constraints, BranchConstraint):
        return (constraints or BranchConstraint(),) * n_branches
    listed = tuple(constraints) if isinstance(constraints, Sequence) else (constraints,)
    if not all(isinstance(c, BranchConstraint) for c in listed):
        raise InvalidOptionError(
            f"constraints must be a BranchConstraint or one per branch, got {constraints!r}"
        )
    if len(listed) != n_branches:
        raise InvalidOptionError(
            f"{len(listed)} constraints for {n_branches} branches: give one per branch"
        )
    return listed


def detect_breaks(axis: Axis, derivative: Array, side: int = 8, factor: float = 8.0) -> list[float]:
    """Return the places where a derivative known on the abscissae jumps.

    On either side of every gap a straight line is fitted to ``side`` abscissae. On a smooth branch
    the two lines meet in the gap. A jump is a gap where their distance exceeds ``factor`` times
    the median distance, a tenth of the derivative's standard deviation, and the distance at any
    other gap within ``side``.
    """
    u = axis.abscissae
    if u.size < 3 * side:
        return []
    slope, centre_u, centre_g = _fit_sliding_lines(u, derivative, side)
    gaps = np.arange(side, u.size - side + 1)  # a gap before abscissa number `gap`
    middle = 0.5 * (u[gaps - 1] + u[gaps])
    left, right = gaps - side, gaps
    distance = np.abs(
        centre_g[right]
        + slope[right] * (middle - centre_u[right])
        - centre_g[left]
        - slope[left] * (middle - centre_u[left])
    )
    threshold = max(factor * float(np.median(distance)), 0.1 * float(np.std(derivative)))
    return [
        float(middle[i])
        for i in np.flatnonzero(distance > threshold)
        if distance[i] >= distance[max(0, i - side) : i + side + 1].max()
    ]


def _fit_sliding_lines(u: Array, g: Array, length: int) -> tuple[Array, Array, Array]:
    """Fit a line to every window of ``length`` points: slopes and centroids."""

    def window_sum(x: Array) -> Array:
        total = np.concatenate([[0.0], np.cumsum(x)])
        return np.asarray(total[length:] - total[:-length])

    u0, g0 = u - u.mean(), g - g.mean()
    centre_u, centre_g = window_sum(u0) / length, window_sum(g0) / length
    spread = window_sum(u0 * u0) - length * centre_u**2
    rise = window_sum(u0 * g0) - length * centre_u * centre_g
    resolved = spread > 1e-14 * np.sum(u0 * u0)  # below it, rounding of the running sums
    slope = np.where(resolved, rise / np.where(resolved, spread, 1.0), 0.0)
    return slope, centre_u + u.mean(), centre_g + g.mean()


def estimate_curvature(axis: Axis, derivative: Array, side: int) -> Array:
    """Return g'': slopes of lines through g' at ``side`` neighbours each way.

    Lines stay within a segment. They are wide because the difference of two neighbouring
    derivative estimates over a tiny gap says nothing about the curvature.
    """
    result = np.zeros_like(derivative)
    for start, stop, flat in axis.segments:
        length = min(2 * side + 1, stop - start)
        if length < 2 or flat:
            continue
        slope, _, _ = _fit_sliding_lines(axis.abscissae[start:stop], derivative[start:stop], length)
        window = np.clip(np.arange(stop - start) - length // 2, 0, slope.size - 1)
        result[start:stop] = slope[window]
    return result
