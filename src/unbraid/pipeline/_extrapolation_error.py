"""The error to expect of new points beyond the range of the data.

New points are drawn from a distribution like that of the given ones. How far a branch is off beyond
its data is not known; two observations tell its size. Up to the edge of a branch, where its curve
still holds, it is compared with fits in a slightly larger and a slightly smaller basis. Beyond the
edge, a straight line is off by about as much as the curve would bend.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, Polynomial
from ..data._resampling import resample_points
from ..data._samples import Samples
from ..errors import UnbraidError
from ..model._branch import Branch
from ..model._function import DecoupledFunction
from ._joint_fit import FitObjective, common_basis, fit_jointly
from ._refit import COEFFICIENTS_ONLY, refit_problem
from ._scores import output_spread
from ._state import FitState


@dataclass(frozen=True)
class ExtrapolationErrorSettings:
    """The sample of new points, and the bases that are compared."""

    n_new_points: int = 20_000
    batch_ratio: int = 20  # new points in a usual test, per given point
    max_resampled_inputs: int = 50  # with more, the z are resampled in place of the inputs
    max_outside: float = 6.0  # times 1 / (N + 1): share of new z outside the range, 2 on average
    size_ratio: float = 1.3  # of B-splines to those with fewer coefficients
    certain_margin: float = 1.0  # ranges: a curve that holds so far beyond the data has no error
    n_nodes: int = 101  # at which the range of a branch is measured


EXTRAPOLATION_ERROR_SETTINGS = ExtrapolationErrorSettings()


def expected_extrapolation_error(state: FitState, samples: Samples) -> Array:
    """Mean square error of new points beyond the data over the variances (n,).

    Few points are far outside. It is the mean error of batches, squared: a single point among very
    many does not determine it.
    """
    function = state.function
    if all(b.margin >= EXTRAPOLATION_ERROR_SETTINGS.certain_margin for b in function.branches):
        return np.zeros(function.n_outputs)
    known = function.transform(samples.points)
    z = _resample_z(known, samples.points, function)
    others = [_branches_in(basis, state, samples) for basis in _neighbouring_bases(function)]
    outside = np.any((z < known.min(axis=0)) | (z > known.max(axis=0)), axis=1)
    squares = np.zeros((len(z), function.n_outputs))
    weights = function.W.T / output_spread(samples.values)
    squares[outside] = _expected_squares(function.branches, others, weights, z[outside], known)
    ratio = EXTRAPOLATION_ERROR_SETTINGS.batch_ratio * len(samples)
    batches = np.array_split(squares, max(len(z) // ratio, 1))
    return np.asarray(np.mean([np.sqrt(b.mean(axis=0)) for b in batches], axis=0) ** 2)


def _resample_z(known: Array, points: Array, function: DecoupledFunction) -> Array:
    """z of new points; drawn branch by branch where the inputs are too entangled.

    That shows where more new points than expected are outside the range.
    """
    settings, n_points = EXTRAPOLATION_ERROR_SETTINGS, len(points)
    rng = np.random.default_rng(n_points)
    if points.shape[1] <= settings.max_resampled_inputs:
        z = function.transform(resample_points(points, settings.n_new_points, rng))
    else:
        z = resample_points(known, settings.n_new_points, rng)
    outside = np.mean((z < known.min(axis=0)) | (z > known.max(axis=0)), axis=0)
    for i in np.flatnonzero(outside > settings.max_outside / (n_points + 1)):
        z[:, i] = resample_points(known[:, [i]], settings.n_new_points, rng)[:, 0]
    return z


def _neighbouring_bases(function: DecoupledFunction) -> tuple[Basis, ...]:
    """The next smaller and the next larger basis of the branches, if there are any."""
    basis = common_basis(function)
    if isinstance(basis, Polynomial):
        degrees = max(basis.degree - 1, 1), basis.degree + 1
        return tuple(replace(basis.unbound(), degree=degree) for degree in degrees)
    if isinstance(basis, BSpline):
        ratio, count = EXTRAPOLATION_ERROR_SETTINGS.size_ratio, basis.n_coefficients
        sizes = max(round(count / ratio), basis.degree + 1), round(count * ratio)
        return tuple(replace(basis.unbound(), n_coefficients=size) for size in sizes)
    return ()


def _branches_in(basis: Basis, state: FitState, samples: Samples) -> tuple[Branch, ...]:
    """The branches fitted in another basis, W and V as they are; none if that fails."""
    function = state.function
    objective = FitObjective(state.jacobian_weight, 1.0, state.smoothing)
    how = refit_problem(state, samples), objective, COEFFICIENTS_ONLY
    try:
        other = fit_jointly(function, samples, *how, basis=basis)[0]
    except (UnbraidError, np.linalg.LinAlgError):
        return ()
    order = (_difference(function.V, other.V) + _difference(function.W, other.W)).argmin(axis=1)
    return tuple(
        replace(other.branches[k], margin=function.branches[i].margin) for i, k in enumerate(order)
    )


def _difference(first: Array, second: Array) -> Array:
    """Relative difference of the columns of two matrices, from 0 to 1, (r, r)."""
    a, b = first[:, :, None], second[:, None, :]
    size = np.abs(a) + np.abs(b)
    return np.asarray(np.mean(np.abs(a - b) / np.where(size > 0, size, 1.0), axis=0))


def _expected_squares(
    branches: Sequence[Branch],
    others: Sequence[Sequence[Branch]],
    weights: Array,
    z: Array,
    known: Array,
) -> Array:
    """Squares that the outputs are expected to be off by, z being beyond the data.

    In noise a larger basis differs by more than the error, and otherwise a smaller one does; the
    curvature at the edge is the most certain in the smallest basis. The least of them counts.
    Branches that cancel are off together.
    """
    fits = [fit for fit in others if fit]
    limits = _by_branch(_largest_change, branches, z, known)
    curves = [_by_branch(_centred_values, fit, z, known) for fit in (branches, *fits)]
    differences = [values - curves[0] for values in curves[1:]]
    bends = [_by_branch(_bend, fit, z, known) for fit in (branches, *fits[:1])]
    squares = np.zeros((len(z), weights.shape[1]))
    for kind in (differences, bends):
        candidates = [(np.clip(each, -limits, limits) @ weights) ** 2 for each in kind]
        squares += min(candidates, key=np.sum, default=np.zeros_like(squares))
    return squares


def _by_branch(
    measure: Callable[[Branch, Array, Array], Array],
    branches: Sequence[Branch],
    z: Array,
    known: Array,
) -> Array:
    """A measure of every branch at its column of z, (N, r)."""
    columns = zip(branches, z.T, known.T, strict=True)
    return np.column_stack([measure(branch, at, given) for branch, at, given in columns])


def _centred_values(branch: Branch, z: Array, known: Array) -> Array:
    return np.asarray(branch(z) - branch(known).mean())


def _largest_change(branch: Branch, z: Array, known: Array) -> Array:
    """What would bring the branch to rest or across its range, at z."""
    edges = np.array(branch.edges)
    slopes = np.abs(branch.curve(edges, 1))[(z > known.max()).astype(int)]
    values = branch.curve(np.linspace(edges[0], edges[1], EXTRAPOLATION_ERROR_SETTINGS.n_nodes))
    distance = np.maximum(np.maximum(known.min() - z, z - known.max()), 0.0)
    return np.asarray(slopes * distance + np.ptp(values))


def _bend(branch: Branch, z: Array, known: Array) -> Array:
    """Deviation of a curve from its linear continuation, to second order."""
    edges = np.array(branch.edges)
    beyond = np.maximum(np.maximum(edges[0] - z, z - edges[1]), 0.0)
    return np.asarray(0.5 * branch.curve(edges, 2)[(z > edges[1]).astype(int)] * beyond**2)
