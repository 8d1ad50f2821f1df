"""The static characteristic of a state-space model on the page."""

import numpy as np

from .._util.markup import Markup, tag
from ..errors import UnbraidError
from ..statespace._operating_points import find_linear_characteristic
from ._provenance_section import show_section
from ._state_view import StateView
from .charts._static import static_chart

MOST_STATIC_CHARTS = 4  # pairs of input and output whose characteristic is drawn


def show_static_characteristic(view: StateView) -> Markup | None:
    """Return outputs at rest over the inputs; None without branches or steady states."""
    charts = _draw_characteristics(view) if view.model.n_branches else []
    if not charts:
        return None
    note = (
        "The output after an input has been constant for a long time, over the range of the "
        "training data; other inputs are at their means. Dashed: the linear part, a line through "
        "the means. Gaps: no stable steady state. The slope is the static gain."
    )
    levels = [
        tag("p", f"{level.format(view.outputs.short, view.model.sampling_time)}.", class_="note")
        for level in view.description.operating_levels
    ]
    box = tag("div", charts, class_="two linear")
    return show_section("Output at rest", tag("p", note, class_="note"), box, *levels)


def _draw_characteristics(view: StateView) -> list[Markup]:
    charts: list[Markup] = []
    for channel, name in enumerate(view.inputs.short[:MOST_STATIC_CHARTS]):
        try:
            u, y = view.model.static_characteristic(channel=channel)
            linear = find_linear_characteristic(view.model, u, channel)
        except UnbraidError:  # no training data, a function that refuses states
            return []
        for o, output in enumerate(view.outputs.short):
            if len(charts) < MOST_STATIC_CHARTS and np.isfinite(y[:, o]).any():
                line = None if linear is None else linear[:, o]
                title = f"output at rest, {name} to {output}"
                charts.append(static_chart(u, y[:, o], line, (name, output), title))
    return charts
