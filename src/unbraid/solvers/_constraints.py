"""Moulds: what a branch is allowed to look like beyond smooth (section 5.2's last remark)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._typing import Array
from ..errors import InvalidOption
from ._axis import Axis


@dataclass(frozen=True)
class Mould:
    """Where the derivative of a branch may jump, and beyond which limits the branch is flat.

    Both are places on the branch's own axis ``z = v.p`` with ``v`` of unit length and its
    largest entry positive, in the user's units. ``breaks="detect"`` finds the places.

    >>> Mould(breaks=(0.0,), limits=(-1.0, 1.0))
    Mould(breaks=(0.0,), limits=(-1.0, 1.0))
    """

    breaks: tuple[float, ...] | Literal["detect"] = ()
    limits: tuple[float, float] = (-np.inf, np.inf)

    def __post_init__(self) -> None:
        if isinstance(self.breaks, str):
            if self.breaks != "detect":
                raise InvalidOption(f"breaks is {self.breaks!r}: give numbers or 'detect'")
        else:
            object.__setattr__(self, "breaks", _numbers("breaks", self.breaks))
            if not np.all(np.isfinite(np.asarray(self.breaks))):
                raise InvalidOption(f"breaks must be finite, got {self.breaks}")
        limits = _numbers("limits", self.limits)
        if len(limits) != 2 or not limits[0] < limits[1]:
            raise InvalidOption(f"limits must be two numbers that rise, got {self.limits}")
        object.__setattr__(self, "limits", limits)


def _numbers(name: str, value: Any) -> tuple[float, ...]:
    try:
        numbers = np.atleast_1d(value)
        if numbers.ndim == 1 and (numbers.size == 0 or numbers.dtype.kind in "iuf"):
            return tuple(numbers.astype(float).tolist())
    except (TypeError, ValueError):
        pass
    raise InvalidOption(f"{name} must be numbers, one after another, got {value!r}")


def detect_breaks(axis: Axis, derivative: Array, side: int = 8, factor: float = 8.0) -> list[float]:
    """Places where a derivative known on the abscissae jumps.

    On either side of every gap a straight line is fitted to ``side`` abscissae; the two lines
    meet on a smooth branch. A jump is a gap where they miss each other by more than ``factor``
    times the typical miss and by more than a tenth of the derivative's spread, and by
    more than they do at any other gap within ``side``.
    """
    u = axis.abscissae
    if u.size < 3 * side:
        return []
    slope, centre_u, centre_g = _sliding_lines(u, derivative, side)
    gaps = np.arange(side, u.size - side + 1)  # a gap before abscissa number `gap`
    middle = 0.5 * (u[gaps - 1] + u[gaps])
    left, right = gaps - side, gaps
    miss = np.abs(
        centre_g[right]
        + slope[right] * (middle - centre_u[right])
        - centre_g[left]
        - slope[left] * (middle - centre_u[left])
    )
    threshold = max(factor * float(np.median(miss)), 0.1 * float(np.std(derivative)))
    found: list[float] = []
    for index in np.argsort(-miss):
        if miss[index] <= threshold:
            break
        neighbours = miss[max(0, index - side) : index + side + 1]
        if miss[index] >= neighbours.max():
            found.append(float(middle[index]))
    return sorted(found)


def _sliding_lines(u: Array, g: Array, length: int) -> tuple[Array, Array, Array]:
    """Least-squares line through every window of ``length`` abscissae: slope and centroid."""

    def window_sum(x: Array) -> Array:
        total = np.concatenate([[0.0], np.cumsum(x)])
        return np.asarray(total[length:] - total[:-length])

    u0, g0 = u - u.mean(), g - g.mean()
    centre_u, centre_g = window_sum(u0) / length, window_sum(g0) / length
    spread = window_sum(u0 * u0) - length * centre_u**2
    rise = window_sum(u0 * g0) - length * centre_u * centre_g
    seen = spread > 1e-14 * np.sum(u0 * u0)  # below it, rounding of the running sums
    slope = np.where(seen, rise / np.where(seen, spread, 1.0), 0.0)
    return slope, centre_u + u.mean(), centre_g + g.mean()


def curvature(axis: Axis, derivative: Array, side: int) -> Array:
    """g'' on the abscissae: slope of the line through g' over ``side`` neighbours each way.

    Lines stay within a segment, and are wide because the difference of two neighbouring
    derivative estimates over a tiny gap says nothing about the curvature.
    """
    result = np.zeros_like(derivative)
    for start, stop, flat in axis.segments:
        length = min(2 * side + 1, stop - start)
        if length < 2 or flat:
            continue
        slope, _, _ = _sliding_lines(axis.abscissae[start:stop], derivative[start:stop], length)
        window = np.clip(np.arange(stop - start) - length // 2, 0, slope.size - 1)
        result[start:stop] = slope[window]
    return result
