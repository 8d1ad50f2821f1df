"""Warnings about an answer: not converged, not smooth, values and Jacobians at odds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from .choose import error_of_jacobians, mean_error
from .errors import ConvergenceWarning, FitWarning
from .filters import Index
from .function import DecoupledFunction
from .samples import Samples
from .tensor import Array

POOR, SUSPICIOUS = 10.0, 5.0  # error in % and ratio of errors that call for an explanation
MOST_PAIRS = 2000
BLOCK = 256  # points whose neighbours are sought at a time
MISMATCH = (
    "the Jacobians are met to {:.2g} %, the values to {:.3g} %: these Jacobians do not belong to "
    "these values (transposed? scaled? noise?)"
)
FROM_OUTSIDE = ("given", "exact")  # Jacobians that were not computed from the values of f
KINKED = 0.1  # mismatch of a jump; 0.25 on average when points straddle one, 0 in the smooth limit


def warn(samples: Samples, d: DecoupledFunction, depth: int = 3) -> None:
    """Say what the user should know of this answer."""
    assert d.solution is not None
    solution = d.solution
    if not solution.converged:
        warnings.warn(
            f"{solution.method}: {solution.stop_reason}. The best iterate is returned; "
            f"raise max_iterations or n_starts to go on",
            ConvergenceWarning,
            stacklevel=depth,
        )
    by_value = mean_error(d.fitted_error)
    by_jacobian = error_of_jacobians(d, samples)
    message = None
    if solution.method == "varpro":
        message = _about_the_data(samples, by_value, by_jacobian)
    elif solution.method != "cpd" and by_value >= POOR:
        message = _about_the_branches(100 * min(solution.objective), by_value, by_jacobian)
    if message is not None:
        warnings.warn(message, FitWarning, stacklevel=depth)


def _about_the_data(samples: Samples, by_value: float, by_jacobian: float) -> str | None:
    """Where a smooth fit fails: do values and Jacobians agree, and does the Jacobian jump?"""
    poor = max(by_jacobian, by_value) >= POOR
    if poor and samples.source.startswith(FROM_OUTSIDE) and at_odds(samples):
        return MISMATCH.format(by_jacobian, by_value)
    if by_jacobian > 1.0 and seems_kinked(samples):
        return (
            "f does not look smooth: between near points its Jacobian jumps (kinks, as of "
            "ReLU). The answer is the best smooth one; a smooth model of f decouples better"
        )
    return None


def _about_the_branches(residual: float, by_value: float, by_jacobian: float) -> str | None:
    """Where the Jacobians were matched and the values were not."""
    if by_jacobian > SUSPICIOUS * max(residual, 1.0):
        return (
            f"the decomposition fits the Jacobians to {residual:.2g} %, its branches in this basis "
            f"to {by_jacobian:.2g} %: they are rougher than the basis can follow; give it more "
            f"coefficients, the method more smoothness, or check that the Jacobians are right"
        )
    if by_value > SUSPICIOUS * max(by_jacobian, 1.0):
        return MISMATCH.format(by_jacobian, by_value)
    return None


def _pairs(samples: Samples) -> tuple[Index, Index, Array]:
    """Rows, for each of them the nearest other one and a random one, and the distances to these."""
    rows = np.unique(np.linspace(0, len(samples) - 1, min(MOST_PAIRS, len(samples))).astype(int))
    points = samples.points[rows]
    spread = points.std(axis=0)
    scaled = points / np.where(spread > 0, spread, 1.0)
    others = np.stack([_nearest(scaled), np.random.default_rng(0).permutation(len(rows))])
    return rows, others, np.linalg.norm(scaled - scaled[others], axis=2)


def _nearest(points: Array) -> Index:
    """For each point the nearest other one; in blocks, as in many dimensions no tree is faster."""
    squares = np.einsum("kl,kl->k", points, points)
    found = np.empty(len(points), dtype=np.intp)
    for begin in range(0, len(points), BLOCK):
        end = min(begin + BLOCK, len(points))
        gaps = squares - 2 * points[begin:end] @ points.T
        gaps[np.arange(end - begin), np.arange(begin, end)] = np.inf
        found[begin:end] = gaps.argmin(axis=1)
    return found


@dataclass(frozen=True)
class _Mismatch:
    """How the trapezoid rule fails between pairs: medians, and how often worse than at a jump."""

    over_bend: float
    over_rise: float
    too_much: float


def _mismatch(samples: Samples, rows: Index, others: Index) -> _Mismatch:
    """Error of df = mean slope * dp, over the change of slope * dp and over df itself."""
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
    moving = bend > 1e-9 * np.maximum(move, 1e-300)
    if not np.any(moving):
        return _Mismatch(0.0, float(np.median(rest) / max(np.median(move), 1e-300)), 0.0)
    ratio = rest[moving] / bend[moving]
    over_rise = np.median(rest) / max(np.median(move), 1e-300)
    return _Mismatch(float(np.median(ratio)), float(over_rise), float(np.mean(ratio > 0.6)))


def _comparable(distance: Array) -> bool:
    """Are near points much nearer than far ones, so that the two can be told apart?"""
    return bool(np.median(distance[0]) * 3 < np.median(distance[1]))


def seems_kinked(samples: Samples) -> bool:
    """Does the trapezoid rule between near points fail as it does across a jump of the slope?

    Its error over the change of slope is spread over 0 to 0.5 across a jump at any distance; for a
    smooth f it shrinks with the distance, and noise in the values exceeds it.
    """
    rows, others, distance = _pairs(samples)
    if not _comparable(distance):
        return False
    close, far = _mismatch(samples, rows, others[0]), _mismatch(samples, rows, others[1])
    jumps = close.over_bend > KINKED and close.too_much < 0.1
    return jumps and close.over_bend > 0.6 * far.over_bend


def at_odds(samples: Samples) -> bool:
    """Do the Jacobians miss the differences of the values between near points?"""
    rows, others, distance = _pairs(samples)
    return _comparable(distance) and _mismatch(samples, rows, others[0]).over_rise > 0.3
