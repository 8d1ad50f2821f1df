"""Warnings about an answer: not converged, not smooth, values and Jacobians at odds."""

from __future__ import annotations

import warnings

import numpy as np

from .._typing import Array, Mask
from ..bases import CustomBasis
from ..data._consistency import at_odds, seems_kinked, still_outputs
from ..data._samples import Samples
from ..data._splitting import thinned
from ..errors import ConvergenceWarning, FitWarning
from ..model._error_summary import POOR, mean_error
from ..model._function import DecoupledFunction, continued
from ._kinks import slopes_jump
from ._refinement import common_basis, refine
from ._selection import error_of_jacobians, value_error

SUSPICIOUS = 5.0  # ratio of errors that calls for an explanation
MISMATCH = (
    "the Jacobians are met to {:.2g} %, the values to {:.3g} %: these Jacobians do not belong to "
    "these values (transposed? scaled? noise?), or f ripples too finely for these points"
)
FROM_OUTSIDE = ("given", "exact")  # Jacobians that were not computed from the values of f
UNMET = 0.3  # %: Jacobians that are met better need no explanation
UNBELIEVABLE = 30.0  # %: of Jacobians, where the values are well met
# What scaling them leaves of the misfit of the Jacobians: 0.95 where f is hard, 0.8 where noise is
# overfitted. The stricter one where the values are not met to 3 %.
GAINED, GAINED_SURELY, WELL_MET = 0.85, 0.6, 3.0
EXPLAINED = 0.4  # of the Jacobians, at most left once they are scaled
ALMOST = 0.1  # wrong units are further from 1
SWEEPS, TINY = 20, 1e-300
RELIEVED = 0.33  # of the error of the values, left without the Jacobians
FEWEST, MOST_POINTS, MOST_STEPS = 20, 1000, 30  # of that trial
SCALED = (
    "these Jacobians do not belong to these values: the derivative of output {} over input {} is "
    "{:.3g} times what the values say (units? a scaling left out?)"
)


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
        message = _about_the_data(samples, d, by_value, by_jacobian)
    elif solution.method != "cpd" and by_value >= POOR:
        message = _about_the_branches(100 * min(solution.objective), by_value, by_jacobian)
    if message is not None:
        warnings.warn(message, FitWarning, stacklevel=depth)


def _about_the_data(
    samples: Samples, d: DecoupledFunction, by_value: float, by_jacobian: float
) -> str | None:
    """Where a smooth fit fails: do values and Jacobians agree, and does the Jacobian jump?"""
    if by_value == np.inf:  # values that do not vary are not known
        return None
    poor = max(by_jacobian, by_value) >= POOR
    from_outside = samples.source.startswith(FROM_OUTSIDE)
    contradicted = by_value < WELL_MET and by_jacobian > UNBELIEVABLE
    if poor and from_outside and (contradicted or at_odds(samples)):
        return MISMATCH.format(by_jacobian, by_value)
    if by_jacobian > UNMET and from_outside:
        scale = _wrong_scale(samples, d, by_value) or _wrong_for_the_values(samples, d, by_value)
        if scale is not None:
            return scale
    if by_jacobian > 1.0 and (seems_kinked(samples) or slopes_jump(samples, d)):
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


def _wrong_scale(samples: Samples, d: DecoupledFunction, by_value: float) -> str | None:
    """Do the Jacobians differ from those of the answer, which knows the values, by factors?"""
    reach, spread = samples.points.std(axis=0), samples.values.std(axis=0)
    moving = (spread > 0) & ~still_outputs(samples, np.where(reach > 0, reach, 1.0))
    size = reach * np.divide(1.0, spread, out=np.zeros_like(spread), where=moving)[:, None]
    given, own = samples.jacobians * size, d.jacobian(samples.points) * size
    energy = np.einsum("kol,kol->ol", own, own)
    gains = _factors(np.einsum("kol,kol->ol", given, own), energy)
    limit = GAINED if by_value < WELL_MET else GAINED_SURELY
    before, after = np.linalg.norm(given - own), np.linalg.norm(given - gains * own)
    if after > min(limit * before, EXPLAINED * np.linalg.norm(given)):
        return None
    worst = np.argmax((gains - 1) ** 2 * energy)
    output, column = np.unravel_index(worst, gains.shape)
    if abs(gains[output, column] - 1) < ALMOST:
        return None
    return SCALED.format(output + 1, column + 1, gains[output, column])


def _factors(product: Array, energy: Array) -> Array:
    """(n, m) gains that are a factor of the output times one of the input, as wrong units are.

    A gain for every entry would explain any constant Jacobian.
    """
    left, right = np.ones(len(product)), np.ones(product.shape[1])
    for _ in range(SWEEPS):
        left = product @ right / np.maximum(energy @ right**2, TINY)
        right = left @ product / np.maximum(left**2 @ energy, TINY)
    return np.outer(left, right)


def _wrong_for_the_values(samples: Samples, d: DecoupledFunction, by_value: float) -> str | None:
    """The same for an answer that is torn between the two: what do the values alone say?"""
    basis = common_basis(d)
    if basis is None or isinstance(basis, CustomBasis) or len(samples) < FEWEST:
        return None
    some = thinned(samples, MOST_POINTS)
    fitted, judged = some.subset(slice(None, None, 2)), some.subset(slice(1, None, 2))
    free = refine(continued(d, "linear"), fitted, jacobian_weight=0.0, max_iterations=MOST_STEPS)
    inside = _between(judged.points @ free.V, fitted.points @ free.V)
    if inside.sum() < FEWEST // 4:
        return None
    without = max(mean_error(free.fitted_error), value_error(free, judged.subset(inside)))
    return _wrong_scale(some, free, without) if without < RELIEVED * by_value else None


def _between(z: Array, known: Array) -> Mask:
    """Rows of z that lie in the range of what is known, in every column."""
    return np.asarray(np.all((z >= known.min(axis=0)) & (z <= known.max(axis=0)), axis=1))
