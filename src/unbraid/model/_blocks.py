"""Interactions over a plane: its axes, and the sum of their curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._typing import Array
from ._direction_text import format_direction
from ._interactions import find_factors

if TYPE_CHECKING:
    from ._description import DescribedTerm, Description


def find_block_axes(description: Description, term: DescribedTerm) -> list[Array] | None:
    """Two vectors (m,) in standardised inputs over which a block is drawn.

    They are the inputs of a block of two, and factors of the plane of two directions; None for
    other blocks.
    """
    form = description.form
    columns = [description.inputs.index(name) for name in term.inputs]
    factors = list(np.eye(2))
    if len(columns) > 2:
        factors = find_factors(form.directions[list(term.directions)][:, columns])[:2]
    if len(factors) < 2:
        return None
    axes = []
    for factor in factors:
        vector = np.zeros(len(form.mean))
        vector[columns] = factor
        axes.append(vector)
    return axes


def evaluate_block(description: Description, output: str, term: DescribedTerm, x: Array) -> Array:
    """The sum of all curves of a block at standardised inputs (N, m)."""
    form, o = description.form, description.outputs.index(output)
    values = x @ term.line
    for d in term.directions:
        z = x @ form.directions[d]
        slope = description.directions[d].slopes.get(output, 0.0)
        values = values + form.curves[d][o](z) + slope * z
    return np.asarray(values)


def scale_axis(description: Description, axis: Array) -> tuple[str, float, float]:
    """Label, start and step of an axis: own units along a single input."""
    form = description.form
    used = np.flatnonzero(axis)
    if len(used) == 1:
        l = int(used[0])
        return description.inputs[l], float(form.mean[l]), float(form.spread[l])
    weights = {description.inputs[l]: float(axis[l]) for l in used}
    return f"{format_direction(weights)} (standardised)", 0.0, 1.0
