"""The terms of a model, one card per direction: curves per output, and weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._util.markup import Markup, shorten, tag
from ..model._description import Description
from ..model._direction_text import join_terms
from ..model._panels import BarPanel, ContourPanel, CurvePanel, Panel, title_panel
from ..model._term_plots import find_vertical_ranges
from ._model_view import ModelView
from ._number_format import format_subscript
from .charts._bars import Weight, weight_bars
from .charts._terms import contour_chart, curve_chart

MOST_TERM_BARS = 12  # inputs of a card that have a bar
MIN_BAR_WEIGHT = 0.05  # of the largest: inputs with less have no bar
TERM_LABEL_LENGTH = 40  # characters of a label of an axis
MOST_HEADING_LETTERS = 80
Limits = dict[str, tuple[float, float]]


def show_terms(view: ModelView) -> Markup:
    """Return one card per direction or interaction, the largest share first."""
    limits = find_vertical_ranges(view.panels)
    groups: dict[Any, list[Panel]] = {}
    for panel in view.panels:
        linear = isinstance(panel, BarPanel) or not panel.directions
        key = ("linear", panel.output) if linear else panel.directions  # type: ignore[union-attr]
        groups.setdefault(key, []).append(panel)
    cards = [
        _show_linear(view, panels) if key[0] == "linear" else _show_card(view, panels, limits)
        for key, panels in groups.items()
    ]
    more = f"and {view.n_panels_left_out} smaller terms" if view.n_panels_left_out else ""
    return tag(
        "div",
        tag("div", cards, class_=f"cards count-{min(len(cards), 3)}"),
        tag("p", more, class_="note") if more else None,
    )


def _show_card(view: ModelView, panels: Sequence[Panel], limits: Limits) -> Markup:
    """Return the charts of a direction, or of directions that are read together."""
    first = panels[0]
    assert not isinstance(first, BarPanel)
    return tag(
        "figure",
        tag("figcaption", tag("h4", _name_card(view.description, first.directions))),
        [_show_chart(panel, limits) for panel in panels],
        tag(
            "div",
            [_show_weights(view.description, d) for d in first.directions],
            class_="weights",
        ),
        class_="card term",
    )


def _name_card(description: Description, directions: Sequence[int]) -> str:
    """Return the inputs of an interaction, or the direction as a sum, or its number."""
    if len(directions) > 1:
        used = {
            name
            for d in directions
            for name, weight in description.directions[d].weights.items()
            if abs(weight) >= MIN_BAR_WEIGHT
        }
        names = [name for name in description.inputs if name in used]
        return shorten(join_terms(names), MOST_HEADING_LETTERS)
    text = description.directions[directions[0]].text
    return text if len(text) <= TERM_LABEL_LENGTH else f"z{format_subscript(directions[0] + 1)}"


def _show_chart(panel: Panel, limits: Limits) -> Markup:
    assert not isinstance(panel, BarPanel)
    caption = tag("p", tag("b", title_panel(panel)), class_="shape")
    if isinstance(panel, ContourPanel):
        a, b = (_shorten_axis(axis) for axis in panel.axes)
        return tag("div", caption, contour_chart(panel, (a, b)), class_="picture")
    labels = _shorten_axis(_axis_of(panel)), _shorten_axis(panel.output)
    chart = curve_chart(panel, limits[panel.output], labels)
    return tag("div", caption, chart, class_="picture")


def _axis_of(panel: CurvePanel) -> str:
    """Return the axis, or the number of z if its sum is too long."""
    if len(panel.axis) <= TERM_LABEL_LENGTH:
        return panel.axis
    return f"z{format_subscript(panel.directions[0] + 1)} (standardised)"


def _shorten_axis(label: str) -> str:
    return label if len(label) <= TERM_LABEL_LENGTH else f"{label[: TERM_LABEL_LENGTH - 1]}…"


def _show_weights(description: Description, d: int) -> list[Any]:
    """Return the weights of the inputs in a direction, if there are several."""
    weights = description.directions[d].weights
    largest = max(abs(weight) for weight in weights.values())
    kept = [(name, w) for name, w in weights.items() if abs(w) >= MIN_BAR_WEIGHT * largest]
    if len(kept) < 2:
        return []
    bars = [Weight(name, w, w / largest) for name, w in kept[:MOST_TERM_BARS]]
    more = len(weights) - len(bars)
    number = f"z{format_subscript(d + 1)}"
    return [
        tag("h5", f"{number}: weights of the standardised inputs"),
        weight_bars(bars, f"weights of the inputs in {number}"),
        tag("p", f"and {more} smaller", class_="note") if more else None,
    ]


def _show_linear(view: ModelView, panels: Sequence[Panel]) -> Markup:
    """Return the linear terms of an output as bars, labelled with slopes."""
    effects: dict[str, tuple[float, float]] = {}
    for panel in panels:
        if isinstance(panel, BarPanel):
            pairs = zip(panel.effects.tolist(), panel.slopes.tolist(), strict=True)
            effects.update(zip(panel.names, pairs, strict=True))
        elif isinstance(panel, CurvePanel):
            slope = float((panel.y[-1] - panel.y[0]) / (panel.x[-1] - panel.x[0]))
            effects[panel.axis] = (slope * float(np.std(panel.data)), slope)
    largest = max((abs(effect) for effect, _ in effects.values()), default=1.0) or 1.0
    bars = [Weight(name, slope, e / largest) for name, (e, slope) in effects.items()]
    output = panels[0].output
    shares = [title_panel(panel) for panel in panels]
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("h4", f"Linear in {output}" if len(view.outputs.short) > 1 else "Linear"),
        ),
        tag("p", tag("b", shares[0] if len(shares) == 1 else "; ".join(shares)), class_="shape"),
        tag(
            "div",
            tag("h5", "slopes; bars: slope times spread of the input"),
            weight_bars(bars[:MOST_TERM_BARS], f"linear effects on {output}"),
            class_="weights",
        ),
        class_="card term",
    )
