"""Consistency of samples: do Jacobians and values agree, does the Jacobian jump?"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index, Mask
from ._samples import Samples

MAX_PAIRS = 2000
NEIGHBOURS_PER_BLOCK = 256  # whose neighbours are searched at once
JACOBIAN_ENTRIES_PER_BLOCK = 1 << 20  # of what is computed at a time
KINK_MISMATCH = 0.1  # 0.25 on average across a kink, 0 in the smooth limit


@dataclass(frozen=True)
class Pairs:
    """Rows of samples, with the nearest neighbour of each and a random one."""

    rows: Index
    others: Index
    distance: Array

    @property
    def comparable(self) -> bool:
        """Whether neighbours are much closer than random pairs."""
        return bool(np.median(self.distance[0]) * 3 < np.median(self.distance[1]))


def make_pairs(samples: Samples) -> Pairs:
    """Pairs of points, distances in units of each input's spread."""
    rows = np.unique(np.linspace(0, len(samples) - 1, min(MAX_PAIRS, len(samples))).astype(int))
    points = samples.points[rows]
    spread = points.std(axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    others = np.stack([_nearest(scaled), np.random.default_rng(0).permutation(len(rows))])
    return Pairs(rows, others, np.linalg.norm(scaled - scaled[others], axis=2))


def _nearest(points: Array) -> Index:
    """Index of the nearest other point of each point.

    Computed in blocks of all distances, since trees are slow in many dimensions.
    """
    squares = np.einsum("kl,kl->k", points, points)
    found = np.empty(len(points), dtype=np.intp)
    for begin in range(0, len(points), NEIGHBOURS_PER_BLOCK):
        end = min(begin + NEIGHBOURS_PER_BLOCK, len(points))
        gaps = squares - 2 * points[begin:end] @ points.T
        gaps[np.arange(end - begin), np.arange(begin, end)] = np.inf
        found[begin:end] = gaps.argmin(axis=1)
    return found


def blocks_of_points(jacobians: Array) -> Iterator[slice]:
    """Yield the points to be taken at a time, so that temporary arrays stay small."""
    n_points, n, m = jacobians.shape
    size = max(1, JACOBIAN_ENTRIES_PER_BLOCK // (n * m))
    for begin in range(0, n_points, size):
        yield slice(begin, begin + size)


def root_mean_squares(jacobians: Array, input_scale: Array) -> Array:
    """Root mean square of the Jacobian row of each output, inputs divided by a scale."""
    blocks = blocks_of_points(jacobians)
    sums = sum(np.sum((jacobians[rows] * input_scale) ** 2, axis=(0, 2)) for rows in blocks)
    return np.asarray(np.sqrt(sums / (jacobians.shape[0] * jacobians.shape[2])))


def constant_outputs(samples: Samples, input_scale: Array) -> Mask:
    """Which outputs are constant up to rounding, in values and Jacobians.

    ``input_scale`` is the range of each input.
    """
    slope = root_mean_squares(samples.jacobians, input_scale)
    size, spread = np.abs(samples.values).max(axis=0), samples.values.std(axis=0)
    still = (slope <= max(1e-12, samples.accuracy) * size) & (spread <= 1e-9 * size)
    return np.asarray(still | ((spread == 0) & (slope <= 1e-6 * slope.max())))


@dataclass(frozen=True)
class _Mismatch:
    """Errors of the trapezoid rule between pairs of points.

    Medians relative to the change of slope and to the change of the values, and the share of pairs
    with a larger error than a kink makes.
    """

    over_bend: float
    over_rise: float
    too_much: float


def _mismatch(samples: Samples, rows: Index, others: Index) -> _Mismatch:
    """Measure the error of df = mean slope * dp between pairs of points."""
    a, b = rows, rows[others]
    step = samples.points[b] - samples.points[a]
    rise = samples.values[b] - samples.values[a]
    left = np.einsum("kol,kl->ko", samples.jacobians[a], step)
    right = np.einsum("kol,kl->ko", samples.jacobians[b], step)
    scale = samples.values.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    rest = np.linalg.norm((rise - 0.5 * (left + right)) / scale, axis=1)
    bend = np.linalg.norm((right - left) / scale, axis=1)
    move = np.linalg.norm(rise / scale, axis=1)
    moving = bend > np.maximum(1e-9 * move, 1e-300)
    if not np.any(moving):
        return _Mismatch(0.0, float(np.median(rest) / max(np.median(move), 1e-300)), 0.0)
    ratio = rest[moving] / bend[moving]
    over_rise = np.median(rest) / max(np.median(move), 1e-300)
    return _Mismatch(float(np.median(ratio)), float(over_rise), float(np.mean(ratio > 0.6)))


def has_kinks(samples: Samples) -> bool:
    """Whether the trapezoid rule between neighbours fails as it does across a kink.

    Its error over the change of slope is spread over 0 to 0.5 across a jump at any distance; for a
    smooth f it shrinks with the distance, and noise in the values exceeds it.
    """
    pairs = make_pairs(samples)
    if not pairs.comparable:
        return False
    close = _mismatch(samples, pairs.rows, pairs.others[0])
    far = _mismatch(samples, pairs.rows, pairs.others[1])
    jumps = close.over_bend > KINK_MISMATCH and close.too_much < 0.1
    return jumps and close.over_bend > 0.6 * far.over_bend


def jacobians_inconsistent(samples: Samples) -> bool:
    """Whether the Jacobians contradict the differences of values between neighbours."""
    pairs = make_pairs(samples)
    return pairs.comparable and _mismatch(samples, pairs.rows, pairs.others[0]).over_rise > 0.3


def measure_agreement(samples: Samples) -> tuple[float, int]:
    """Correlation of the rise between neighbours with the rise that Jacobians say.

    Also returns the number of pairs. For noise it is 0 on average, for a smooth function almost 1.
    """
    pairs = make_pairs(samples)
    a, b = pairs.rows, pairs.rows[pairs.others[0]]
    spread = samples.values.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    slope = 0.5 * (samples.jacobians[a] + samples.jacobians[b])
    expected = np.einsum("kol,kl->ko", slope, samples.points[b] - samples.points[a]) / scale
    rise = (samples.values[b] - samples.values[a]) / scale
    size = np.linalg.norm(rise) * np.linalg.norm(expected)
    return float(np.sum(rise * expected) / max(float(size), 1e-300)), len(a)
