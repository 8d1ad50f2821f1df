"""The branches of a model, one card each: curve, shape, and weights."""

from typing import Any

import numpy as np

from .._typing import Array
from .._util.markup import Markup, tag
from ._branch_view import BranchView
from ._mathml import STORED_VARIABLE
from ._model_view import ModelView
from ._number_format import format_share, format_subscript, set_minus
from ._page_view import Names
from .charts._bars import Weight, weight_bars
from .charts._branch import AXIS_LABEL_LENGTH, branch_chart

MOST_CARDS = 36  # branches that have a card
MOST_BARS = 12  # inputs or outputs of a card that have a bar


def show_branches(view: ModelView) -> Markup:
    """Return one card per branch, in the order of their contributions."""
    branches = view.branches
    cards = [_show_card(view, branch) for branch in branches[:MOST_CARDS]]
    rest = branches[MOST_CARDS:]
    more = f"and {len(rest)} more branches"
    return tag(
        "div",
        tag("div", cards, class_=f"cards count-{min(len(cards), 3)}"),
        tag("p", more, class_="note") if rest else None,
    )


def _show_card(view: ModelView, described: BranchView) -> Markup:
    i, d = described.index, view.function
    direction = described.direction.replace(" - ", " − ")
    if direction.startswith("-"):
        direction = set_minus(direction[0]) + direction[1:]
    z = None if view.z is None or not np.all(np.isfinite(view.z[:, i])) else view.z[:, i]
    subscript = format_subscript(i + 1)
    too_long = len(direction) + 5 > AXIS_LABEL_LENGTH
    shape = described.shape.words
    if shape != "no simple shape":
        shape += f", R² = {described.shape.r2:.4f}"
    effects = d.V[:, i] * (np.ones(d.n_inputs) if d.spread is None else d.spread)
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("h4", f"g{subscript}"),
            tag("span", _write_share(described), class_="share"),
            tag("span", shape, class_="shape"),
        ),
        tag(
            "div",
            branch_chart(d.branches[i], i + 1, direction, z),
            tag("p", f"{STORED_VARIABLE}{subscript}, along {direction}", class_="direction")
            if too_long
            else None,
            class_="picture",
        ),
        tag(
            "div",
            tag("h5", f"effect on {STORED_VARIABLE}: weight times spread of the input"),
            _show_effects(f"effects of the inputs of branch {i + 1}", view.inputs, effects),
            tag("h5", "weight in outputs"),
            _show_effects(f"weights in the outputs of branch {i + 1}", view.outputs, d.W[:, i]),
            class_="weights",
        ),
        class_="card",
    )


def _write_share(described: BranchView) -> str:
    if described.share is None:
        return "in the linear part"
    return f"direction: {format_share(described.share)} of {described.output}"


def _show_effects(title: str, names: Names, effects: Array) -> list[Any]:
    """Return bars for the largest effects, and the number of those left out."""
    lengths = effects / (float(np.abs(effects).max()) or 1.0)
    used = np.flatnonzero(effects)
    order = used[np.argsort(-np.abs(lengths[used]).round(6), kind="stable")][:MOST_BARS]
    bars = [Weight(names.full[k], float(effects[k]), float(lengths[k])) for k in order]
    more = len(used) - len(bars)
    return [
        weight_bars(bars, title),
        tag("p", f"and {more} more", class_="note") if more else None,
    ]
