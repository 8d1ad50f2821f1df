"""What a solver sees: points and Jacobians in units where every input and output counts alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array, Index, Mask
from .._util.linalg import leading, subspace
from .._util.validation import positive_integer
from ..data._consistency import still_outputs
from ..data._samples import Samples
from ..errors import InvalidOption, InvalidSamples
from ._axis import Axis, make_axis
from ._constraints import Mould
from ._factors import Factors, signed_norm

FEW = 500  # points that fit into any cache, and are all used from the start
LEAST = 1e-12  # of the largest weight: what counts less is noise beside it
MOST_BRANCHES = 1000
MOST_V = 1500  # entries of V in the solver's coordinates


@dataclass(frozen=True)
class Problem:
    """Centred, scaled and compressed samples, with the way back.

    Inputs are divided by their spread and outputs by the rms of their (scaled) Jacobian row,
    so the answer does not depend on anybody's units. Directions in which no gradient ever
    points, of the input or of the output space, are dropped: nothing is lost. Points are
    laid out so that neighbours in space are neighbours in memory: every branch walks through
    them in an order of its own, and at a million points the caches decide the speed.

    ``values`` are centred and divided by their spread, ``value_map @ W`` is what W is there: the
    two parts of the data are scaled each in its own way.
    """

    points: Array
    jacobians: Array
    values: Array
    value_map: Array
    n_branches: int
    moulds: tuple[Mould, ...]
    lift_W: Array
    lift_V: Array
    centre: Array
    row_of_sample: Index

    @property
    def shape(self) -> tuple[int, int, int]:
        """(N, n, m)."""
        n_points, n_outputs, n_inputs = self.jacobians.shape
        return n_points, n_outputs, n_inputs

    def user_direction(self, v: Array) -> tuple[float, float]:
        """Factor and shift that bring a place on the user's axis to the solver's: a*z + b."""
        direction = self.lift_V @ v
        return float(signed_norm(direction[:, None])[0]), -float(direction @ self.centre)

    def from_user(self, W: Array, V: Array) -> tuple[Array, Array]:
        """W and V of a decoupling in the user's units, in the solver's."""
        return _left_inverse(self.lift_W) @ W, _left_inverse(self.lift_V) @ V

    def axis(self, branch: int, v: Array) -> Axis:
        """The axis of a branch along v, cut where its mould says."""
        mould = self.moulds[branch]
        z = self.points @ v
        if mould == Mould():
            return make_axis(z)
        factor, shift = self.user_direction(v)
        low, high = sorted(factor * edge + shift for edge in mould.limits)
        places = () if isinstance(mould.breaks, str) else mould.breaks  # not detected yet
        return make_axis(z, [factor * place + shift for place in places], (low, high))

    def subset(self, rows: Index) -> Problem:
        """The same problem on fewer points."""
        return replace(
            self,
            points=self.points[rows],
            jacobians=self.jacobians[rows],
            values=self.values[rows],
        )

    def factors(self, W: Array, V: Array, G: Array, derivatives: Array) -> tuple[Factors, Index]:
        """Factors in the user's units and order of points, and which branch came where.

        Branches are normalised, the one with the largest share in the outputs first.
        """
        share = np.sum(W**2, axis=0) * G.var(axis=0)
        order = np.argsort(-share, kind="stable")
        rows = self.row_of_sample
        z = (self.points @ V)[rows] + self.centre @ (self.lift_V @ V)
        factors = Factors(self.lift_W @ W, self.lift_V @ V, G[rows], z, derivatives[rows])
        return factors.permuted(order).normalised(), order


def _left_inverse(lift: Array) -> Array:
    """Whatever units its rows are in."""
    size = np.abs(lift).max(axis=1, keepdims=True)
    size = np.where(size > 0, size, 1.0)
    return np.asarray(np.linalg.pinv(lift / size) / size.T)


def most_directions(n_branches: int) -> int:
    """Directions of the inputs to be kept at most, so that V stays of a size that can be solved."""
    return max(n_branches, MOST_V // n_branches)


def check_count(samples: Samples, n_branches: int) -> None:
    """Refuse more branches than the samples, or a machine, can hold."""
    if not isinstance(samples, Samples):
        raise InvalidSamples(
            f"a method decouples Samples(points, values, jacobians), got {type(samples).__name__}"
        )
    positive_integer("n_branches", n_branches)
    numbers = samples.values.size + samples.jacobians.size
    most = min(max(numbers // (samples.n_inputs + samples.n_outputs), 1), MOST_BRANCHES)
    if n_branches > most:
        raise InvalidOption(
            f"n_branches = {n_branches} is more than {len(samples)} points of {samples.n_inputs} "
            f"inputs and {samples.n_outputs} outputs can tell apart: use at most {most}, or 'auto'"
        )


def make_problem(
    samples: Samples,
    n_branches: int,
    weights: Sequence[float] | Array | None = None,
    moulds: Mould | Sequence[Mould] | None = None,
    most_inputs: int | None = None,
    keep: Array | None = None,
    compress: bool = True,
) -> Problem:
    """Scale and compress samples; refuse those that hold no information.

    Where gradients point into more than ``most_inputs`` directions, only those they point into
    most are kept, and those that ``keep`` (m, any), in the user's units, already uses. Jacobians
    that are not to count must not ``compress``: f may move where they do not point.
    """
    n_inputs = samples.points.shape[1]
    centre = samples.points.mean(axis=0)
    input_scale = _positive(samples.points.std(axis=0), relative_to=np.abs(centre))
    points = (samples.points - centre) / input_scale
    jacobians = samples.jacobians * input_scale
    output_scale = np.sqrt(np.mean(jacobians**2, axis=(0, 2)))
    still = still_outputs(samples, input_scale)
    jacobians[:, still], output_scale[still] = 0.0, 0.0
    if not np.any(output_scale > 0):
        raise InvalidSamples(
            "every Jacobian is zero and has nothing to decouple: f is constant on these points, or "
            "piece by piece; check f, or choose points where it varies"
        )
    output_scale[output_scale == 0] = 1.0
    output_weights = _output_weights(weights, output_scale.size)
    output_scale = output_scale / output_weights
    jacobians = jacobians / output_scale[:, None]
    lift_V, lift_W = np.diag(1 / input_scale), np.diag(output_scale)
    right = subspace(jacobians.reshape(-1, n_inputs)) if compress else None
    n_directions = n_inputs if right is None else right.shape[1]
    if most_inputs is not None and n_directions > most_inputs:
        kept = None if keep is None else keep * input_scale[:, None]
        right = leading(jacobians.reshape(-1, n_inputs), most_inputs, kept)
    if right is not None:
        points, jacobians, lift_V = points @ right, jacobians @ right, lift_V @ right
    rows = jacobians.transpose(0, 2, 1).reshape(-1, jacobians.shape[1])
    left = subspace(rows) if compress else _moving(still)
    if left is not None:
        jacobians, lift_W = np.einsum("kol,oq->kql", jacobians, left), lift_W @ left
    values, value_map = _scaled_values(samples.values, lift_W, still, output_weights)
    order = nearby_order(points)
    return Problem(
        points[order],
        jacobians[order],
        values[order],
        value_map,
        n_branches,
        _moulds(moulds, n_branches),
        lift_W,
        lift_V,
        centre,
        np.argsort(order),
    )


def _moving(still: Mask) -> Array | None:
    """The outputs that move, as a subspace; None where all of them do."""
    return np.eye(still.size)[:, ~still] if np.any(still) else None


def _scaled_values(
    values: Array, lift_W: Array, still: Mask, weights: Array
) -> tuple[Array, Array]:
    """Values over their spread in the coordinates of the compressed outputs, and W's way there."""
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    factor = np.where(still | (spread == 0), 0.0, weights / np.where(spread > 0, spread, 1.0))
    rotation, value_map = np.linalg.qr(factor[:, None] * lift_W)
    return (centred * factor) @ rotation, value_map


