"""Identify a dynamic model from records: one call."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._util.deadline import limit_time
from .._util.parallel import check_n_jobs
from .._util.progress import show_progress
from .._util.threads import limit_threads
from .._util.validation import check_non_negative
from ..dynamics._candidates import CandidateTable
from ..dynamics._records import (
    Records,
    channel_names,
    check_name_count,
    check_sampling_time,
    is_record_list,
    make_records,
)
from ..dynamics._time_axis import read_time_axis, split_records
from ..errors import FitWarning, InvalidOptionError, InvalidSamplesError
from ..narx import NARX
from ..sampling import RandomState
from ..statespace import StateSpace
from ..statespace._estimation import check_share
from ._candidate_search import CandidateSearch, TimeBudget
from ._held_out import HeldOutBlocks
from ._sampling_check import suggest_decimation

MIN_SECONDS = 1.0  # of a time limit
Names = tuple[str, ...] | None


def identify(
    u: Any,
    y: Any,
    *,
    held_out: float = 0.2,
    max_seconds: float | None = 150.0,
    sampling_time: float | None = None,
    time: Any = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = 1,
    progress: bool | None = None,
) -> NARX | StateSpace:
    """Identify a dynamic model from records of inputs and outputs.

    A linear state-space model, NARX models with chosen lags and nonlinear state-space models of
    growing size are fitted without some blocks of samples. The smallest one whose free-run
    simulation of these blocks is about as good as the best is chosen and refined on all samples. A
    nonlinear model must be clearly better than the linear one.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
        Names of the columns of a table are kept.
    held_out : float
        Share of the samples, in blocks, on which the models are compared.
    max_seconds : float or None
        Time limit. The best model so far is returned then, so that the result can depend on the
        speed of the machine; None: no limit.
    sampling_time : float, optional
        Seconds.
    time : (T,), optional
        Time stamps instead of ``sampling_time``: seconds or dates. u and y are split into several
        records at gaps and where time goes back; stamps that are not uniform are refused.
    input_names, output_names : list of str, optional
    random_state : int, Generator or None
    n_jobs : int or None
        Processes, through joblib.
    progress : bool, optional
        Whether to show a line with the stage and the time left, as for ``unbraid.decouple``.

    Returns
    -------
    NARX or StateSpace
        ``candidates`` is the table of the models that were compared.

    Examples
    --------
    >>> import numpy as np
    >>> u = np.random.default_rng(0).normal(size=400)
    >>> y = np.zeros(400)
    >>> for t in range(399):
    ...     y[t + 1] = 0.8 * y[t] + u[t]
    >>> model = identify(u, y, random_state=0)
    >>> model.n_states, bool(model.score(u, y).percent < 1e-3)
    (1, True)
    """
    check_n_jobs(n_jobs)
    if max_seconds is not None and check_non_negative("max_seconds", max_seconds) < MIN_SECONDS:
        raise InvalidOptionError(f"max_seconds must be at least {MIN_SECONDS:g}, or None")
    names = _find_names(u, input_names), _find_names(y, output_names)
    notices: tuple[str, ...] = ()
    if time is not None:
        u, y, sampling_time, notices = _split_at_gaps(u, y, sampling_time, time)
    records = make_records(u, y, *names)
    for k, what in enumerate(("input_names", "output_names")):
        check_name_count(what, names[k], records.channels[k])
    _check_signals_vary(records)
    seconds = check_sampling_time(sampling_time)
    blocks = HeldOutBlocks(records, check_share(held_out))
    rng, budget = np.random.default_rng(random_state), TimeBudget(max_seconds)
    with show_progress("Identifying", progress), limit_time(max_seconds), limit_threads():
        search = CandidateSearch(blocks, seconds, n_jobs, budget, rng)
        search.run()
        model, rows = search.finish()
    notices += _notice_oversampling(records)
    if not search.is_complete:
        warnings.warn(
            f"the time limit of {max_seconds:g} s ended the comparison: a larger max_seconds, or "
            f"None, may find a better or smaller model",
            FitWarning,
            stacklevel=2,
        )
    table = CandidateTable(rows, blocks.share, notices, search.is_complete)
    return replace(model, input_names=names[0], output_names=names[1], candidates=table)


def _find_names(signal: Any, given: Sequence[str] | None) -> Names:
    """Names of the channels: those given, else those of a table."""
    names = channel_names(signal) if given is None else given
    return None if names is None else tuple(names)


def _split_at_gaps(
    u: Any, y: Any, sampling_time: Any, time: Any
) -> tuple[Any, Any, float, tuple[str, ...]]:
    """Signals as records with uniform time stamps, the sampling time, and notices."""
    if sampling_time is not None:
        raise InvalidOptionError("time and sampling_time say the same: pass one of them")
    if is_record_list(u) or is_record_list(y):
        raise InvalidOptionError("time needs one array u and one array y: pass sampling_time")
    axis = read_time_axis(time)
    u, y = split_records(axis, np.asarray(u), np.asarray(y))
    return u, y, axis.sampling_time, tuple(axis.notices)


def _check_signals_vary(records: Records) -> None:
    """Raise an error for a constant channel, which carries no information."""
    for name in ("u", "y"):
        together = np.concatenate([getattr(record, name) for record in records.items])
        for k in np.flatnonzero(np.ptp(together, axis=0) == 0):
            raise InvalidSamplesError(
                f"channel {k} of {name} is constant and carries no information: leave it out"
            )


def _notice_oversampling(records: Records) -> tuple[str, ...]:
    """Warn of signals that are sampled much faster than they change."""
    factor = suggest_decimation(records)
    if factor == 1:
        return ()
    notice = (
        f"the signals are sampled much faster than they change: one sample in {factor} "
        f"(scipy.signal.decimate) is enough, and gives simpler models"
    )
    warnings.warn(notice, FitWarning, stacklevel=3)
    return (notice,)
