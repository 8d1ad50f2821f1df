"""The equations of a model: outputs, directions, branches."""

from __future__ import annotations

import numpy as np

from .._typing import Array
from ._markup import Markup, tag
from ._mathml import branch_formula, call, equations, parenthesised, row, subscript, symbol
from ._mathml import weighted_sum as weighted
from ._views import ModelView

MOST_OUTPUTS, MOST_INPUTS = 12, 12  # of equations, and of terms in a z
Line = tuple[Markup, str, Markup]


def formula(view: ModelView) -> Markup:
    """All equations in a box that scrolls by itself, and what they leave out."""
    branches = _branches(view)
    lines = [*_outputs(view), *_directions(view), *branches]
    around = {"class_": "scroll math", "tabindex": "0", "role": "group"}
    box = tag("div", equations(lines), aria_label="the formula", **around)
    return tag("div", box, tag("p", _left_out(view, branches), class_="note"))


def _left_out(view: ModelView, branches: list[Line]) -> str:
    """What a reader of the equations has to know."""
    parts = []
    more = view.function.n_outputs - MOST_OUTPUTS
    if more > 0:
        parts.append(f"And {more} more outputs.")
    if any(sign == "≈" for _, sign, _ in branches):
        parts.append("g ≈ is the plain shape nearest to a branch of many pieces or terms.")
    ways = {branch.extrapolate for branch in view.function.branches}
    if "linear" in ways:
        parts.append("Some way beyond the data the branches go on straight.")
    if "nan" in ways:
        parts.append("Beyond the data the branches are not defined.")
    return " ".join(parts)


def _outputs(view: ModelView) -> list[Line]:
    d = view.function
    lines = []
    for o, name in enumerate(view.outputs.short[:MOST_OUTPUTS]):
        terms: list[tuple[float, Markup | None]] = [(float(d.offset[o]), None)]
        terms += [(float(d.W[o, i]), call(i + 1)) for i in range(d.n_branches)]
        lines.append((symbol(name), "≈", weighted(terms)))
    return lines


def _directions(view: ModelView) -> list[Line]:
    """Every z by its heaviest inputs, in the order these come."""
    d = view.function
    spread = np.ones(d.n_inputs) if d.spread is None else d.spread
    lines = []
    for i, direction in enumerate(d.V.T):
        chosen = _heaviest(np.abs(direction) * spread)
        terms = [(float(direction[l]), symbol(view.inputs.short[l])) for l in chosen]
        lines.append((subscript("z", i + 1), "=", weighted(terms, d.n_inputs - len(chosen))))
    return lines


def _heaviest(weight: Array) -> list[int]:
    return sorted(np.argsort(-weight, kind="stable")[:MOST_INPUTS].tolist())


def _branches(view: ModelView) -> list[Line]:
    lines = []
    for b in sorted(view.description.branches, key=lambda b: b.index):
        left = row(subscript("g", b.index + 1), *parenthesised(tag("mi", "z")))
        branch = view.function.branches[b.index]
        lines.append((left, *branch_formula(branch, b.shape.formula)))
    return lines
