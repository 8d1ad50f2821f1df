"""The terms of a model, one card per direction: curves per output, and weights."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._util.markup import Markup, shorten, tag
from ..model._description import DescribedTerm, Description
from ..model._description_text import MIN_TABLE_SHARE
from ..model._direction_text import format_percent, join_terms
from ..model._panels import BarPanel, ContourPanel, CurvePanel, Panel, title_panel
from ..model._term_plots import find_vertical_ranges
from ._model_view import ModelView
from ._number_format import format_number, format_subscript
from .charts._bars import Weight, weight_bars
from .charts._terms import contour_chart, curve_chart

MOST_TERM_BARS = 12  # inputs of a card that have a bar
FEW_BARS = 6  # inputs of which all have a bar
MIN_BAR_WEIGHT = 0.05  # of the largest: of more inputs, those with less have no bar
MOST_SMALL_TERMS = 6  # terms without a card that are named
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
    more = _list_small_terms(view)
    return tag(
        "div",
        tag("div", cards, class_=f"cards count-{min(len(cards), 3)}"),
        tag("p", more, class_="note small-terms") if more else None,
    )


def _list_small_terms(view: ModelView) -> str:
    """Return the terms that have no card, with their shares."""
    small = [
        (term.share, f"{join_terms(term.inputs)} in {output} ({format_percent(term.share)})")
        for output, terms in view.description.terms.items()
        for term in terms
        if term.share >= MIN_TABLE_SHARE
        and not any(p.output == output and _shows_term(p, term) for p in view.panels)
    ]
    small.sort(key=lambda pair: -round(pair[0], 9))
    if not small:
        return f"and {view.n_panels_left_out} smaller terms" if view.n_panels_left_out else ""
    more = len(small) - MOST_SMALL_TERMS
    names = [text for _, text in small[:MOST_SMALL_TERMS]] + [f"{more} more"] * (more > 0)
    return f"Terms without a card, as they are small: {join_terms(names)}."


def _shows_term(panel: Panel, term: DescribedTerm) -> bool:
    """Whether a panel of its output shows a term."""
    if isinstance(panel, BarPanel):
        return not term.directions
    if not term.directions:
        return isinstance(panel, CurvePanel) and panel.axis == term.inputs[0]
    return bool(set(panel.directions) & set(term.directions))


def _show_card(view: ModelView, panels: Sequence[Panel], limits: Limits) -> Markup:
    """Return the charts of a direction, or of directions that are read together."""
    first = panels[0]
    assert not isinstance(first, BarPanel)
    panels = sorted(panels, key=lambda panel: view.outputs.short.index(panel.output))
    return tag(
        "figure",
        tag("figcaption", tag("h4", _name_card(view.description, first.directions))),
        tag("div", [_show_chart(panel, limits) for panel in panels], class_="pictures"),
        tag(
            "div",
            [
                tag("div", weights)
                for d in first.directions
                if (weights := _show_weights(view.description, d, len(first.directions)))
            ],
            class_="weights",
        ),
        class_="card term wide" if len(panels) > 1 else "card term",
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
        chart = contour_chart(panel, (a, b), _name_contribution(panel.output))
        return tag("div", caption, chart, class_="picture", **_name_place(panel))
    labels = _shorten_axis(_axis_of(panel)), _name_contribution(panel.output)
    chart = curve_chart(panel, limits[panel.output], labels)
    return tag("div", caption, chart, class_="picture", **_name_place(panel))


def _name_contribution(output: str) -> str:
    """Return what the vertical axis shows, if there is room."""
    text = f"contribution to {output}"
    return text if len(text) <= TERM_LABEL_LENGTH else _shorten_axis(output)


def _name_place(panel: CurvePanel | ContourPanel) -> dict[str, str]:
    """Return output and axes, by which models are compared chart by chart."""
    axes = " and ".join(panel.axes) if isinstance(panel, ContourPanel) else panel.axis
    return {"data_output": shorten(panel.output, 200), "data_axis": shorten(axes, 400)}


def _axis_of(panel: CurvePanel) -> str:
    """Return the axis, or the number of z if its sum is too long."""
    if len(panel.axis) <= TERM_LABEL_LENGTH:
        return panel.axis
    return f"z{format_subscript(panel.directions[0] + 1)} (standardised)"


def _shorten_axis(label: str) -> str:
    return label if len(label) <= TERM_LABEL_LENGTH else f"{label[: TERM_LABEL_LENGTH - 1]}…"


def _show_weights(description: Description, d: int, n_directions: int) -> list[Any]:
    """Return the weights of the inputs in a direction, if there are several.

    A direction of one input is named where the card has others.
    """
    weights = description.directions[d].weights
    number = f"z{format_subscript(d + 1)}"
    kept = [name for name, weight in weights.items() if matters(weight, weights)]
    if len(kept) < 2:
        text = f"{number}: {kept[0]} alone, standardised"
        return [tag("h5", text, class_="whole")] if n_directions > 1 else []
    return [
        tag("h5", f"{number}: weights of the standardised inputs"),
        *draw_weights(weights, f"weights of the inputs in {number}"),
    ]


def matters(weight: float, weights: Mapping[str, float]) -> bool:
    """Whether a weight is not small beside the largest."""
    return abs(weight) >= MIN_BAR_WEIGHT * max(map(abs, weights.values()))


def draw_weights(weights: Mapping[str, float], title: str) -> list[Any]:
    """Return bars of all weights if they are few, else of those that matter."""
    largest = max(map(abs, weights.values())) or 1.0
    few = len(weights) <= FEW_BARS
    kept = [(name, w) for name, w in weights.items() if few or matters(w, weights)]
    bars = [Weight(name, w, w / largest) for name, w in kept[:MOST_TERM_BARS]]
    more = len(weights) - len(bars)
    rest = max((abs(w) for name, w in weights.items() if name not in dict(kept)), default=0.0)
    if len(kept) > len(bars):
        rest = max(rest, max(abs(w) for _, w in kept[len(bars) :]))
    text = f"and {more} more, of at most ±{format_number(rest, 2)}"
    return [weight_bars(bars, title), tag("p", text, class_="note") if more else None]


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
    bars = [
        Weight(name, e, e / largest, f", slope {format_number(slope, 4)}:")
        for name, (e, slope) in effects.items()
    ]
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
            tag("h5", "effect: slope times spread of the input"),
            weight_bars(bars[:MOST_TERM_BARS], f"linear effects on {output}"),
            class_="weights",
        ),
        class_="card term",
    )
