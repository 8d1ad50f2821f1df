"""Descriptions and plots of NARX models, with the names of their signals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._util.markup import join_children, make_facts_table
from ..errors import InvalidOptionError
from ..model._description import Description
from ..model._function import DecoupledFunction
from ..model._html import render_function
from ..model._linear_panels import list_linear_panels
from ..model._names import select_outputs
from ..model._term_plots import plot_terms
from ..model._views import describe_function
from ._lagged_model import LaggedModel
from ._lags import infer_lags, name_channels
from ._plots import plot_narx_branches

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def get_decoupled(model: LaggedModel) -> DecoupledFunction:
    """The static map of a model, or an error if it is coupled."""
    if not isinstance(model.function, DecoupledFunction):
        raise InvalidOptionError("only a decoupled model has branches: call decouple first")
    return model.function


def name_signals(model: LaggedModel) -> tuple[Sequence[str], Sequence[str]]:
    """Names of the regressors and of the outputs."""
    d = get_decoupled(model)
    lags = infer_lags(model.input_lags, model.output_lags, d.n_inputs, d.n_outputs)
    regressors = lags.name_regressors(model.input_names, model.output_names)
    targets = [f"{y}(t)" for y in name_channels("y", d.n_outputs, model.output_names)]
    return (
        regressors if d.input_names is None else d.input_names,
        targets if d.output_names is None else d.output_names,
    )


def describe_narx(
    model: LaggedModel,
    points: Any,
    names: Sequence[str] | None,
    outputs: Sequence[str] | None,
) -> Description:
    """Describe a model: linear part plus curved remainders."""
    inputs, targets = name_signals(model)
    return describe_function(
        get_decoupled(model),
        points,
        inputs if names is None else names,
        targets if outputs is None else outputs,
        dynamic=True,
    )


def plot_narx_terms(
    model: LaggedModel,
    path: str | Path | None,
    outputs: Sequence[str | int] | None,
    ax: Any,
    figsize: tuple[float, float] | None,
) -> Figure:
    """Plot the linear part of every output, and one panel per curved remainder."""
    description = describe_narx(model, None, None, None)
    chosen = select_outputs(description.outputs, outputs)
    return plot_terms(*list_linear_panels(description, chosen), path, ax, figsize)


def plot_branches_of(model: LaggedModel, path: str | Path | None) -> Figure:
    """One panel per branch, and the weights of the lags in it."""
    d = get_decoupled(model)
    targets = name_channels("y", d.n_outputs, model.output_names)
    return plot_narx_branches(d.branches, d.W, d.V, name_signals(model)[0], targets, path)


def render_narx(model: LaggedModel, refinement: str | None) -> str:
    """A table of facts, and a decoupled function below it."""
    d = model.function
    facts = {
        "input lags": str(model.input_lags),
        "output lags": str(model.output_lags),
        "function": type(d).__name__,
        "parameters": model.n_parameters,
        "sampling time": None if model.sampling_time is None else f"{model.sampling_time:.4g} s",
        "refinement": refinement,
    }
    inner = None
    if isinstance(d, DecoupledFunction):
        inner = render_function(d.named(*name_signals(model)), dynamic=True)
    return join_children([make_facts_table("NARX", facts), inner])
