"""What a page shows of every branch: its direction, its share and its shape."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..model._description import Description
from ..model._direction_text import format_direction
from ..model._function import DecoupledFunction
from ..model._shapes import Shape, nearest_shape

SHAPE_NODES = 101  # values of z at which the shape of a branch is found


@dataclass(frozen=True)
class BranchView:
    """One branch of a page.

    ``share`` and ``output`` are the largest share of its direction in an output that the branch
    has a part in; None for a linear branch.
    """

    index: int
    direction: str
    shape: Shape
    share: float | None
    output: str


def view_branches(
    d: DecoupledFunction, description: Description, names: Sequence[str]
) -> tuple[BranchView, ...]:
    """Return the branches, those of the most important direction first."""
    places = {i: part for part in description.directions for i in part.branches}
    ranks = {i: rank for rank, i in enumerate(places)}
    spread = description.form.spread
    found = []
    for i, branch in enumerate(d.branches):
        z = np.linspace(*branch.interval, SHAPE_NODES)
        share, output = None, ""
        entries = d.V[:, i] * spread
        text = "0" if not entries.any() else _format_entries(entries, names)
        if i in places and places[i].shares:
            own = {name for name, w in zip(description.outputs, d.W[:, i], strict=True) if w != 0}
            shares = {name: part for name, part in places[i].shares.items() if name in own}
        else:
            shares = {}
        if shares:
            output = max(shares, key=lambda name: shares[name])
            share = shares[output]
        found.append(BranchView(i, text, nearest_shape(z, branch(z)), share, output))
    return tuple(sorted(found, key=lambda view: ranks.get(view.index, len(ranks))))


def _format_entries(entries: Array, names: Sequence[str]) -> str:
    unit = entries / np.linalg.norm(entries)
    return format_direction(dict(zip(names, unit.tolist(), strict=True)))
