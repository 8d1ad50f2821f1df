"""Choice of delays, lags and degree of a polynomial NARX model from records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from .._typing import Array
from .._util.deadline import is_time_up
from .._util.linalg import triangle
from .._util.progress import report_progress
from ..dynamics._records import Record, Records
from ..errors import InvalidSamplesError
from ..metrics import monomial_count
from ..model._error_summary import mean_error
from ._lagged_model import LaggedModel
from ._lags import Lags
from ._regression import regress_polynomial


@dataclass(frozen=True)
class LagSettings:
    """Which lags are tried, and how they are compared."""

    max_order: int = 5  # lags of every output, and of every input after its delay
    max_delay: int = 20  # samples after which an input acts
    delay_significance: float = 1e-4  # probability with which an earlier lag is called active
    max_terms: int = 170  # of a polynomial
    samples_per_term: float = 3.0  # at least
    held_out: float = 0.2  # last share of every record, on which candidates are compared
    equivalent: float = 1.05  # held-out error over the least one that a smaller model may have
    max_samples: int = 4096  # that are used


@dataclass(frozen=True)
class LagCandidate:
    """Lags and degree, with the errors on held-out samples in % of the outputs."""

    lags: Lags
    degree: int
    n_terms: int
    one_step_error: float
    simulation_error: float  # infinite if the simulation diverges


@dataclass(frozen=True)
class LagSelection:
    """The chosen lags and degree, and all candidates.

    Attributes
    ----------
    input_lags, output_lags : tuple of tuple of int
        One tuple per channel.
    degree : int
    delays : tuple of int
        The first lag at which each input acts.
    candidates : tuple of LagCandidate
    """

    input_lags: tuple[tuple[int, ...], ...]
    output_lags: tuple[tuple[int, ...], ...]
    degree: int
    delays: tuple[int, ...]
    candidates: tuple[LagCandidate, ...] = field(repr=False)


@dataclass(frozen=True)
class GivenLags:
    """Lags per channel that the user has fixed; None is open."""

    inputs: tuple[tuple[int, ...], ...] | None = None
    outputs: tuple[tuple[int, ...], ...] | None = None


def choose_lags(
    records: Records,
    degrees: Sequence[int],
    given: GivenLags | None = None,
    settings: LagSettings | None = None,
) -> LagSelection:
    """Lags and degree whose polynomial model simulates held-out samples best.

    The smallest model within a few percent of the least simulation error is chosen. If all
    simulations diverge, one-step errors decide among the models of lowest degree.
    """
    settings = LagSettings() if settings is None else settings
    given = GivenLags() if given is None else given
    records = shorten_records(records, settings.max_samples)
    delays = estimate_delays(records.items, settings)
    longest = min(map(len, records.items)) // 4
    candidates: list[LagCandidate] = []
    for lags in propose_lags(delays, records.n_outputs, longest, settings):
        lags = Lags(given.inputs or lags.inputs, given.outputs or lags.outputs)
        for degree in degrees:
            if candidates and is_time_up():
                break
            report_progress(f"lags, degree {degree}")
            candidate = _assess(records, lags, degree, settings)
            candidates += [] if candidate is None else [candidate]
    best = _pick_smallest(candidates, settings)
    return LagSelection(best.lags.inputs, best.lags.outputs, best.degree, delays, tuple(candidates))


def _assess(
    records: Records, lags: Lags, degree: int, settings: LagSettings
) -> LagCandidate | None:
    """A polynomial fitted to the first part of every record, and its errors after it."""
    try:
        fitted, held = records.split(settings.held_out, max(lags.longest, 1))
    except InvalidSamplesError:
        return None
    n_rows = sum(len(record) - lags.longest for record in fitted.items)
    n_terms = monomial_count(lags.n_regressors, degree, 0)
    if held is None or n_terms > min(settings.max_terms, n_rows / settings.samples_per_term):
        return None
    function = regress_polynomial(fitted, lags, degree)
    model = LaggedModel(function, lags.inputs, lags.outputs, records.divergence_limit)
    u, y = ([getattr(record, name) for record in held.items] for name in ("u", "y"))
    one_step = model._one_step_error(model.records(u, y))
    simulated = mean_error(np.atleast_1d(model.score(u, y).percent))
    return LagCandidate(lags, degree, n_terms, one_step, simulated)


def estimate_delays(records: Sequence[Record], settings: LagSettings) -> tuple[int, ...]:
    """The first lag at which each input acts on any output.

    A regression of the outputs on past outputs and on lags of the inputs and of their squares is
    repeated without the first lags of one input: the delay is the largest number of lags that can
    be left out without a significant increase of the error (F-test).
    """
    n_u, n_y = int(records[0].u.shape[1]), int(records[0].y.shape[1])
    shortest = min(map(len, records))
    order = settings.max_order
    n_rows = sum(map(len, records))
    most = min(settings.max_delay, shortest // 4 - order, n_rows // (8 * n_u) - order)
    if most < 1:
        return (0,) * n_u
    table, owners = _delay_table(records, order, most + order)
    full = triangle(table)
    n_columns = table.shape[1] - n_y
    n_free = len(table) - n_columns
    if n_free < n_columns:
        return (0,) * n_u
    error = _squared_error(full, np.arange(n_columns), n_y)
    floor = 1e-12 * np.sum(table[:, n_columns:] ** 2, axis=0)
    delays = []
    for i in range(n_u):
        delay = 0
        for count in range(1, most + 1):
            left_out = (owners[:, 0] == i) & (owners[:, 1] < count)
            reduced = _squared_error(full, np.flatnonzero(~left_out), n_y)
            n_left_out = int(np.sum(left_out))
            ratio = (reduced - error) / n_left_out / np.maximum(error / n_free, floor / n_free)
            limit = scipy.stats.f.isf(settings.delay_significance / n_y, n_left_out, n_free)
            if np.any(ratio > limit):
                break
            delay = count
        delays.append(delay if delay < most else 0)  # no effect at all: nothing is known
    return tuple(delays)


def _delay_table(records: Sequence[Record], order: int, n_lags: int) -> tuple[Array, Any]:
    """Lagged signals, a constant and the outputs; the input and lag of every column."""
    n_u, n_y = records[0].u.shape[1], records[0].y.shape[1]
    u_all = np.concatenate([record.u for record in records])
    centre, spread = u_all.mean(axis=0), u_all.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    lags = Lags(((*range(n_lags + 1),),) * (2 * n_u), ((*range(1, order + 1),),) * n_y)
    scaled = []
    for record in records:
        u = (record.u - centre) / spread
        scaled.append(Record(np.column_stack([u, u**2]), record.y))
    table = lags.regressors(scaled, n_lags)
    y = np.concatenate([record.y[n_lags:] for record in records])
    owners = [(i % n_u, lag) for i, channel in enumerate(lags.inputs) for lag in channel]
    owners += [(-1, 0)] * (table.shape[1] + 1 - len(owners))
    return np.column_stack([table, np.ones(len(table)), y]), np.array(owners)


def _squared_error(full: Array, columns: Any, n_y: int) -> Array:
    """Sum of squared residuals per output of a regression on some of the columns."""
    n_columns = full.shape[1] - n_y
    reduced = triangle(np.column_stack([full[:, columns], full[:, n_columns:]]))
    rest = reduced[len(columns) :, len(columns) :]
    return np.asarray(np.sum(rest**2, axis=0))


def propose_lags(
    delays: Sequence[int], n_outputs: int, longest: int, settings: LagSettings
) -> list[Lags]:
    """Lags of growing order, with as many input lags as output lags or one more.

    The inputs act at once, one sample later, or after their delays: a slow start of the response
    looks like a delay.
    """
    found: list[Lags] = []
    for order in range(1, settings.max_order + 1):
        for extra in (0, 1):
            for first in (0, 1, settings.max_delay):
                starts = [min(delay, first) for delay in delays]
                inputs = tuple(tuple(range(d, d + order + extra)) for d in starts)
                lags = Lags(inputs, ((*range(1, order + 1),),) * n_outputs)
                if lags.longest <= longest and lags not in found:
                    found.append(lags)
    return found


def shorten_records(records: Records, n_samples: int, n_parts: int = 4) -> Records:
    """Evenly spaced parts of the records with about ``n_samples`` samples in all."""
    total = sum(map(len, records.items))
    if total <= n_samples:
        return records
    items = []
    for record in records.items:
        count = max(len(record) * n_samples // total, 1)
        parts = max(min(n_parts, count // 1000), 1)
        size = count // parts
        last = len(record) - size
        for k in range(parts):
            begin = round(k * last / max(parts - 1, 1))
            items.append(record.segment(begin, begin + size))
    return Records(tuple(items), True, records.flat)


def _pick_smallest(candidates: Sequence[LagCandidate], settings: LagSettings) -> LagCandidate:
    """The candidate with fewest terms whose simulation is about as good as the best."""
    if not candidates:
        raise InvalidSamplesError(
            "the records are too short for any polynomial NARX model: use longer records"
        )
    least = min(candidate.simulation_error for candidate in candidates)
    if not np.isfinite(least):
        return min(candidates, key=lambda c: (c.degree, c.one_step_error))
    good = [c for c in candidates if c.simulation_error <= settings.equivalent * least]
    return min(good, key=lambda c: (c.n_terms, c.simulation_error))
