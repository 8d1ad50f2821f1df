"""The branches of a model, one card each: curve, shape, and what weighs how much."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Array
from ..model._description import BranchDescription
from ._markup import Markup, tag
from ._numbers import index as lowered
from ._numbers import share
from ._views import ModelView
from .charts._bars import Weight, weight_bars
from .charts._branch import LONGEST, branch_chart

MOST_CARDS, MOST_BARS = 36, 12


def branch_cards(view: ModelView) -> Markup:
    """The branches, those that contribute most first."""
    found = view.description.branches
    cards = [_card(view, branch) for branch in found[:MOST_CARDS]]
    rest = found[MOST_CARDS:]
    worth = share(sum(branch.share for branch in rest))
    more = f"and {len(rest)} more branches, {worth} of the variance together" if rest else ""
    return tag(
        "div",
        tag("div", cards, class_=f"cards count-{min(len(cards), 3)}"),
        tag("p", more, class_="note") if rest else None,
    )


def _card(view: ModelView, described: BranchDescription) -> Markup:
    i = described.index
    direction = described.direction.replace(" - ", " − ")
    direction = "−" + direction[1:] if direction.startswith("-") else direction
    z = None if view.z is None else view.z[:, i]
    z = None if z is None or not np.all(np.isfinite(z)) else z
    name = f"g{lowered(i + 1)}"
    long = len(direction) + 5 > LONGEST
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("h4", name),
            tag("span", f"{share(described.share)} of the variance", class_="share"),
            tag("span", _shape(described), class_="shape"),
        ),
        tag(
            "div",
            branch_chart(view.function.branches[i], i + 1, direction, z),
            tag("p", f"z{lowered(i + 1)} = {direction}", class_="direction") if long else None,
            class_="picture",
        ),
        tag("div", _inputs(view, i), _outputs(view, i), class_="weights"),
        class_="card",
    )


def _shape(described: BranchDescription) -> str:
    """The plain shape, and how well the curve has it."""
    words = described.shape.words
    return words if words == "no simple shape" else f"{words}, R² = {described.shape.r2:.4f}"


def _inputs(view: ModelView, i: int) -> list[Any]:
    """Entries of V; the length of a bar is what the input moves."""
    d = view.function
    entries = d.V[:, i]
    effect = entries * (np.ones(d.n_inputs) if d.spread is None else d.spread)
    largest = float(np.abs(effect).max()) or 1.0
    return _bars("inputs in z", "input", view.inputs.full, entries, effect / largest, i)


def _outputs(view: ModelView, i: int) -> list[Any]:
    entries = view.function.W[:, i]
    largest = float(np.abs(entries).max()) or 1.0
    return _bars("weight in outputs", "output", view.outputs.full, entries, entries / largest, i)


def _bars(
    title: str, what: str, names: tuple[str, ...], entries: Array, lengths: Array, i: int
) -> list[Any]:
    """The longest bars; the others are counted."""
    order = np.argsort(-np.abs(lengths).round(6), kind="stable")
    shown = [Weight(names[k], float(entries[k]), float(lengths[k])) for k in order[:MOST_BARS]]
    more = len(names) - len(shown)
    return [
        tag("h5", title),
        weight_bars(shown, f"weights of the {what}s of branch {i + 1}"),
        tag("p", f"and {more} more", class_="note") if more else None,
    ]
