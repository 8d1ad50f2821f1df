"""Section 9: NARX models of the Silverbox record, or of its simulated twin."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..bases import Polynomial
from ..cases import Dataset, Recording, duffing, silverbox
from ..errors import ConvergenceWarning, DivergenceError, FitWarning
from ..narx import NARX, fit_polynomial_narx
from . import _published as published
from ._cells import Cell, Duel, Table
from ._counts import narx_counts
from ._draws import Effort, Step

INPUT_LAGS, OUTPUT_LAGS = (0, 1), (1, 2, 3)
CUBIC = Polynomial(3)
SIMILAR = 1.5  # times the reference: what "similar" is taken to mean
INITIAL = 50
SHORT = 8192  # samples to train on where it has to be quick
FOLDER = "UNBRAID_DATA"
RECORD = "silverbox.npz"
TWIN = "simulated twin"
BRIEF = "trained on a part of the record only"
METHODS = ("varpro", "varpro + refine", "explicit", "explicit + refine")


@dataclass(frozen=True, eq=False)
class Models:
    """The reference, and the decoupled models of the first draw by method and branches."""

    data: Dataset
    real: bool
    reference: NARX
    found: dict[tuple[str, int], NARX]


@dataclass(frozen=True)
class _Outcome:
    draw: int
    method: str
    n_branches: int
    error: float
    seconds: float


def dataset(record: str | Path | None, quick: bool) -> tuple[Dataset, bool]:
    """The record where it is named or found in the folder of UNBRAID_DATA, else the twin."""
    if record is None and FOLDER in os.environ:
        path = Path(os.environ[FOLDER]) / RECORD
        record = path if path.exists() else None
    if record is None:
        n = (SHORT, SHORT // 2) if quick else (32768, 16384)
        return duffing(*n, random_state=0), False
    data = silverbox(record)
    if quick:
        u, y = data.train
        data = data._replace(train=Recording(u[:SHORT], y[:SHORT]))
    return data, True


def n_trials(quick: bool) -> int:
    """Models of one draw."""
    return len(METHODS) * len(branches_of(quick))


def branches_of(quick: bool) -> tuple[int, ...]:
    return (1, 2, 3) if quick else (1, 2, 3, 4, 5, 6)


def run_narx(
    data: Dataset, real: bool, effort: Effort, step: Step = lambda: None
) -> tuple[Table, Models]:
    """Reference, decoupled and refined models, judged in free run on the arrow."""
    reference = fit_polynomial_narx(*data.train, INPUT_LAGS, OUTPUT_LAGS, 3)
    models = Models(data, real, reference, {})
    outcomes = []
    for draw in effort.seeds:
        for r in branches_of(effort.quick):
            for method, model, seconds in _decoupled(models, r, draw, effort.quick):
                error = _percent(model, data)
                outcomes.append(_Outcome(draw, method, r, error, seconds))
                models.found.setdefault((method, r), model)
                step()
    return _table(models, outcomes, effort.quick), models


def _decoupled(models: Models, r: int, draw: int, quick: bool) -> Iterator[tuple[str, NARX, float]]:
    """By both methods, each before and after refinement on the training record."""
    grid = (1e4,) if quick else published.NARX_GRID
    options: dict[str, dict[str, Any]] = {"varpro": {}, "explicit": {"smoothness": grid}}
    if quick:
        options["varpro"] = {"n_points": 500, "n_starts": 4}
        options["explicit"] |= {"n_points": 200, "n_starts": 1, "max_iterations": 30}
    for method, more in options.items():
        began = time.perf_counter()
        with warnings.catch_warnings():  # the table says how good it is
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", FitWarning)
            small = models.reference.decouple(
                r, basis=CUBIC, random_state=draw, method=method, **more
            )
            yield method, small, time.perf_counter() - began
            began = time.perf_counter()
            tuned = _refined(small, models.data.train, quick)
        yield f"{method} + refine", tuned, time.perf_counter() - began


def _refined(model: NARX, train: Recording, quick: bool) -> NARX:
    """Post-optimisation, eq. (post_opt); the model itself where its simulation cannot be led in."""
    try:
        return model.refine(*train, max_iterations=15 if quick else 100)
    except DivergenceError:
        return model


def _percent(model: NARX, data: Dataset) -> float:
    return float(model.score(*data.arrow, initial=INITIAL).percent)


def _table(models: Models, outcomes: list[_Outcome], quick: bool) -> Table:
    unlike = TWIN if not models.real else BRIEF if quick else ""
    line = _percent(models.reference, models.data)
    reference = Cell(
        "reference",
        None,
        ((line,),),
        0.0,
        (published.REFERENCE_ERROR,) if models.real else None,
        unlike,
        slack=1.02,  # another split of the record: ours is the official one
    )
    keys = [(method, r) for method in METHODS for r in branches_of(quick)]
    cells = [_cell(method, r, outcomes, unlike) for method, r in keys]
    where = "Silverbox" if models.real else "Duffing twin of the Silverbox"
    return Table(
        "silverbox",
        f"NARX models, {where}: n_u = 1, n_y = 3, cubic, free run on the arrow",
        (reference, *cells),
        narx_counts(),
        _duels(outcomes),
        published.SLIPS["silverbox"],
        _remarks(models),
    )


def _cell(method: str, r: int, outcomes: list[_Outcome], unlike: str) -> Cell:
    mine = [o for o in outcomes if (o.method, o.n_branches) == (method, r)]
    told = r >= published.SIMILAR_FROM and unlike != TWIN
    return Cell(
        method,
        r,
        tuple((o.error,) for o in mine),
        float(np.median([o.seconds for o in mine])),
        (published.REFERENCE_ERROR,) if told else None,
        unlike,
        slack=1.0 if method == "varpro + refine" else SIMILAR,
    )


def _duels(outcomes: list[_Outcome]) -> tuple[Duel, ...]:
    """Refined by varpro against the better of the paper's two."""
    found = []
    for mine in outcomes:
        if mine.method != "varpro + refine":
            continue
        theirs = [
            o.error
            for o in outcomes
            if o.method.startswith("explicit")
            and (o.draw, o.n_branches) == (mine.draw, mine.n_branches)
        ]
        found.append(Duel(mine.draw, mine.n_branches, mine.error, min(theirs)))
    return tuple(found)


def _remarks(models: Models) -> tuple[str, ...]:
    """What runs, on what, and what the paper quotes of others."""
    where = (
        "the Silverbox record, official split"
        if models.real
        else "no record was given (--record PATH): this is a simulated twin, the forced Duffing "
        "oscillator, and no cell compares with the paper"
    )
    others = ", ".join(f"{error:g} % ({how})" for how, error in published.KARAMI.items())
    return (
        where,
        "the paper has a figure here, whose one number is the line of the reference; models with "
        f"r >= {published.SIMILAR_FROM} are said to be similar: within a factor {SIMILAR:g} is "
        "taken to be that",
        f"quoted there of a competing method: {others}",
    )
