"""The canonical form: a linear part, and curves along standardised directions.

``f_o(p) = c_o + (L p)_o + sum_d h_od(z_d)`` with ``z_d = sum_l a_dl (p_l - mean_l) / spread_l``.
Every ``a_d`` has unit length, and its largest entry is positive. Over the points, every ``h_od``
has zero mean and zero slope. It is the decoupled function itself, to rounding, as long as inputs
that are constant at the points keep their value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from ._branch import Branch

CONSTANT_SPREAD = 1e-12  # of the size of an input: below it, the input is constant
PARALLEL_ANGLE = 1e-6  # radians, between directions that are one
LINEAR_REST = 1e-10  # of the spread of an output: the rest of a linear branch
ROUNDING_SIZE = 1e-13  # of the size of the parts of an output


@dataclass(frozen=True, eq=False)
class DirectionCurve:
    """One curve h of z: weighted branches along a direction, less a straight line.

    The argument of a branch is ``starts + scales * z``.
    """

    branches: tuple[Branch, ...]
    weights: Array
    starts: Array
    scales: Array
    level: float
    slope: float

    def __call__(self, z: Any) -> Array:
        """h(z), of the shape of z."""
        z = np.asarray(z, dtype=float)
        total = sum((w * b(start + scale * z) for b, w, start, scale in self._parts()), 0.0 * z)
        return np.asarray(total - self.level - self.slope * z)

    def derivative(self, z: Any) -> Array:
        """h'(z)."""
        z = np.asarray(z, dtype=float)
        parts = (
            w * scale * b.derivative(start + scale * z) for b, w, start, scale in self._parts()
        )
        return np.asarray(sum(parts, 0.0 * z) - self.slope)

    def band(self, z: Any) -> Array | None:
        """Twice the standard error along z; None where a branch has none."""
        z = np.asarray(z, dtype=float)
        square = 0.0 * z
        for branch, weight, start, scale in self._parts():
            if weight == 0:
                continue
            if branch.band is None:
                return None
            square = square + (weight * np.interp(start + scale * z, *branch.band.T)) ** 2
        return np.asarray(np.sqrt(square))

    def _parts(self) -> list[tuple[Branch, float, float, float]]:
        numbers = (self.weights.tolist(), self.starts.tolist(), self.scales.tolist())
        return list(zip(self.branches, *numbers, strict=True))


@dataclass(frozen=True, eq=False)
class CanonicalForm:
    """The decoupled function as offset, linear part and curves along directions.

    Attributes
    ----------
    mean, spread : (m,)
        Of the inputs at the points; a spread of 0 marks a constant input.
    offset : (n,), linear : (n, m)
        In the units of the outputs and inputs.
    directions : (D, m)
        Standardised, of unit length.
    members : tuple of tuple of int
        The branches along every direction.
    curves : tuple of tuple of DirectionCurve
        ``curves[d][o]``.
    """

    mean: Array
    spread: Array
    offset: Array
    linear: Array
    directions: Array
    members: tuple[tuple[int, ...], ...]
    curves: tuple[tuple[DirectionCurve, ...], ...]

    def standardise(self, points: Array) -> Array:
        """Inputs less their mean, over their spread; 0 for constant inputs."""
        return standardise(points, self.mean, self.spread)

    def __call__(self, points: Any) -> Array:
        """Values (N, n)."""
        table = np.asarray(points, dtype=float)
        z = self.standardise(table) @ self.directions.T
        total = self.offset + table @ self.linear.T
        for d, curves in enumerate(self.curves):
            total = total + np.stack([curve(z[:, d]) for curve in curves], axis=1)
        return np.asarray(total)


def standardise(points: Array, mean: Array, spread: Array) -> Array:
    """Inputs less their mean, over their spread; 0 where the spread is 0."""
    varies = spread > 0
    return np.asarray(np.where(varies, points - mean, 0.0) / np.where(varies, spread, 1.0))