def nearby_order(points: Array) -> Index:
    """Morton order on the (at most six) coordinates that vary most; few points stay as they are."""
    if len(points) <= FEW:
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


def _positive(spread: Array, relative_to: Array) -> Array:
    """Spread of each input; an input that never moves gets a typical one."""
    moving = spread > 1e-12 * relative_to
    if not np.any(moving):
        raise InvalidSamples("all points are the same; choose points that cover a domain")
    typical = float(np.exp(np.mean(np.log(spread[moving]))))
    return np.where(moving, spread, typical)


def _output_weights(weights: Sequence[float] | Array | None, n_outputs: int) -> Array:
    if weights is None:
        return np.ones(n_outputs)
    try:
        array = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (n_outputs,) or not np.all(np.isfinite(array)) or np.any(array <= 0):
        raise InvalidOption(
            f"weights must hold one positive number for each of the {n_outputs} outputs, "
            f"got {weights!r}"
        )
    array = array / array.max()
    if array.min() < LEAST:
        raise InvalidOption(f"weights differ by more than {1 / LEAST:g} times, got {weights!r}")
    return np.asarray(array / np.sqrt(np.mean(array**2)))  # only their ratios count


def _moulds(moulds: Mould | Sequence[Mould] | None, n_branches: int) -> tuple[Mould, ...]:
    if moulds is None or isinstance(moulds, Mould):
        return (moulds or Mould(),) * n_branches
    if not isinstance(moulds, Sequence) or not all(isinstance(m, Mould) for m in moulds):
        raise InvalidOption(f"moulds must be a Mould or one a branch, got {moulds!r}")
    if len(moulds) != n_branches:
        raise InvalidOption(f"{len(moulds)} moulds for {n_branches} branches: give one a branch")
    return tuple(moulds)
