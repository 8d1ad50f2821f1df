"""Time stamps of records: sampling time, gaps, and several records in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import (
    check_magnitude,
    check_non_negative,
    count_noun,
    finite_array,
)
from ..errors import InvalidOptionError, InvalidSamplesError

DEFAULT_TOLERANCE = 0.1  # of a sampling time: largest deviation of a stamp from equal steps
GAP_FACTOR = 1.5  # sampling times from which on a step is a gap
MIN_REGULAR_SHARE = 0.8  # of the steps: with fewer, the sampling is not uniform
MAX_ISOLATED_SHARE = 0.02  # of the stamps between two gaps: with more, it is not uniform
MAX_RATE_DIFFERENCE = 0.01  # relative, of the sampling times of two records
MAX_LISTED_GAPS = 3
REMEDY = (
    "resample the record at equal steps first (numpy.interp, MATLAB resample); if only the stamps "
    "are rounded, pass the sampling time instead of the stamps"
)


@dataclass(frozen=True)
class TimeGap:
    """Missing samples between two records."""

    sample: int  # first sample after the gap
    time: float  # last stamp before it, in seconds
    duration: float  # step from that stamp to the next, in seconds
    n_missing: int  # samples that fit into the gap


@dataclass(frozen=True, eq=False)
class TimeAxis:
    """Uniformly sampled parts of a table, each one record.

    ``restarts`` are the samples at which the stamps go back.
    """

    times: Array  # (T,), seconds; dates count from the first one
    sampling_time: float  # seconds
    segments: tuple[slice, ...]
    gaps: tuple[TimeGap, ...] = ()
    restarts: tuple[int, ...] = ()

    @property
    def notices(self) -> list[str]:
        """Sentences that say where and why the table is split into records.

        >>> read_time_axis([0.0, 0.1, 0.2, 0.3, 0.4, 0.9, 1.0, 1.1]).notices
        ['1 gap in the time stamps: 4 missing samples after 0.4 s (row 5): split there']
        """
        return [*self._describe_gaps(), *self._describe_restarts()]

    def _describe_gaps(self) -> list[str]:
        if not self.gaps:
            return []
        places = [
            f"{count_noun(gap.n_missing, 'missing sample')} after {gap.time:.6g} s (row "
            f"{gap.sample})"
            for gap in self.gaps[:MAX_LISTED_GAPS]
        ]
        places += ["..."] if len(self.gaps) > MAX_LISTED_GAPS else []
        head = f"{count_noun(len(self.gaps), 'gap')} in the time stamps"
        return [f"{head}: {', '.join(places)}: split there"]

    def _describe_restarts(self) -> list[str]:
        if not self.restarts:
            return []
        rows = [str(k) for k in self.restarts[:MAX_LISTED_GAPS]]
        rows += ["..."] if len(self.restarts) > MAX_LISTED_GAPS else []
        return [f"the time starts again after row {', '.join(rows)}: a new record begins there"]


def read_time_axis(
    time: Any, *, tolerance: float = DEFAULT_TOLERANCE, name: str = "time"
) -> TimeAxis:
    """Find the sampling time and the uniformly sampled parts of time stamps.

    Parameters
    ----------
    time : (T,)
        Seconds, or dates: datetime64, pandas Timestamps, ISO 8601 text. Dates become seconds since
        the first one.
    tolerance : float
        Largest deviation of a stamp from equal steps, relative to the sampling time.
    name : str
        What messages call the stamps.

    Returns
    -------
    TimeAxis
        Its segments end at gaps, where samples are missing, and where the time goes back, where
        another record begins. Stamps that are not uniform otherwise raise InvalidSamplesError.

    Examples
    --------
    >>> axis = read_time_axis([0.0, 0.1, 0.2, 0.3, 0.0, 0.1, 0.2])
    >>> axis.segments, axis.restarts
    ((slice(0, 4, None), slice(4, 7, None)), (4,))
    """
    if not 0 < check_non_negative("tolerance", tolerance) < 0.5:
        raise InvalidOptionError(f"tolerance must be between 0 and 0.5, got {tolerance!r}")
    times = check_magnitude(name, convert_to_seconds(time, name)[:, None])[:, 0]
    if len(times) < 2:
        raise InvalidSamplesError(f"{name} has {len(times)} stamps: at least 2 are needed")
    steps = np.diff(times)
    _check_order(name, times, steps)
    typical = float(np.median(steps[steps > 0]))
    is_gap, is_restart = steps > GAP_FACTOR * typical, steps < 0
    segments = _split(len(times), np.flatnonzero(is_gap | is_restart) + 1)
    stamps = _Stamps(name, times, steps[~is_restart])
    is_regular = ~is_gap & ~is_restart & (steps > typical / GAP_FACTOR)
    isolated = sum(part.stop - part.start == 1 for part in segments)
    if np.mean(is_regular) < MIN_REGULAR_SHARE or isolated > 1 + MAX_ISOLATED_SHARE * len(times):
        raise stamps.make_error(int(np.argmin(is_regular)))
    sampling_time = float(np.mean(steps[~is_gap & ~is_restart]))
    for part in segments:
        stamps.check_segment(part, sampling_time, tolerance)
    gaps = tuple(
        TimeGap(int(k) + 1, float(times[k]), float(steps[k]), _count_missing(steps[k], typical))
        for k in np.flatnonzero(is_gap)
    )
    restarts = tuple(int(k) + 1 for k in np.flatnonzero(is_restart))
    return TimeAxis(times, sampling_time, segments, gaps, restarts)


def split_records(time_axis: TimeAxis, *signals: Any) -> tuple[list[Any], ...]:
    """Split signals into the records of a time axis: one list of arrays per signal.

    The lists are what model functions take as several records.

    >>> import numpy as np
    >>> axis = read_time_axis([0.0, 0.1, 0.2, 0.3, 0.0, 0.1, 0.2])
    >>> u, y = split_records(axis, np.arange(7), np.arange(7) ** 2)
    >>> u
    [array([0, 1, 2, 3]), array([4, 5, 6])]
    """
    for signal in signals:
        if len(signal) != len(time_axis.times):
            raise InvalidSamplesError(
                f"a signal has {len(signal)} samples for {len(time_axis.times)} time stamps"
            )
    rows = [getattr(signal, "iloc", signal) for signal in signals]
    return tuple([signal[part] for part in time_axis.segments] for signal in rows)


def convert_to_seconds(time: Any, name: str = "time") -> Array:
    """Time stamps (T,) in seconds; dates count from the first one.

    >>> convert_to_seconds(["2024-05-01T12:00:00", "2024-05-01T12:00:00.25"])
    array([0.  , 0.25])
    """
    stamps = np.asarray(time)
    if stamps.ndim == 2 and stamps.shape[1] == 1:
        stamps = stamps[:, 0]
    if stamps.ndim == 1 and stamps.dtype.kind in "mM":
        return _convert_dates(stamps, name)
    if stamps.ndim == 1 and stamps.size and stamps.dtype.kind in "OU":
        values = stamps.tolist()
        if any(isinstance(value, (str, datetime)) for value in values):
            return _convert_objects(values, name)
    return finite_array(name, time if stamps.ndim != 1 else stamps, ndim=1)


def _convert_dates(stamps: Any, name: str) -> Array:
    """Seconds since the first of some datetime64, or timedelta64 in seconds."""
    absent = np.flatnonzero(np.isnat(stamps))
    if absent.size:
        raise InvalidSamplesError(
            f"{name} has {absent.size} stamps without a date, the first at index {absent[0]}; "
            f"remove those rows or fill them in"
        )
    spans = stamps if stamps.dtype.kind == "m" else stamps - stamps[:1]
    return np.asarray(spans / np.timedelta64(1, "ns") * 1e-9, dtype=float)


def _convert_objects(values: Sequence[Any], name: str) -> Array:
    """Seconds since the first of some dates or texts."""
    dates = [_read_date(value, k, name) for k, value in enumerate(values)]
    try:
        seconds = [(date - dates[0]).total_seconds() for date in dates]
    except TypeError:  # of one date with a time zone and one without
        raise InvalidSamplesError(
            f"{name} has stamps with and without a time zone: write all in one way"
        ) from None
    return finite_array(name, seconds, ndim=1)


def _read_date(value: Any, index: int, name: str) -> Any:
    if isinstance(value, datetime):
        return value  # a missing Timestamp gives NaN seconds, which is found later
    try:
        return datetime.fromisoformat(value.strip())
    except (AttributeError, ValueError):
        raise InvalidSamplesError(
            f"{name} has the stamp {value!r} at index {index}: write seconds, or dates as "
            f"2024-05-31T12:00:00.25"
        ) from None


def _check_order(name: str, times: Array, steps: Array) -> None:
    """Refuse stamps that repeat or that mostly run backwards."""
    if not np.any(steps):
        raise InvalidSamplesError(
            f"{name} is constant at {times[0]:.6g}: it is no column of times; leave it out, or "
            f"pass the sampling time instead"
        )
    repeated = np.flatnonzero(steps == 0)
    if repeated.size:
        first = repeated[0]
        raise InvalidSamplesError(
            f"{name} repeats {count_noun(repeated.size, 'stamp')}, the first {times[first]:.6g} in "
            f"row {first + 2}: remove the repeated rows; {REMEDY}"
        )
    if np.mean(steps < 0) > 1 - MIN_REGULAR_SHARE:
        raise InvalidSamplesError(
            f"{name} goes back at {np.sum(steps < 0)} of {steps.size} steps: it is no column of "
            f"times, or the rows are not in order; sort them by time"
        )


def _split(n_stamps: int, cuts: Any) -> tuple[slice, ...]:
    """The parts between the cuts."""
    edges = [0, *cuts.tolist(), n_stamps]
    return tuple(slice(begin, end) for begin, end in pairwise(edges))


def _count_missing(step: float, typical: float) -> int:
    return max(int(min(round(step / typical), 2**62)) - 1, 1)


@dataclass(frozen=True, eq=False)
class _Stamps:
    """Stamps to check, and their steps that go forward."""

    name: str
    times: Array
    steps: Array

    def check_segment(self, part: slice, sampling_time: float, tolerance: float) -> None:
        """Refuse stamps that are not equally spaced, or not at the common sampling time."""
        times = self.times[part]
        n_steps = len(times) - 1
        if n_steps == 0:
            return
        step = (times[-1] - times[0]) / n_steps
        deviation = times - times[0] - step * np.arange(len(times))
        deviation -= (deviation.max() + deviation.min()) / 2
        allowed = tolerance * sampling_time
        if np.abs(deviation).max() > allowed:
            raise self.make_error(part.start + _find_worst_step(times, sampling_time))
        drift = abs(step - sampling_time) * n_steps
        if drift > 2 * allowed + MAX_RATE_DIFFERENCE * sampling_time * n_steps:
            raise InvalidSamplesError(
                f"{self.name} has a sampling time of {step:.6g} s in rows {part.start + 1} to "
                f"{part.stop}, and of {sampling_time:.6g} s on average: {REMEDY}"
            )

    def make_error(self, index: int) -> InvalidSamplesError:
        """The error of stamps that are not uniform at step ``index``."""
        before, after = self.times[index : index + 2]
        return InvalidSamplesError(
            f"{self.name} is not uniformly sampled: its steps are {self.steps.min():.4g} to "
            f"{self.steps.max():.4g} s, see the one of {after - before:.4g} s after {before:.6g} s "
            f"(row {index + 1}): {REMEDY}"
        )


def _find_worst_step(times: Array, sampling_time: float) -> int:
    return int(np.argmax(np.abs(np.diff(times) - sampling_time)))
