"""The curves of a state-space model in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .._typing import Array
from ..model._direction_text import format_direction
from ..model._function import DecoupledFunction
from ..model._labels import NO_SHAPE, ShapeLabel
from ..model._shapes import nearest_curved_shape

GRID_NODES = 201  # of a branch without data
MIN_WEIGHT = 1e-9  # of a direction: smaller entries are zeros


@dataclass(frozen=True, eq=False)
class StateCurve:
    """One branch: a curve g of z, a sum of standardised states and inputs.

    Attributes
    ----------
    number : int
        From 1 on, as in ``model.function``.
    weights : dict
        Entries of z by state and input, each over its spread, the largest first; unit length.
    label : str
        The shape of the curve up to a linear part, which belongs to A, B, C and D; with ``r2`` and
        ``formula`` of z and g of zero mean and unit spread.
    z, g : (N,)
        The curve at the data, of zero mean and unit spread; z is sorted.
    """

    number: int
    weights: Mapping[str, float]
    label: ShapeLabel
    z: Array = field(repr=False)
    g: Array = field(repr=False)

    @property
    def text(self) -> str:
        """z in the states and inputs that matter."""
        return format_direction(self.weights)

    @property
    def name(self) -> str:
        """The kind of curve."""
        if self.label in ("bump", "kink", "power"):
            return str(self.label)
        return "nonlinear curve" if self.label == NO_SHAPE else f"{self.label} curve"

    @property
    def phrase(self) -> str:
        """The kind of curve, and what it is a curve of."""
        word = "along" if self.label in ("bump", "kink") else "of"
        return f"{self.name} {word} z{self.number} = {self.text}"

    @property
    def sentence(self) -> str:
        """The formula, if the curve has a simple shape."""
        if self.label.formula is None:
            return ""
        n = self.number
        formula = self.label.formula.replace("z", f"z{n}")
        return (
            f"Curve {n} is {formula} plus a line (R² = {self.label.r2:.4f}), z{n} and the curve "
            f"with zero mean and unit spread."
        )


def describe_curves(d: DecoupledFunction, names: Sequence[str]) -> tuple[StateCurve, ...]:
    """The branches at the data; on a grid if the function keeps no points."""
    spread = np.ones(d.n_inputs) if d.spread is None else d.spread
    return tuple(_describe_curve(d, i, spread, names) for i in range(d.n_branches))


def _describe_curve(
    d: DecoupledFunction, index: int, spread: Array, names: Sequence[str]
) -> StateCurve:
    branch = d.branches[index]
    if d.points is None:
        z = np.linspace(*branch.interval, GRID_NODES)
    else:
        z = np.sort(d.points @ d.V[:, index])
    g = branch(z)
    z, g = (_standardise(x) for x in (z, g))
    entries = d.V[:, index] * spread
    entries = entries / (np.linalg.norm(entries) or 1.0)
    order = np.argsort(-np.abs(entries).round(9), kind="stable")
    weights = {names[l]: float(entries[l]) for l in order if abs(entries[l]) > MIN_WEIGHT}
    weights = weights or {names[0]: 0.0}
    return StateCurve(index + 1, weights, ShapeLabel(nearest_curved_shape(z, g)), z, g)


def _standardise(x: Array) -> Array:
    return np.asarray((x - x.mean()) / (x.std() or 1.0))
