"""NARX candidates: a polynomial with chosen lags, decoupled and refined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from .._util.deadline import is_time_up
from ..bases import Basis, BSpline
from ..dynamics._records import Records
from ..errors import UnbraidError
from ..narx import NARX, fit_polynomial_narx
from ..narx._lag_selection import choose_lags, shorten_records
from ._held_out import to_signals

NARX_SAMPLES = 8192  # that NARX candidates are fitted to
BRANCHES_PER_OUTPUT = 3  # per output, of decoupled candidates
NARX_DEGREES = (2, 3)
NARX_SPLINE = BSpline(8)  # tried for the best number of branches
REFINE_ITERATIONS = 40


def fit_coupled_narx(records: Records) -> NARX:
    """The polynomial NARX model of the lags and degree that simulate best."""
    short = shorten_records(records, NARX_SAMPLES)
    chosen = choose_lags(short, NARX_DEGREES)
    return fit_polynomial_narx(
        *to_signals(short), chosen.input_lags, chosen.output_lags, chosen.degree
    )


def decouple_narx(
    coupled: NARX,
    n_branches: int,
    basis: Basis | Literal["auto"],
    random_state: np.random.Generator,
) -> NARX | None:
    """The polynomial decoupled and refined; None if that fails."""
    assert coupled.data is not None
    try:
        small = coupled.decouple(n_branches, basis=basis, random_state=random_state)
        return small.refine(*to_signals(coupled.data), max_iterations=REFINE_ITERATIONS)
    except UnbraidError:
        return None


def propose_narx(
    coupled: NARX, n_outputs: int, rng: np.random.Generator
) -> Iterator[tuple[str, NARX]]:
    """Labels and models of growing size, at last one with splines."""
    last = 0
    for n_branches in range(1, BRANCHES_PER_OUTPUT * n_outputs + 1):
        if is_time_up():
            return
        model = decouple_narx(coupled, n_branches, "auto", rng)
        if model is not None:
            last = n_branches
            yield f"NARX, {describe_lags(coupled)}", model
    if last and not is_time_up():
        model = decouple_narx(coupled, last, NARX_SPLINE, rng)
        if model is not None:
            yield f"NARX, {describe_lags(coupled)}, splines", model


def describe_lags(model: NARX) -> str:
    """Number of lags of inputs and outputs."""
    assert model.data is not None
    lags = model.lags(*model.data.channels)
    n_u, n_y = (
        max((len(channel) for channel in c), default=0) for c in (lags.inputs, lags.outputs)
    )
    return f"{n_u} + {n_y} lags"
