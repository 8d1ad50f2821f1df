"""Samples in units where every input and output counts alike, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array, Index, Mask
from .._util.linalg import leading, subspace
from .._util.validation import check_integer
from ..data._consistency import constant_outputs, root_mean_squares
from ..data._samples import Samples
from ..errors import InvalidOptionError, InvalidSamplesError
from ._axis import Axis, make_axis
from ._constraints import BranchConstraint, check_constraints
from ._factors import Factors, signed_norms

MAX_POINTS_UNSORTED = 500  # points that fit into any cache, in whatever order they are
SMALLEST_WEIGHT_RATIO = 1e-12  # weight of an output relative to the largest one
MAX_BRANCHES_OF_ANY_MODEL = 1000
MAX_V_ENTRIES = 1500  # entries of V in the solver's coordinates
REFINEMENT_FACTOR = 8  # ratio of the numbers of points of two levels


@dataclass(frozen=True)
class Problem:
    """Centred, scaled and compressed samples, with the transformation back.

    Inputs are divided by their spread and outputs by the rms of their (scaled) Jacobian row,
    so the result does not depend on units. Input and output directions in which no gradient points
    are dropped without loss. Neighbours in space are neighbours in memory: at a million points,
    cache misses determine the speed. ``values`` are divided by their own spread, and
    ``value_map @ W`` are the weights that go with them.
    """

    points: Array
    jacobians: Array
    values: Array
    value_map: Array
    n_branches: int
    constraints: tuple[BranchConstraint, ...]
    lift_W: Array
    lift_V: Array
    centre: Array
    row_of_sample: Index
    input_scale: Array
    output_scale: Array

    @property
    def shape(self) -> tuple[int, int, int]:
        """(N, n, m)."""
        n_points, n_outputs, n_inputs = self.jacobians.shape
        return n_points, n_outputs, n_inputs

    def user_direction(self, v: Array) -> tuple[float, float]:
        """Return a and b that map z on the user's axis to a*z + b on the solver's."""
        direction = self.lift_V @ v
        return float(signed_norms(direction[:, None])[0]), -float(direction @ self.centre)

    def from_user(self, W: Array, V: Array) -> tuple[Array, Array]:
        """Convert W and V from the user's units to the solver's.

        In the solver's units the columns of both liftings are orthonormal.
        """
        left = self.lift_W / self.output_scale[:, None]
        right = self.lift_V * self.input_scale[:, None]
        return left.T @ (W / self.output_scale[:, None]), right.T @ (V * self.input_scale[:, None])

    def axis(self, branch: int, v: Array) -> Axis:
        """Return the axis of a branch along v, cut by the constraint of the branch."""
        constraint = self.constraints[branch]
        z = self.points @ v
        if constraint == BranchConstraint():
            return make_axis(z)
        factor, shift = self.user_direction(v)
        low, high = sorted(factor * edge + shift for edge in constraint.limits)
        places = () if isinstance(constraint.breaks, str) else constraint.breaks  # not detected yet
        return make_axis(z, [factor * place + shift for place in places], (low, high))

    def subset(self, rows: Index) -> Problem:
        """Return the same problem on some of its points."""
        parts = {name: getattr(self, name)[rows] for name in ("points", "jacobians", "values")}
        return replace(self, **parts)

    def select_samples(self, chosen: Index) -> Problem:
        """Return the same problem on some of the samples, given in rising order."""
        rows = np.sort(self.row_of_sample[chosen])
        row_of_sample = np.searchsorted(rows, self.row_of_sample[chosen])
        return replace(self.subset(rows), row_of_sample=row_of_sample)

    def thin(self, size: int) -> Problem:
        """Return the problem on at most ``size`` points, evenly spaced in memory."""
        n_points = len(self.points)
        rows = np.linspace(0, n_points - 1, min(size, n_points)).astype(np.intp)
        return self.subset(np.unique(rows))

    def levels(self, size: int) -> list[Problem]:
        """Return the problem on ``size`` points, on ever more of them, and last on all."""
        levels = []
        while 2 * size < len(self.points):
            levels.append(self.thin(size))
            size *= REFINEMENT_FACTOR
        return [*levels, self]

    def draw_factors(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw a random W and V in the solver's units."""
        _, n, m = self.shape
        W = rng.standard_normal((n, self.n_branches))
        return W, rng.standard_normal((m, self.n_branches))

    def factors(self, W: Array, V: Array, G: Array, derivatives: Array) -> tuple[Factors, Index]:
        """Return factors in the user's units and order, and the order of branches.

        Branches are normalised. The one with the largest share in the outputs comes first.
        """
        share = np.sum(W**2, axis=0) * G.var(axis=0)
        order = np.argsort(-share, kind="stable")
        rows = self.row_of_sample
        z = (self.points @ V)[rows] + self.centre @ (self.lift_V @ V)
        factors = Factors(self.lift_W @ W, self.lift_V @ V, G[rows], z, derivatives[rows])
        return factors.permute(order).normalise(), order


