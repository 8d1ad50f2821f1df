"""Every figure of the paper, drawn anew, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...cases import toy_samples
from ...model._plotting import write_figure
from .._cells import Table, Trial
from .._draws import Step
from .._narx import Models
from .._table1 import N_POINTS
from . import (
    _counts as counts,
)
from . import (
    _filters as filters,
)
from . import (
    _narx as narx,
)
from . import (
    _network as network,
)
from . import (
    _toy as toy,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
N_PICTURES = 13


@dataclass(frozen=True)
class Material:
    """What the tables left behind: the figures show their first draw."""

    table1: Sequence[Trial]
    table3: Sequence[Trial]
    narx_table: Table
    models: Models
    seed: int


@dataclass(frozen=True)
class Picture:
    """A figure of the paper by its label, and how it is drawn."""

    name: str
    label: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Written:
    """A figure on disk."""

    name: str
    label: str
    files: tuple[Path, ...]


def pictures(material: Material) -> list[Picture]:
    """All of them, in the order of the paper."""
    found, nets = _first_draw(material.table1), _first_draw(material.table3)
    models, results = material.models, material.narx_table
    samples = toy_samples(N_POINTS, random_state=material.seed)
    most = max(r for _, r in nets)

    def of_network(method: str) -> Callable[[], Figure]:
        return lambda: network.draw_branches(nets[method, most], method)

    return [
        Picture("cpd", "f:2", lambda: toy.draw_cpd(found)),
        Picture("filters", "f:filter", filters.draw_filters),
        Picture("toy-implicit", "f:Imp_r", lambda: toy.draw_scan(found, "implicit")),
        Picture("toy-varpro", "f:Imp_r", lambda: toy.draw_scan(found, "varpro")),
        Picture("lambda", "f:lambda", lambda: toy.draw_lambda(samples)),
        Picture("counts", "f:para_count", counts.draw_counts),
        Picture("network-error", "f:MLP_graph", lambda: network.draw_error(material.table3)),
        Picture("network-implicit", "f:MLP_graph", of_network("implicit")),
        Picture("network-varpro", "f:MLP_graph", of_network("varpro")),
        Picture("narx-error", "f:NARX_results", lambda: narx.draw_results(results, models.real)),
        Picture("narx-explicit", "f:NARX_r3", lambda: narx.draw_branches(models, "explicit")),
        Picture("narx-varpro", "f:NARX_r3", lambda: narx.draw_branches(models, "varpro")),
        Picture("lagrange", "f:Lagrange", filters.draw_lagrange),
    ]


def write(material: Material, folder: Path, step: Step = lambda: None) -> tuple[Written, ...]:
    """Draw all of them into a folder."""
    written = []
    for picture in pictures(material):
        figure = picture.draw()
        files = tuple(folder / f"{picture.name}.{ending}" for ending in FORMATS)
        for path in files:
            write_figure(figure, path)
            figure.set_layout_engine("none")  # laid out once is enough
        written.append(Written(picture.name, picture.label, files))
        step()
    return tuple(written)


def _first_draw(trials: Sequence[Trial]) -> toy.Found:
    first = trials[0].draw
    return {
        (trial.method, trial.n_branches): trial.function
        for trial in trials
        if trial.draw == first and trial.function is not None
    }
