"""What the plots of a function show: one panel per term that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .._typing import Array
from ._blocks import evaluate_block, find_block_axes, scale_axis
from ._canonical_form import DirectionCurve
from ._description_text import label_term
from ._direction_text import format_percent
from ._parts import Part, axis_part, curves_part, line_part, term_part

if TYPE_CHECKING:
    from ._description import DescribedTerm, Description

MIN_PANEL_SHARE = 5e-3  # of an output: smaller terms have no panel
MAX_PANELS = 12
PANEL_NODES = 300  # of a curve
CONTOUR_NODES = 60  # per axis
IN_BLOCK = "in an interaction"


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """A curve along z with its linear part, in the units that are shown.

    ``marks`` (K, 2) are the estimate at the data, ``band`` (M,) is twice the standard error.
    ``directions`` are positions in the description. ``place`` is where a point of the inputs is in
    the panel: x and y.
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
    directions: tuple[int, ...] = ()
    share_text: str = ""
    place: tuple[Part, Part] | None = None


@dataclass(frozen=True, eq=False)
class ContourPanel:
    """An interaction of two inputs: values (K, K) on a grid in input units."""

    output: str
    share: float
    label: str
    axes: tuple[str, str]
    x: Array
    y: Array
    values: Array
    data: Array
    directions: tuple[int, ...] = ()
    place: tuple[Part, Part] | None = None


@dataclass(frozen=True, eq=False)
class BarPanel:
    """A linear part: the effect of every input, its slope times its spread."""

    output: str
    share: float
    label: str
    names: tuple[str, ...]
    effects: Array
    slopes: Array


Panel = CurvePanel | ContourPanel | BarPanel


def list_panels(
    description: Description, points: Array, outputs: Sequence[str] | None = None
) -> tuple[list[Panel], int]:
    """Panels of the outputs, the largest share first, and how many are left out."""
    terms = [
        (term, output)
        for output, listed in description.terms.items()
        if outputs is None or output in outputs
        for term in listed
        if term.share >= MIN_PANEL_SHARE
    ]
    terms.sort(key=lambda pair: -round(pair[0].share, 6))
    panels: list[Panel] = []
    for term, output in terms[:MAX_PANELS]:  # labels take time
        panels += _panels_of_term(description, points, output, term)
    panels.sort(key=lambda panel: -round(panel.share, 6))
    left_out = max(len(terms) - MAX_PANELS, 0) + max(len(panels) - MAX_PANELS, 0)
    return panels[:MAX_PANELS], left_out


def _panels_of_term(
    description: Description, points: Array, output: str, term: DescribedTerm
) -> list[Panel]:
    if not term.directions:
        return [_line_panel(description, points, output, term)]
    if term.interaction is None:
        label = label_term(description, output, term)
        return [_curve_panel(description, output, term, label)]
    axes = find_block_axes(description, term)
    panels: list[Panel] = []
    if axes is not None:
        panels.append(_contour_panel(description, points, output, term, axes))
    if not term.interaction.has_readable_curves(output):
        return panels or [_scatter_panel(description, points, output, term)]
    for d in term.directions:
        direction = description.directions[d]
        if output in direction.curves:
            one = replace(
                term,
                inputs=tuple(direction.weights),
                directions=(d,),
                share=direction.shares[output],
            )
            shape = f"{direction.labels[output]}, {IN_BLOCK}"
            panels.append(_curve_panel(description, output, one, shape))
    return panels


def _scatter_panel(
    description: Description, points: Array, output: str, term: DescribedTerm
) -> CurvePanel:
    """The values of a block at the points, over its first direction."""
    x = description.form.standardise(points)
    leading = description.directions[term.directions[0]]
    marks = np.column_stack([leading.z, evaluate_block(description, output, term, x)])
    axis = f"{leading.text} (standardised)"
    assert term.interaction is not None
    label, none = term.interaction.labels[output], np.empty(0)
    return CurvePanel(
        output,
        term.share,
        label,
        axis,
        none,
        none,
        leading.z,
        marks=marks,
        directions=term.directions,
        place=(Part(directions={term.directions[0]: 1.0}), term_part(description, output, term)),
    )


