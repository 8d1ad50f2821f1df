"""What a page shows of a scan: its points, and the models that have a section."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnbraidError
from ..narx._model import NARX
from ..scans._row import Row
from ..scans._table import Scan
from ..statespace._model import StateSpace
from ._model_view import view_function
from ._narx_view import view_narx
from ._page_view import PageView, name_errors
from ._state_view import view_state_space

MOST_SECTIONS = 60  # models that are shown in full
SCAN_SAMPLES, LEAST_SAMPLES = 18_000, 1000  # kept of the outputs: of all models, of each


class ScanPoint(NamedTuple):
    """A row as a point of the charts; its error may be infinite."""

    row: Row
    on_front: bool
    has_section: bool

    @property
    def key(self) -> str:
        return make_key(self.row)

    @property
    def method(self) -> str:
        """The method, which decides on the marker and its colour."""
        return _get_method(self.row)


@dataclass(frozen=True, eq=False)
class ScanView:
    """A scan: its points, the models shown in full, and the selected key.

    ``choice`` says why this model is selected.
    """

    scan: Scan
    points: tuple[ScanPoint, ...]
    models: tuple[PageView, ...]
    selected: str | None
    choice: str

    @property
    def selected_model(self) -> PageView | None:
        """The model that is shown first."""
        return next((model for model in self.models if model.key == self.selected), None)


def view_scan(scan: Scan, **options: Any) -> ScanView:
    """Return the view of a scan; ``options`` are those of the views of its models."""
    rows = [row for row in scan.rows if not row.failure and row.error is not None]
    front = {row.index for row in scan.pareto()}
    selected, choice = _select_row(scan, rows)
    shown = _choose_sections(rows, front, selected)
    options["kept_samples"] = max(SCAN_SAMPLES // max(len(shown), 1), LEAST_SAMPLES)
    return ScanView(
        scan,
        tuple(ScanPoint(row, row.index in front, row in shown) for row in rows),
        tuple(_view_row(scan, row, options) for row in rows if row in shown),
        None if selected is None else make_key(selected),
        choice,
    )


def _select_row(scan: Scan, rows: Sequence[Row]) -> tuple[Row | None, str]:
    """Return the recommended row, or the first one without a recommendation."""
    try:
        return scan.best_row(), "Recommended"
    except UnbraidError:
        return rows[0] if rows else None, "First model"


def make_key(row: Row) -> str:
    """Return the id of a row's section, which is also its fragment in the address."""
    return f"model-{row.index}"


def _get_method(row: Row) -> str:
    return str(row.settings.get("method", "model"))


def _choose_sections(rows: Sequence[Row], front: set[int], selected: Row | None) -> list[Row]:
    """Return the rows to show in full: all, if there are few of them.

    Otherwise the selected row, the Pareto front, and the best row for every method and number of
    branches.
    """
    if len(rows) <= MOST_SECTIONS:
        return list(rows)
    best: dict[tuple[str, int], Row] = {}
    for row in sorted(rows, key=lambda row: (np.isnan(row.error or 0.0), row.error)):
        best.setdefault((_get_method(row), row.n_branches), row)
    candidates = [*(row for row in rows if row.index in front), *best.values()]
    if selected is not None:
        candidates.insert(0, selected)
    return list(dict.fromkeys(candidates))[:MOST_SECTIONS]


def _view_row(scan: Scan, row: Row, options: dict[str, Any]) -> PageView:
    model, key = row.model, make_key(row)
    dynamic = isinstance(model, (NARX, StateSpace))
    names = ("fitted error", "held-out error")
    if dynamic:
        names = ("simulation error on the training record", "simulation error on the test record")
    settings = {k: v for k, v in row.settings.items() if (k, v) != ("n_branches", row.n_branches)}
    facts = [(name.replace("_", " "), str(value)) for name, value in settings.items()]
    return _choose_view(model)(
        model,
        key=key,
        heading=row.label,
        coupled_parameters=scan.coupled_parameters,
        facts=(*facts, ("seconds", f"{row.seconds:.3g}")),
        warnings=tuple(row.warnings),
        code=_write_code(scan, row),
        errors=name_errors((names[0], row.fitted_errors), (names[1], row.held_out_errors)),
        **options,
    )


def _choose_view(model: Any) -> Callable[..., PageView]:
    if isinstance(model, StateSpace):
        return view_state_space
    return view_narx if isinstance(model, NARX) else view_function


def _write_code(scan: Scan, row: Row) -> str:
    """Return the code that loads the model from the store or from its file."""
    packages = {"narx": "unbraid.narx", "statespace": "unbraid.statespace"}
    package = packages.get(scan.kind, "unbraid")
    name = "model" if scan.kind in packages else "d"
    if scan.store is not None:
        store = json.dumps(scan.store.name)
        return (
            f"import unbraid\n\nscan = unbraid.load_scan({store})\n{name} = scan[{row.index}].model"
        )
    return f'import {package}\n\n{name} = {package}.load("{make_key(row)}.json")'
