"""What the plots of a function show: one panel per term that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .._typing import Array
from ._canonical_form import DirectionCurve
from ._description_text import label_term
from ._direction_text import format_percent

if TYPE_CHECKING:
    from ._description import DescribedTerm, Description

MIN_PANEL_SHARE = 5e-3  # of an output: smaller terms have no panel
PANEL_NODES = 300  # of a curve
CONTOUR_NODES = 60  # per axis
IN_BLOCK = "in an interaction"


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """A curve along z with its linear part, in the units that are shown.

    ``marks`` (K, 2) are the estimate at the data, ``band`` (M,) is twice the standard error.
    """

    output: str
    share: float
    label: str
    axis: str
    x: Array
    y: Array
    data: Array
    band: Array | None = None
    marks: Array | None = None


@dataclass(frozen=True, eq=False)
class ContourPanel:
    """An interaction of two inputs: values (K, K) over a grid of their own units."""

    output: str
    share: float
    label: str
    axes: tuple[str, str]
    x: Array
    y: Array
    values: Array
    data: Array


Panel = CurvePanel | ContourPanel


def list_panels(
    description: Description, points: Array, outputs: Sequence[str] | None = None
) -> list[Panel]:
    """Panels of the outputs that are shown, the largest share first."""
    panels: list[Panel] = []
    for output, terms in description.terms.items():
        if outputs is None or output in outputs:
            for term in terms:
                if term.share >= MIN_PANEL_SHARE:
                    panels += _panels_of_term(description, points, output, term)
    return sorted(panels, key=lambda panel: -round(panel.share, 6))


def _panels_of_term(
    description: Description, points: Array, output: str, term: DescribedTerm
) -> list[Panel]:
    if not term.directions:
        return [_line_panel(description, points, output, term)]
    if term.interaction is None:
        label = label_term(description, output, term)
        return [_curve_panel(description, points, output, term, label)]
    panels: list[Panel] = []
    if len(term.inputs) == 2:
        panels.append(_contour_panel(description, points, output, term))
        if not term.interaction.has_readable_curves(output):
            return panels
    single = [
        replace(
            term,
            inputs=tuple(description.directions[d].weights),
            directions=(d,),
            share=description.directions[d].shares[output],
        )
        for d in term.directions
        if output in description.directions[d].curves
    ]
    panels += [
        _curve_panel(description, points, output, one, f"{direction.labels[output]}, {IN_BLOCK}")
        for one in single
        for direction in [description.directions[one.directions[0]]]
    ]
    return panels


def _line_panel(
    description: Description, points: Array, output: str, term: DescribedTerm
) -> CurvePanel:
    l = description.inputs.index(term.inputs[0])
    data = points[:, l]
    x = np.linspace(data.min(), data.max(), PANEL_NODES)
    form = description.form
    slope = term.line[l] / form.spread[l]
    return CurvePanel(
        output, term.share, "linear", term.inputs[0], x, slope * (x - form.mean[l]), data
    )


def _curve_panel(
    description: Description, points: Array, output: str, term: DescribedTerm, label: str
) -> CurvePanel:
    """The sum of the curves of directions that are read as one."""
    form, o = description.form, description.outputs.index(output)
    leading = description.directions[term.directions[0]]
    z = np.linspace(leading.z.min(), leading.z.max(), PANEL_NODES)
    curves = [form.curves[d][o] for d in term.directions]
    slope = sum(description.directions[d].slopes.get(output, 0.0) for d in term.directions)
    y = sum((curve(z) for curve in curves), slope * z)
    bands = [curve.band(z) for curve in curves]
    known = [band for band in bands if band is not None]
    band = np.sqrt(sum(b**2 for b in known)) if len(known) == len(bands) else None
    marks = _marks(curves[0], slope) if len(curves) == 1 else None
    if len(term.inputs) > 1:
        axis = f"{leading.text} (standardised)"
        return CurvePanel(output, term.share, label, axis, z, y, leading.z, band, marks)
    l = description.inputs.index(term.inputs[0])
    step = form.spread[l] / form.directions[term.directions[0], l]
    if marks is not None:
        marks = np.column_stack([form.mean[l] + step * marks[:, 0], marks[:, 1]])
    x = form.mean[l] + step * z
    name = term.inputs[0]
    return CurvePanel(output, term.share, label, name, x, y, points[:, l], band, marks)


def _marks(curve: DirectionCurve, slope: float) -> Array | None:
    """The estimate of a single branch at the data, as z and values of the output."""
    if len(curve.branches) != 1 or curve.branches[0].estimate is None or curve.weights[0] == 0:
        return None
    branch = curve.branches[0]
    argument, g = curve.branches[0].estimate.T
    z = (argument - curve.starts[0]) / curve.scales[0]
    values = curve(z) + slope * z + curve.weights[0] * (g - branch(argument))
    return np.column_stack([z, values])


def _contour_panel(
    description: Description, points: Array, output: str, term: DescribedTerm
) -> ContourPanel:
    """The sum of all curves of a block over a grid of its two inputs."""
    form, o = description.form, description.outputs.index(output)
    a, b = (description.inputs.index(name) for name in term.inputs)
    x, y = (np.linspace(points[:, l].min(), points[:, l].max(), CONTOUR_NODES) for l in (a, b))
    grid = np.tile(form.mean, (CONTOUR_NODES**2, 1))
    grid[:, a], grid[:, b] = (part.ravel() for part in np.meshgrid(x, y))
    x_grid = form.standardise(grid)
    z = x_grid @ form.directions.T
    values = x_grid @ term.line
    for d in term.directions:
        slope = description.directions[d].slopes.get(output, 0.0)
        values += form.curves[d][o](z[:, d]) + slope * z[:, d]
    assert term.interaction is not None
    return ContourPanel(
        output,
        term.share,
        term.interaction.labels[output],
        (term.inputs[0], term.inputs[1]),
        x,
        y,
        values.reshape(CONTOUR_NODES, CONTOUR_NODES),
        points[:, [a, b]],
    )


def title_panel(panel: Panel) -> str:
    """The share, the output and the shape of a panel."""
    return f"{format_percent(panel.share)} of {panel.output}, {panel.label}"
