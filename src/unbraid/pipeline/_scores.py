"""Errors of a function on some samples, in %."""

import numpy as np

from .._typing import Array
from ..data._consistency import blocks_of_points, constant_outputs, root_mean_squares
from ..data._samples import Samples
from ..metrics import FLAT, relative_error
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction

SMALLEST_JACOBIAN_ERROR = 1e-7  # %: errors of the Jacobians below it are rounding


def value_errors(function: DecoupledFunction, samples: Samples) -> Array:
    """Relative rms error of the values, in % per output."""
    return relative_error(samples.values, function(samples.points))


def is_nearly_as_good(
    trial: DecoupledFunction, function: DecoupledFunction, max_increase: float, *parts: Samples
) -> bool:
    """Whether no output's error grows by more than a share of it, on each part."""
    pairs = [(value_errors(trial, part), value_errors(function, part)) for part in parts]
    return all(bool(np.all(after <= (1 + max_increase) * before)) for after, before in pairs)


def mean_value_error(function: DecoupledFunction, samples: Samples) -> float:
    """Mean over the outputs of the relative rms error of the values, in %."""
    return mean_error(value_errors(function, samples))


def mean_jacobian_error(function: DecoupledFunction, samples: Samples) -> float:
    """Relative error of the Jacobians in %, with equal weight of all entries."""
    spread = samples.points.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    size = root_mean_squares(samples.jacobians, scale)
    size = np.where((size > 0) & ~constant_outputs(samples, scale), size, np.inf)[:, None]
    missed, norm = 0.0, 0.0
    for rows in blocks_of_points(samples.jacobians):
        expected = samples.jacobians[rows] * scale
        expected /= size
        miss = np.nan_to_num(function.jacobian(samples.points[rows]), copy=False)
        miss *= scale / size
        miss -= expected
        missed = float(np.hypot(missed, np.linalg.norm(miss)))
        norm = float(np.hypot(norm, np.linalg.norm(expected)))
    return 100.0 * missed / norm if norm > 0 else 0.0


def combined_error(function: DecoupledFunction, samples: Samples) -> float:
    """Geometric mean of the errors of values and Jacobians, in %.

    Noise in one of the two does not hide the information in the other.
    """
    by_jacobian = max(mean_jacobian_error(function, samples), SMALLEST_JACOBIAN_ERROR)
    return float(np.sqrt(mean_value_error(function, samples) * by_jacobian))


def output_spread(values: Array) -> Array:
    """Standard deviation of every output; inf where that is rounding."""
    spread = values.std(axis=0)
    return np.where(spread > FLAT * np.abs(values).max(axis=0), spread, np.inf)