def max_input_directions(n_branches: int) -> int:
    """Return how many input directions are kept, to limit the size of V."""
    return max(n_branches, MAX_V_ENTRIES // n_branches)


def check_n_branches(samples: Samples, n_branches: int) -> None:
    """Reject more branches than the samples can determine or the memory can hold."""
    if not isinstance(samples, Samples):
        raise InvalidSamplesError(
            f"a method decouples Samples(points, values, jacobians), got {type(samples).__name__}"
        )
    check_integer("n_branches", n_branches)
    n_equations = samples.values.size + samples.jacobians.size
    most = n_equations // (samples.n_inputs + samples.n_outputs)
    most = min(max(most, 1), MAX_BRANCHES_OF_ANY_MODEL)
    if n_branches > most:
        raise InvalidOptionError(
            f"n_branches = {n_branches} is more than {len(samples)} points of {samples.n_inputs} "
            f"inputs and {samples.n_outputs} outputs can tell apart: use at most {most}, or 'auto'"
        )


def make_problem(
    samples: Samples,
    n_branches: int,
    weights: Sequence[float] | Array | None = None,
    constraints: BranchConstraint | Sequence[BranchConstraint] | None = None,
    max_inputs: int | None = None,
    keep: Array | None = None,
    compress: bool = True,
) -> Problem:
    """Scale and compress samples; reject those that hold no information.

    Where gradients point into more than ``max_inputs`` directions, only the dominant ones and those
    of ``keep`` (m, any), in the user's units, are kept. Use ``compress=False`` where the Jacobians
    have no weight: f may vary in directions in which they do not point.
    """
    centre = samples.points.mean(axis=0)
    input_scale = _compute_input_scale(samples.points, centre)
    points = (samples.points - centre) / input_scale
    constant = constant_outputs(samples, input_scale)
    jacobians, output_scale = _scale_jacobians(samples, input_scale, constant)
    output_weights = _check_weights(weights, output_scale.size)
    output_scale = output_scale / output_weights
    jacobians /= output_scale[:, None]  # a copy already
    lift_V, lift_W = np.diag(1 / input_scale), np.diag(output_scale)
    kept = None if keep is None else keep * input_scale[:, None]
    right = _find_input_subspace(jacobians, compress, max_inputs, kept)
    if right is not None:
        points, jacobians, lift_V = points @ right, jacobians @ right, lift_V @ right
    left = _find_output_subspace(jacobians, compress, constant)
    if left is not None:
        jacobians, lift_W = np.einsum("kol,oq->kql", jacobians, left), lift_W @ left
    values, value_map = _scale_values(samples.values, lift_W, constant, output_weights)
    order = sort_by_location(points)
    return Problem(
        points[order],
        jacobians[order],
        values[order],
        value_map,
        n_branches,
        check_constraints(constraints, n_branches),
        lift_W,
        lift_V,
        centre,
        np.argsort(order),
        input_scale,
        output_scale,
    )


def _compute_input_scale(points: Array, centre: Array) -> Array:
    """Return the spread of each input; the geometric mean for a constant one."""
    spread = points.std(axis=0)
    varies = spread > 1e-12 * np.abs(centre)
    if not np.any(varies):
        raise InvalidSamplesError("all points are the same; choose points that cover a domain")
    typical = float(np.exp(np.mean(np.log(spread[varies]))))
    return np.where(varies, spread, typical)


def _scale_jacobians(samples: Samples, input_scale: Array, constant: Mask) -> tuple[Array, Array]:
    """Return Jacobians by scaled inputs, and the rms of each output (1 for 0)."""
    jacobians = samples.jacobians * input_scale
    output_scale = root_mean_squares(samples.jacobians, input_scale)
    jacobians[:, constant], output_scale[constant] = 0.0, 0.0
    if not np.any(output_scale > 0):
        raise InvalidSamplesError(
            "every Jacobian is zero and has nothing to decouple: f is constant on these points, or "
            "piece by piece; check f, or choose points where it varies"
        )
    output_scale[output_scale == 0] = 1.0
    return jacobians, output_scale


def _find_input_subspace(
    jacobians: Array, compress: bool, max_inputs: int | None, keep: Array | None
) -> Array | None:
    """Return a basis of the input directions to be kept, or None for all of them."""
    rows = jacobians.reshape(-1, jacobians.shape[2])
    right = subspace(rows) if compress else None
    n_directions = rows.shape[1] if right is None else right.shape[1]
    if max_inputs is not None and n_directions > max_inputs:
        return leading(rows, max_inputs, keep)
    return right


def _find_output_subspace(jacobians: Array, compress: bool, constant: Mask) -> Array | None:
    """Return a basis of the output directions to be kept, or None for all of them."""
    if compress:
        return subspace(jacobians.transpose(0, 2, 1).reshape(-1, jacobians.shape[1]))
    return np.eye(constant.size)[:, ~constant] if np.any(constant) else None


def _scale_values(
    values: Array, lift_W: Array, constant: Mask, weights: Array
) -> tuple[Array, Array]:
    """Return scaled values in the compressed outputs, and the map of W to them."""
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    factor = np.where(constant | (spread == 0), 0.0, weights / np.where(spread > 0, spread, 1.0))
    rotation, value_map = np.linalg.qr(factor[:, None] * lift_W)
    return (centred * factor) @ rotation, value_map


def sort_by_location(points: Array) -> Index:
    """Return the Morton order on the coordinates that vary most, if points are many."""
    if len(points) <= MAX_POINTS_UNSORTED:
        return np.arange(len(points))
    widest = np.argsort(-points.std(axis=0), kind="stable")[:6]
    chosen = points[:, widest]
    low, high = chosen.min(axis=0), chosen.max(axis=0)
    bits = 30 // widest.size
    unit = (chosen - low) / np.where(high > low, high - low, 1.0)
    cells = (unit * (2**bits - 1)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in reversed(range(bits)):
        for column in cells.T:
            code = 2 * code + ((column >> bit) & 1)
    return np.argsort(code, kind="stable")


def _check_weights(weights: Sequence[float] | Array | None, n_outputs: int) -> Array:
    """Return the output weights with a mean square of 1: only their ratios count."""
    if weights is None:
        return np.ones(n_outputs)
    try:
        array = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (n_outputs,) or not np.all(np.isfinite(array)) or np.any(array <= 0):
        raise InvalidOptionError(
            f"weights must hold one positive number for each of the {n_outputs} outputs, "
            f"got {weights!r}"
        )
    array = array / array.max()
    if array.min() < SMALLEST_WEIGHT_RATIO:
        most = 1 / SMALLEST_WEIGHT_RATIO
        raise InvalidOptionError(
            f"weights differ by more than a factor of {most:g}, got {weights!r}"
        )
    return np.asarray(array / np.sqrt(np.mean(array**2)))