def _line_panel(
    description: Description, points: Array, output: str, term: DescribedTerm
) -> CurvePanel:
    l = description.inputs.index(term.inputs[0])
    data = points[:, l]
    x = np.linspace(data.min(), data.max(), PANEL_NODES)
    form = description.form
    slope = term.line[l] / form.spread[l]
    y = slope * (x - form.mean[l])
    place = Part(inputs={l: 1.0}), line_part(form, term.line)
    return CurvePanel(output, term.share, "linear", term.inputs[0], x, y, data, place=place)


def _curve_panel(
    description: Description, output: str, term: DescribedTerm, label: str
) -> CurvePanel:
    """The sum of the curves of directions that are read as one."""
    form, o = description.form, description.outputs.index(output)
    leading = description.directions[term.directions[0]]
    z = np.linspace(leading.z.min(), leading.z.max(), PANEL_NODES)
    curves = [form.curves[d][o] for d in term.directions]
    slope = sum(description.directions[d].slopes.get(output, 0.0) for d in term.directions)
    y = sum((curve(z) for curve in curves), slope * z)
    single = len(curves) == 1  # the errors of several directions are not independent
    band = curves[0].band(z) if single else None
    marks = _marks(curves[0], slope) if single else None
    axis = f"{leading.text} (standardised)"
    panel = CurvePanel(
        output,
        term.share,
        label,
        axis,
        z,
        y,
        leading.z,
        band,
        marks,
        term.directions,
        place=(Part(directions={term.directions[0]: 1.0}), curves_part(description, output, term)),
    )
    return panel if len(term.inputs) > 1 else show_along_input(description, panel, term.inputs[0])


def show_along_input(description: Description, panel: CurvePanel, name: str) -> CurvePanel:
    """A panel along z as one along a single input, in the units of that input."""
    form, l = description.form, description.inputs.index(name)
    start, step = form.mean[l], form.spread[l] / form.directions[panel.directions[0], l]
    marks = panel.marks
    if marks is not None:
        marks = np.column_stack([start + step * marks[:, 0], marks[:, 1]])
    place = None if panel.place is None else (Part(inputs={l: 1.0}), panel.place[1])
    return replace(
        panel,
        axis=name,
        x=start + step * panel.x,
        data=start + step * panel.data,
        marks=marks,
        place=place,
    )


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
    description: Description,
    points: Array,
    output: str,
    term: DescribedTerm,
    axes: list[Array],
) -> ContourPanel:
    """The sum of all curves of a block over a grid of two vectors."""
    form = description.form
    data = form.standardise(points) @ np.stack(axes, axis=1)
    s, t = (np.linspace(part.min(), part.max(), CONTOUR_NODES) for part in data.T)
    grid = np.stack([part.ravel() for part in np.meshgrid(s, t)], axis=1)
    values = evaluate_block(description, output, term, grid @ np.linalg.pinv(np.stack(axes)).T)
    scales = [scale_axis(description, axis) for axis in axes]
    assert term.interaction is not None
    (a, start_a, step_a), (b, start_b, step_b) = scales
    return ContourPanel(
        output,
        term.share,
        term.interaction.labels[output],
        (a, b),
        start_a + step_a * s,
        start_b + step_b * t,
        values.reshape(CONTOUR_NODES, CONTOUR_NODES),
        np.array([start_a, start_b]) + data * [step_a, step_b],
        term.directions,
        (axis_part(form, axes[0]), axis_part(form, axes[1])),
    )


def title_panel(panel: Panel) -> str:
    """The share, the output and the shape of a panel."""
    share = getattr(panel, "share_text", "") or format_percent(panel.share)
    return f"{share} of {panel.output}, {panel.label}"