def make_canonical_form(
    W: Array, V: Array, branches: Sequence[Branch], offset: Array, points: Array
) -> CanonicalForm:
    """The canonical form of ``W g(V' p) + offset`` over the points (N, m).

    >>> from unbraid.bases import Polynomial
    >>> from unbraid.model._branch_fit import fit_branch
    >>> p = np.linspace(-1.0, 3.0, 9)[:, None]
    >>> square = fit_branch(Polynomial(2), p[:, 0], p[:, 0] ** 2)
    >>> form = make_canonical_form(np.eye(1), np.eye(1), [square], np.zeros(1), p)
    >>> form.linear.round(9).tolist(), form.directions.tolist(), form.members
    ([[2.0]], [[1.0]], ((0,),))
    """
    mean, spread = points.mean(axis=0), points.std(axis=0)
    spread = np.where(spread > CONSTANT_SPREAD * np.abs(points).max(axis=0), spread, 0.0)
    x = standardise(points, mean, spread)
    starts, scales, units = _standardise_directions(V, mean, spread)
    total = np.array(offset, dtype=float)
    slopes = np.zeros((len(W), len(V)))
    kept: list[tuple[Array, tuple[int, ...], tuple[DirectionCurve, ...]]] = []
    arguments = [starts[i] + scales[i] * (x @ units[i]) for i in range(len(branches))]
    values = np.stack([b(z) for b, z in zip(branches, arguments, strict=True)], axis=1)
    size = np.abs(W) @ np.abs(values).max(axis=0)
    tolerance = LINEAR_REST * (values @ W.T).std(axis=0) + ROUNDING_SIZE * size
    for members in _join_parallel(units, scales):
        rows = list(members)
        parts = values[:, rows] @ W[:, rows].T
        if not np.any(scales[rows]):  # the inputs of these branches do not vary
            total += parts.mean(axis=0)
            continue
        unit = units[rows[0]]
        level, slope, rest = _fit_lines(x @ unit, parts)
        total += level
        slopes += np.outer(slope, unit)
        if np.any(np.abs(rest).max(axis=0) > tolerance):
            own = tuple(branches[i] for i in rows)
            curves = tuple(
                DirectionCurve(own, W[o, rows], starts[rows], scales[rows], level[o], slope[o])
                for o in range(len(W))
            )
            kept.append((unit, members, curves))
    linear = slopes * np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
    return CanonicalForm(
        mean,
        spread,
        total - linear @ mean,
        linear,
        np.array([unit for unit, _, _ in kept]).reshape(len(kept), len(V)),
        tuple(members for _, members, _ in kept),
        tuple(curves for _, _, curves in kept),
    )


def _standardise_directions(V: Array, mean: Array, spread: Array) -> tuple[Array, Array, Array]:
    """Start and scale of every branch's argument, and unit directions (r, m).

    The scale is 0 where the argument does not vary.
    """
    starts = mean @ V
    scaled = (V * spread[:, None]).T
    lengths = np.linalg.norm(scaled, axis=1)
    lengths = np.where(lengths > CONSTANT_SPREAD * np.abs(V).T @ np.abs(mean), lengths, 0.0)
    units = scaled / np.where(lengths > 0, lengths, 1.0)[:, None]
    largest = np.abs(units).round(6).argmax(axis=1)  # the first of equal ones
    sign = np.where(units[np.arange(len(units)), largest] < 0, -1.0, 1.0)
    return starts, lengths * sign, units * sign[:, None]


def _join_parallel(units: Array, scales: Array) -> list[tuple[int, ...]]:
    """Branches along one direction, in the order of the first of them."""
    groups: list[list[int]] = []
    for i, unit in enumerate(units):
        for group in groups:
            both = (scales[i] != 0) == (scales[group[0]] != 0)
            if both and np.linalg.norm(unit - units[group[0]]) < PARALLEL_ANGLE:
                group.append(i)
                break
        else:
            groups.append([i])
    return [tuple(group) for group in groups]


def _fit_lines(z: Array, parts: Array) -> tuple[Array, Array, Array]:
    """Level and slope of every column over z, and what remains."""
    level = parts.mean(axis=0)
    square = float(z @ z)
    moves = square > 0 and np.ptp(z) > CONSTANT_SPREAD
    slope = z @ (parts - level) / square if moves else np.zeros_like(level)
    return level, slope, parts - level - np.outer(z, slope)
