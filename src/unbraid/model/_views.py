"""Descriptions and plots of a decoupled function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidOptionError
from ._data_fit import make_data_fits
from ._describe import check_described_points, describe
from ._description import Description
from ._error_summary import worst_output_error
from ._names import resolve_names, select_outputs
from ._panels import list_panels
from ._plotting import plot_branches
from ._reliability import assess_reliability
from ._term_plots import plot_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._function import DecoupledFunction


def describe_function(
    d: DecoupledFunction,
    points: Any = None,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    dynamic: bool = False,
) -> Description:
    """The description at the given points, or at those that the function keeps.

    A dynamic model is read as a linear model plus curved remainders.
    """
    table = d.points if points is None else check_described_points(points, d.n_inputs)
    if table is None:
        raise InvalidOptionError(
            "this function keeps no points: pass describe(points) of your data"
        )
    reliability = assess_reliability(d)
    description = describe(
        d.W,
        d.V,
        d.branches,
        d.offset,
        table,
        d.input_names if names is None else names,
        d.output_names if outputs is None else outputs,
        reliability.error,
        dynamic,
    )
    names = description.outputs
    fits = make_data_fits(d.fitted_error, d.noise, names, reliability.held_out)
    missed = None if reliability.misfit is None else worst_output_error(reliability.misfit, names)
    n_unproven = None if dynamic else reliability.n_unproven
    return replace(description, data_fits=fits, missed=missed, n_unproven=n_unproven)


def plot_function(
    d: DecoupledFunction,
    path: str | Path | None,
    names: Sequence[str] | None,
    outputs: Sequence[str | int] | None,
    ax: Any,
    figsize: tuple[float, float] | None,
) -> Figure:
    """One panel per term, or per branch where the function keeps no points."""
    names = d.input_names if names is None else names
    if d.points is None:
        if names is not None:
            names = resolve_names("names", names, d.n_inputs, "p")
        return plot_branches(d.branches, d.V, path, names, d.spread)
    description = describe_function(d, names=names)
    chosen = select_outputs(description.outputs, outputs)
    return plot_terms(*list_panels(description, d.points, chosen), path, ax, figsize)
