"""Section 9: NARX models of the Silverbox record, or of its simulated twin."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bases import Polynomial
from ..cases import Dataset, Recording, duffing, silverbox
from ..errors import DivergenceError
from ..narx import NARX, fit_polynomial_narx
from . import _published as published
from ._counts import count_narx
from ._experiments import Step, compare_with_paper, ignore_fit_warnings, make_cell
from ._results import PaperTable, TableCell, Trial

INPUT_LAGS, OUTPUT_LAGS = (0, 1), (1, 2, 3)
NARX_DEGREE = 3
SIMILAR_FACTOR = 1.5  # times the error of the reference: "similar" is taken to mean this
REFERENCE_SLACK = 1.02  # the split of the record is the official one, not that of the paper
ARROW_INITIAL = 50  # samples that simulations of the arrow start from
QUICK_SAMPLES = 8192  # to train on
DATA_VARIABLE, RECORD_NAME = "UNBRAID_DATA", "silverbox.npz"
SIMULATED, SHORTENED = "simulated twin", "trained on a part of the record only"
NARX_METHODS = ("varpro", "varpro + refine", "explicit", "explicit + refine")
NARX_BRANCHES, QUICK_NARX_BRANCHES = (1, 2, 3, 4, 5, 6), (1, 2, 3)


@dataclass(frozen=True, eq=False)
class NarxModels:
    """The reference, and the decoupled models of the first draw by method and r."""

    data: Dataset
    real: bool
    reference: NARX
    decoupled: dict[tuple[str, int], NARX]


def load_record(path: str | Path | None, quick: bool) -> tuple[Dataset, bool]:
    """Return the record, and whether it is real or the simulated twin.

    Without a path, it is searched in the folder that UNBRAID_DATA names.
    """
    if path is None and DATA_VARIABLE in os.environ:
        candidate = Path(os.environ[DATA_VARIABLE]) / RECORD_NAME
        path = candidate if candidate.exists() else None
    if path is None:
        sizes = (QUICK_SAMPLES, QUICK_SAMPLES // 2) if quick else (32768, 16384)
        return duffing(*sizes, random_state=0), False
    data = silverbox(path)
    if quick:
        u, y = data.train
        data = data._replace(train=Recording(u[:QUICK_SAMPLES], y[:QUICK_SAMPLES]))
    return data, True


def list_narx_cells(quick: bool) -> list[tuple[str, int]]:
    """Return methods and numbers of branches, in the order of the table."""
    branches = QUICK_NARX_BRANCHES if quick else NARX_BRANCHES
    return [(method, r) for method in NARX_METHODS for r in branches]


def run_narx(
    data: Dataset, real: bool, seeds: range, quick: bool, step: Step = lambda: None
) -> tuple[PaperTable, NarxModels]:
    """Fit, decouple and refine; compute free-run errors on the arrow."""
    reference = fit_polynomial_narx(*data.train, INPUT_LAGS, OUTPUT_LAGS, NARX_DEGREE)
    models = NarxModels(data, real, reference, {})
    trials = []
    for draw in seeds:
        for r in QUICK_NARX_BRANCHES if quick else NARX_BRANCHES:
            for method, model, seconds in _decouple_and_refine(models, r, draw, quick):
                trials.append(Trial(draw, method, r, (_arrow_error(model, data),), seconds))
                models.decoupled.setdefault((method, r), model)
                step()
    return _make_table(models, trials, quick), models


def _decouple_and_refine(
    models: NarxModels, r: int, draw: int, quick: bool
) -> Iterator[tuple[str, NARX, float]]:
    """Yield method, model and seconds, before and after refinement."""
    options: dict[str, dict[str, Any]] = {
        "varpro": {},
        "explicit": {"smoothness": published.NARX_LAMBDAS},
    }
    if quick:
        few = {"n_points": 200, "n_starts": 1, "max_iterations": 30, "smoothness": (1e4,)}
        options = {"varpro": {"n_points": 500, "n_starts": 4}, "explicit": few}
    basis = Polynomial(NARX_DEGREE)
    for method, more in options.items():
        began = time.perf_counter()
        with ignore_fit_warnings():
            model = models.reference.decouple(
                r, basis=basis, random_state=draw, method=method, **more
            )
            yield method, model, time.perf_counter() - began
            began = time.perf_counter()
            model = _refine(model, models.data.train, quick)
        yield f"{method} + refine", model, time.perf_counter() - began


def _refine(model: NARX, train: Recording, quick: bool) -> NARX:
    """Refine a model, eq. (post_opt); return it unchanged if it diverges."""
    try:
        return model.refine(*train, max_iterations=15 if quick else 100)
    except DivergenceError:
        return model


def _arrow_error(model: NARX, data: Dataset) -> float:
    return float(model.score(*data.arrow, initial=ARROW_INITIAL).percent)


def _make_table(models: NarxModels, trials: list[Trial], quick: bool) -> PaperTable:
    obstacle = SIMULATED if not models.real else SHORTENED if quick else ""
    printed = (published.REFERENCE_ERROR,) if models.real else None
    errors = ((_arrow_error(models.reference, models.data),),)
    cells = [TableCell("reference", None, errors, 0.0, printed, obstacle, REFERENCE_SLACK)]
    for method, r in list_narx_cells(quick):
        slack = 1.0 if method == "varpro + refine" else SIMILAR_FACTOR
        similar = printed if r >= published.SIMILAR_FROM else None
        cells.append(make_cell(method, r, trials, similar, obstacle, slack))
    where = "Silverbox" if models.real else "Duffing twin of the Silverbox"
    return PaperTable(
        "silverbox",
        f"NARX models, {where}: n_u = 1, n_y = 3, cubic, free run on the arrow",
        tuple(cells),
        count_narx(),
        compare_with_paper(trials, "varpro + refine"),
        published.ERRATA["silverbox"],
        _list_remarks(models.real),
    )


def _list_remarks(real: bool) -> tuple[str, ...]:
    source = (
        "the Silverbox record, official split"
        if real
        else "no record was given (--record PATH): this is a simulated twin, the forced Duffing "
        "oscillator, and no cell compares with the paper"
    )
    competitor = ", ".join(f"{e:g} % ({how})" for how, e in published.COMPETITOR_ERRORS.items())
    return (
        source,
        "the paper has a figure here, and its only number is the error of the reference; it calls "
        f"models with r >= {published.SIMILAR_FROM} similar, which is taken to mean within a "
        f"factor {SIMILAR_FACTOR:g}",
        f"the paper cites these errors of a competing method: {competitor}",
    )
