"""All figures of the paper, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...cases import toy_samples
from ...model._plotting import write_figure
from .._experiments import Step
from .._narx import NarxModels
from .._results import PaperTable, Trial
from .._tables import TOY_POINTS
from . import _counts, _filters, _narx, _network, _toy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_FORMATS = ("png", "svg")
N_FIGURES = 13


@dataclass(frozen=True)
class FigureData:
    """Results of the tables; figures show the first draw."""

    table1: Sequence[Trial]
    table3: Sequence[Trial]
    narx_table: PaperTable
    models: NarxModels
    seed: int


@dataclass(frozen=True)
class WrittenFigure:
    """A figure of the paper on disk, with its label in the paper."""

    name: str
    label: str
    files: tuple[Path, ...]


def list_figures(data: FigureData) -> list[tuple[str, str, Callable[[], Figure]]]:
    """Return names, labels and drawing functions, in the order of the paper."""
    toy, networks = _take_first_draw(data.table1), _take_first_draw(data.table3)
    models = data.models
    samples = toy_samples(TOY_POINTS, random_state=data.seed)
    most = max(r for _, r in networks)
    implicit, varpro = networks["implicit", most], networks["varpro", most]
    return [
        ("cpd", "f:2", partial(_toy.draw_cpd, toy)),
        ("filters", "f:filter", _filters.draw_filters),
        ("toy-implicit", "f:Imp_r", partial(_toy.draw_scan, toy, "implicit")),
        ("toy-varpro", "f:Imp_r", partial(_toy.draw_scan, toy, "varpro")),
        ("lambda", "f:lambda", partial(_toy.draw_lambda, samples)),
        ("counts", "f:para_count", _counts.draw_counts),
        ("network-error", "f:MLP_graph", partial(_network.draw_error, data.table3)),
        ("network-implicit", "f:MLP_graph", partial(_network.draw_branches, implicit, "implicit")),
        ("network-varpro", "f:MLP_graph", partial(_network.draw_branches, varpro, "varpro")),
        ("narx-error", "f:NARX_results", partial(_narx.draw_results, data.narx_table, models.real)),
        ("narx-explicit", "f:NARX_r3", partial(_narx.draw_branches, models, "explicit")),
        ("narx-varpro", "f:NARX_r3", partial(_narx.draw_branches, models, "varpro")),
        ("lagrange", "f:Lagrange", _filters.draw_lagrange),
    ]


def write_figures(
    data: FigureData, folder: Path, step: Step = lambda: None
) -> tuple[WrittenFigure, ...]:
    """Draw all figures into a folder."""
    written = []
    for name, label, draw in list_figures(data):
        figure = draw()
        files = tuple(folder / f"{name}.{ending}" for ending in FIGURE_FORMATS)
        for path in files:
            write_figure(figure, path)
            figure.set_layout_engine("none")  # one layout serves all formats
        written.append(WrittenFigure(name, label, files))
        step()
    return tuple(written)


def _take_first_draw(trials: Sequence[Trial]) -> _toy.FunctionsByCell:
    first = trials[0].draw
    return {
        (trial.method, trial.n_branches): trial.function
        for trial in trials
        if trial.draw == first and trial.function is not None
    }
