"""From a scan to what a page shows of it: its points, and the models that have a section."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnbraidError
from ..narx._model import NARX
from ._dynamics import narx_view
from ._views import ModelView, function_view, listed_errors

MOST_SECTIONS = 60


class Point(NamedTuple):
    """A row as a point of the pictures; ``error`` may be infinite."""

    key: str
    label: str
    method: str
    n_branches: int
    n_parameters: int
    error: float
    on_front: bool
    has_section: bool


@dataclass(frozen=True, eq=False)
class ScanView:
    """A scan: its points, views of the models that are shown, and the one that is shown first."""

    scan: Any
    points: tuple[Point, ...]
    models: tuple[ModelView, ...]
    picked: str | None

    @property
    def first(self) -> ModelView | None:
        """The model that is shown first."""
        return next((model for model in self.models if model.key == self.picked), None)


def scan_view(
    scan: Any,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
) -> ScanView:
    """All of a scan; of very many models the best have a section."""
    fine = [row for row in scan.rows if not row.failure and row.error is not None]
    front = {row.index for row in scan.pareto()}
    best = _picked(scan, fine)
    shown = _with_section(fine, front, best)
    points = tuple(_point(row, row.index in front, row.index in shown) for row in fine)
    models = tuple(
        _model(scan, row, names=names, outputs=outputs, data=data)
        for row in fine
        if row.index in shown
    )
    return ScanView(scan, points, models, None if best is None else key_of(best))


def _picked(scan: Any, rows: Sequence[Any]) -> int | None:
    """The row to begin with; the first where none can be recommended."""
    try:
        return int(scan.best_row().index)
    except UnbraidError:
        return rows[0].index if rows else None


def key_of(index: int) -> str:
    """The name of a row's section, which is also the address of the pick."""
    return f"model-{index}"


def method_of(row: Any) -> str:
    """What the points of a row are coloured by."""
    return str(row.settings.get("method", "model"))


def _with_section(rows: Sequence[Any], front: set[int], best: int | None) -> set[int]:
    """Rows that are shown in full: all of few; else the front and the best of every kind."""
    if len(rows) <= MOST_SECTIONS:
        return {row.index for row in rows}
    chosen = dict.fromkeys([] if best is None else [best])
    chosen |= dict.fromkeys(row.index for row in rows if row.index in front)
    kinds: set[tuple[str, int]] = set()
    for row in sorted(rows, key=lambda row: float(np.nan_to_num(row.error, nan=np.inf))):
        kind = (method_of(row), row.n_branches)
        if kind not in kinds:
            kinds.add(kind)
            chosen[row.index] = None
    return set(list(chosen)[:MOST_SECTIONS])


def _point(row: Any, on_front: bool, has_section: bool) -> Point:
    return Point(
        key_of(row.index),
        row.label,
        method_of(row),
        row.n_branches,
        row.n_parameters,
        float(row.error),
        on_front,
        has_section,
    )


def _model(scan: Any, row: Any, **options: Any) -> ModelView:
    model = row.model
    simulated = isinstance(model, NARX)
    names = ("fitted error", "held-out error")
    if simulated:
        names = ("simulation error on the training record", "simulation error on the test record")
    errors = zip(names, (row.fitted_errors, row.held_out_errors), strict=True)
    others = {
        "key": key_of(row.index),
        "heading": row.label,
        "coupled_parameters": scan.coupled_parameters,
        "facts": _facts(row),
        "warnings": tuple(row.warnings),
        "code": _code(scan, row, "model" if simulated else "d"),
        "errors": listed_errors(list(errors)),
    }
    view = narx_view if simulated else function_view
    return view(model, **options, **others)


def _facts(row: Any) -> tuple[tuple[str, str], ...]:
    pairs = [(name.replace("_", " "), str(value)) for name, value in row.settings.items()]
    return (*pairs, ("seconds", f"{row.seconds:.3g}"))


def _code(scan: Any, row: Any, name: str) -> str:
    """The lines that fetch the model from the store, or from the file in the page."""
    if scan.store is not None:
        return (
            f"import unbraid\n\nscan = unbraid.load_scan({json.dumps(scan.store.name)})\n"
            f"{name} = scan[{row.index}].model"
        )
    if name == "model":
        return f'import unbraid.narx\n\nmodel = unbraid.narx.load("{key_of(row.index)}.json")'
    return f'import unbraid\n\nd = unbraid.load("{key_of(row.index)}.json")'
