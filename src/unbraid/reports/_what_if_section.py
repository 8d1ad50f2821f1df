"""The inputs as sliders: the page evaluates the model and shows where a point is."""

import json
import re
from typing import Any

import numpy as np

from .._typing import Array
from .._util.markup import Markup, tag
from ..errors import UnbraidError
from ..model._parts import divide_steps
from ._model_data import function_data, part_data
from ._model_view import ModelView
from ._provenance_section import show_section
from .charts._values import pack

MOST_SLIDERS = 12  # inputs with the largest effects; the others are folded
MOST_WATERFALLS = 40  # outputs that are divided into their terms
MOST_MODEL_BYTES = 300_000  # of a model that the page evaluates
MOST_EFFECT_POINTS = 200  # at which the effects of the inputs are taken
SLIDER_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SLIDER_BINS = 32  # of the histogram below a slider
UNIT = re.compile(r"(.*\S)\s*\[([^\[\]]{1,12})\]\s*")


def show_what_if(view: ModelView) -> Markup | None:
    """Return the section that the script fills; None for branches it cannot evaluate."""
    try:
        model = function_data(view.function)
    except UnbraidError:  # branches of Python functions
        return None
    content = json.dumps({"model": model, **_describe_inputs(view)}, separators=(",", ":"))
    if len(content) > MOST_MODEL_BYTES:
        return None
    note = (
        "Move an input, or click on a curve or map: along a direction, all its inputs move. Ticks: "
        "5, 25, 50, 75 and 95 % of the data."
    )
    return show_section(
        "What if",
        tag("p", note, class_="note"),
        tag("div", class_="what-if", data_what_if=content),
        class_="explore",
    )


def _describe_inputs(view: ModelView) -> dict[str, Any]:
    """Return inputs with their ranges, outputs, and the terms of every output."""
    d, description, points = view.function, view.description, view.points
    form = description.form
    effects = _measure_effects(view)
    order = np.argsort(-effects.round(9), kind="stable")[:MOST_SLIDERS]
    outputs = view.outputs.short
    values = d(points)
    return {
        "inputs": [
            _describe_input(name, column)
            for name, column in zip(view.inputs.short, points.T, strict=True)
        ],
        "main": np.sort(order).tolist(),
        "outputs": [
            [*split_unit(name), float(np.nanstd(v))]
            for name, v in zip(outputs, values.T, strict=True)
        ],
        "directions": {
            "weights": pack(form.directions, "f8"),
            "mean": pack(form.mean, "f8"),
            "spread": pack(form.spread, "f8"),
        },
        "steps": [
            [[step.name, part_data(step.part)] for step in divide_steps(d, description, name)]
            for name in outputs[:MOST_WATERFALLS]
        ],
    }


def _describe_input(name: str, column: Array) -> dict[str, Any]:
    """Return the name, the unit, the range and the distribution of an input."""
    text, unit = split_unit(name)
    counts = np.histogram(column, SLIDER_BINS)[0] if np.ptp(column) > 0 else np.zeros(0, dtype=int)
    return {
        "name": text,
        "unit": unit,
        "range": [float(column.min()), float(column.max())],
        "quantiles": np.quantile(column, SLIDER_QUANTILES).tolist(),
        "counts": counts.tolist(),
    }


def split_unit(name: str) -> tuple[str, str]:
    """Return a name without the unit at its end, and the unit.

    >>> split_unit("speed [m/s]"), split_unit("u(t)"), split_unit("load")
    (('speed', 'm/s'), ('u(t)', ''), ('load', ''))
    """
    match = UNIT.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def _measure_effects(view: ModelView) -> Array:
    """Return how far inputs move the outputs: slope times spread, over its spread."""
    rows = np.linspace(0, len(view.points) - 1, min(MOST_EFFECT_POINTS, len(view.points)))
    points = view.points[rows.astype(int)]
    slopes = np.abs(np.nan_to_num(view.function.jacobian(points))).mean(axis=0)
    spread = np.nanstd(view.function(points), axis=0)
    effects = slopes * points.std(axis=0) / np.where(spread > 0, spread, 1.0)[:, None]
    return np.asarray(effects.max(axis=0))
