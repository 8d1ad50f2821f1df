"""Panels of a linear model plus curved remainders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ._linear_model import format_remainder
from ._panels import MAX_PANELS, PANEL_NODES, BarPanel, CurvePanel, Panel, show_along_input

if TYPE_CHECKING:
    from ._description import Description

MAX_BARS = 16  # inputs of a linear part that are shown
MIN_REMAINDER_SIZE = 1e-3  # standard deviation over that of an output: smaller have no panel


def list_linear_panels(
    description: Description, outputs: Sequence[str] | None = None
) -> tuple[list[Panel], int]:
    """Per output the linear part, then the remainders; and how many are left out."""
    model = description.linear_model
    assert model is not None
    panels: list[Panel] = []
    for output in model.shares:
        if outputs is None or output in outputs:
            panels.append(_linear_panel(description, output))
            panels += [
                _remainder_panel(description, output, d, share)
                for d, share in model.remainders[output]
                if share >= MIN_REMAINDER_SIZE**2
            ]
    return panels[:MAX_PANELS], max(len(panels) - MAX_PANELS, 0)


def _linear_panel(description: Description, output: str) -> BarPanel:
    """The linear effect of every input: its slope times its spread."""
    form, o = description.form, description.outputs.index(output)
    effects = form.linear[o] * form.spread
    kept = np.argsort(-np.abs(effects).round(12), kind="stable")[:MAX_BARS]
    kept = np.sort(kept)
    names = tuple(description.inputs[l] for l in kept)
    assert description.linear_model is not None
    share = description.linear_model.shares[output]
    return BarPanel(output, share, "linear part", names, effects[kept], form.linear[o, kept])


def _remainder_panel(description: Description, output: str, d: int, share: float) -> CurvePanel:
    o = description.outputs.index(output)
    direction, curve = description.directions[d], description.form.curves[d][o]
    z = np.linspace(direction.z.min(), direction.z.max(), PANEL_NODES)
    assert description.linear_model is not None
    panel = CurvePanel(
        output,
        share,
        f"{description.linear_model.labels[d][output]} remainder",
        f"{direction.text} (standardised)",
        z,
        curve(z),
        direction.z,
        curve.band(z),
        directions=(d,),
        share_text=format_remainder(share),
    )
    if len(direction.weights) > 1:
        return panel
    return show_along_input(description, panel, next(iter(direction.weights)))
