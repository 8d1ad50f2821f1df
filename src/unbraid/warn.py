"""Warnings about an answer: not converged, not smooth, values and Jacobians at odds."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial import cKDTree

from .choose import error_of_jacobians, mean_error
from .errors import ConvergenceWarning, FitWarning
from .function import DecoupledFunction
from .samples import Samples

POOR, SUSPICIOUS = 10.0, 5.0  # error in % and ratio of errors that call for an explanation
MOST_PAIRS = 2000
MISMATCH = (
    "the Jacobians are met to {:.2g} %, the values to {:.3g} %: these Jacobians do not belong to "
    "these values (transposed? scaled? noise?)"
)
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
    if by_jacobian >= POOR and at_odds(samples):
        return MISMATCH.format(by_jacobian, by_value)
    if by_jacobian > 1.0 and seems_kinked(samples):
        return (
            "f does not look smooth: between near points its Jacobian jumps (kinks, as of ReLU, or "
            "noise). The answer is the best smooth one; a smooth model of f decouples better"
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


def _pairs(samples: Samples) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For near points: difference of values, its trapezoid estimate, change of slope; and far."""
    rows = np.unique(np.linspace(0, len(samples) - 1, min(MOST_PAIRS, len(samples))).astype(int))
    points = samples.points[rows]
    spread = points.std(axis=0)
    scaled = points / np.where(spread > 0, spread, 1.0)
    distance, neighbour = cKDTree(scaled).query(scaled, k=2)
    far = np.random.default_rng(0).permutation(len(rows))
    return (
        rows,
        np.stack([neighbour[:, 1], far]),
        np.stack([distance[:, 1], np.linalg.norm(scaled - scaled[far], axis=1)]),
    )


def _mismatch(samples: Samples, rows: np.ndarray, others: np.ndarray) -> tuple[float, float, float]:
    """Medians of |df - mean slope * dp|, |change of slope * dp| and |df| over pairs of points."""
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
    ratio = np.median(rest[moving] / bend[moving]) if np.any(moving) else 0.0
    return float(ratio), float(np.median(rest)), float(np.median(move))


def seems_kinked(samples: Samples) -> bool:
    """Does the trapezoid rule between near points fail as it does across a jump of the slope?

    Its error over the change of slope is about 0.25 across a jump at any distance; for a smooth
    f it shrinks with the distance.
    """
    rows, others, distance = _pairs(samples)
    near = np.median(distance[0]) * 3 < np.median(distance[1])
    if not near:
        return False  # points too far apart to say
    close, _, _ = _mismatch(samples, rows, others[0])
    far, _, _ = _mismatch(samples, rows, others[1])
    return close > KINKED and close > 0.6 * far


def at_odds(samples: Samples) -> bool:
    """Do the Jacobians miss the differences of the values between near points?"""
    rows, others, distance = _pairs(samples)
    near = np.median(distance[0]) * 3 < np.median(distance[1])
    _, rest, move = _mismatch(samples, rows, others[0])
    return bool(near and rest > 0.3 * move)
