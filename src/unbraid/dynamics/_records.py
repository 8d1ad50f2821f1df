"""Input-output data: one record or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.tables import column_names, match_columns
from .._util.validation import (
    check_integer,
    check_magnitude,
    check_non_negative,
    finite_array,
    real_array,
)
from ..errors import InvalidOptionError, InvalidSamplesError

DIVERGENCE_FACTOR = 1e3  # times the largest output of the data: a model beyond it has diverged
MAX_HELD_OUT_SHARE = 0.9  # of every record


@dataclass(frozen=True, eq=False)
class Record:
    """Inputs u (T, n_u), outputs y (T, n_y) and roots of the sample weights (T, 1)."""

    u: Array
    y: Array
    root_weights: Array | None = None  # None: all samples have the same weight

    @property
    def roots(self) -> Array:
        """Square roots of the sample weights, (T, 1)."""
        return np.ones((len(self), 1)) if self.root_weights is None else self.root_weights

    def segment(self, begin: int, end: int) -> Record:
        """The samples from ``begin`` to ``end``."""
        roots = None if self.root_weights is None else self.root_weights[begin:end]
        return Record(self.u[begin:end], self.y[begin:end], roots)

    def __len__(self) -> int:
        return len(self.u)


@dataclass(frozen=True, eq=False)
class Records:
    """Records of the same channels.

    ``several`` and ``flat`` describe the user's y: a list of records, signals of shape (T,).
    """

    items: tuple[Record, ...]
    several: bool
    flat: bool

    @property
    def n_inputs(self) -> int:
        return int(self.items[0].u.shape[1])

    @property
    def n_outputs(self) -> int:
        return int(self.items[0].y.shape[1])

    @property
    def channels(self) -> tuple[int, int]:
        """Number of inputs and number of outputs."""
        return self.n_inputs, self.n_outputs

    @property
    def divergence_limit(self) -> Array:
        """Size of each output beyond which a model of these records has diverged."""
        largest = np.max([np.abs(r.y).max(axis=0) for r in self.items], axis=0)
        return DIVERGENCE_FACTOR * np.where(largest > 0, largest, max(float(largest.max()), 1.0))

    def check_length(self, least: int) -> None:
        """Raise InvalidSamplesError if a record has fewer than ``least`` samples."""
        for index, record in enumerate(self.items):
            if len(record) < least:
                rows = record.u.shape[1] > 1
                hint = "; signals are columns, (samples, channels): transpose them" if rows else ""
                raise InvalidSamplesError(
                    f"record {index} has {len(record)} samples: at least {least} are needed for "
                    f"these lags{hint}"
                )

    def check_initial(self, longest_lag: int, initial: int | None) -> int:
        """Number of initial samples of a simulation; by default the longest lag."""
        first = max(longest_lag, 1)
        if initial is not None:
            first = check_integer("initial", initial, longest_lag)
        shortest = min(map(len, self.items))
        if first >= shortest:
            raise InvalidSamplesError(
                f"initial = {first} leaves nothing of a record of {shortest} samples to simulate"
            )
        return first

    def split(self, held_out: Any, initial: int) -> tuple[Records, Records | None]:
        """Split every record: its first part to fit, its last share for validation.

        The validation records also contain the initial samples before that share.
        """
        share = check_non_negative("held_out", held_out)
        if share >= MAX_HELD_OUT_SHARE:
            raise InvalidOptionError(f"held_out = {share:g} leaves too little to fit")
        if share == 0:
            return self, None
        first, last = [], []
        for record in self.items:
            cut = len(record) - int(share * len(record))
            first.append(record.segment(0, cut))
            last.append(record.segment(max(cut - initial, 0), len(record)))
        if min(map(len, [*first, *last])) <= initial:
            raise InvalidSamplesError(
                f"held_out = {share:g} splits a record into parts too short to simulate from "
                f"{initial} initial samples: pass held_out=0, or held_out=(u, y)"
            )
        return replace(self, items=tuple(first)), replace(self, items=tuple(last))

    def with_weights(self, weights: Any) -> Records:
        """The records with the user's weights, one array (T,) per record."""
        if weights is None:
            return self
        parts = [finite_array("weights", part).ravel() for part in as_list("weights", weights)]
        lengths, sizes = [part.size for part in parts], [len(record) for record in self.items]
        if lengths != sizes:
            raise InvalidSamplesError(f"weights have lengths {lengths}, the records {sizes}")
        together = np.concatenate(parts)
        if np.any(together < 0) or not np.any(together > 0):
            raise InvalidSamplesError("weights must be at least 0, and some of them greater")
        most = float(together.max())  # only their ratios count
        roots = [np.sqrt(part / most)[:, None] for part in parts]
        pairs = zip(self.items, roots, strict=True)
        return replace(self, items=tuple(replace(r, root_weights=root) for r, root in pairs))

    def restore_shape(self, outputs: Sequence[Array]) -> Any:
        """Outputs in the shape of the user's y."""
        shaped = [y[:, 0] if self.flat else y for y in outputs]
        return shaped if self.several else shaped[0]


def make_records(
    u: Any,
    y: Any,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> Records:
    """Check inputs and outputs and pair them, record by record.

    The columns of tables are matched with the names of the channels, where these are known.
    """
    inputs, outputs = as_list("u", u), as_list("y", y)
    if len(inputs) != len(outputs):
        raise InvalidSamplesError(f"u has {len(inputs)} records but y has {len(outputs)}")
    items = []
    for index, (a, b) in enumerate(zip(inputs, outputs, strict=True)):
        record = Record(
            as_columns(f"u of record {index}", a, input_names),
            as_columns(f"y of record {index}", b, output_names),
        )
        if len(record.u) != len(record.y):
            raise InvalidSamplesError(
                f"record {index} has {len(record.u)} samples of u but {len(record.y)} of y: they "
                f"must be equal"
            )
        items.append(record)
    if len({(record.u.shape[1], record.y.shape[1]) for record in items}) > 1:
        raise InvalidSamplesError("the records differ in their number of inputs or outputs")
    return Records(tuple(items), is_record_list(y), all(np.ndim(b) == 1 for b in outputs))


def check_sampling_time(sampling_time: Any) -> float | None:
    """Seconds between samples; several records must agree."""
    if sampling_time is None:
        return None
    times = np.atleast_1d(real_array("sampling_time", sampling_time))
    if times.size == 0 or not np.all(np.isfinite(times)) or np.any(times <= 0):
        raise InvalidOptionError(f"sampling_time must be greater than 0, got {sampling_time!r}")
    if np.ptp(times) > 1e-6 * times[0]:
        raise InvalidSamplesError(
            f"the records have different sampling times, from {times.min():g} to {times.max():g} "
            f"s: resample them to one of these"
        )
    return float(times[0])


def is_record_list(signal: Any) -> bool:
    """Return whether a signal is a list or tuple of arrays, one per record."""
    return isinstance(signal, (list, tuple)) and any(np.ndim(part) > 0 for part in signal)


def as_list(name: str, signal: Any) -> list[Any]:
    """The records of a signal; a list of lists is refused."""
    if not is_record_list(signal):
        return [signal]
    if all(isinstance(part, (list, tuple)) for part in signal):
        raise InvalidSamplesError(
            f"{name} is a list of lists: pass one array (samples, channels), or a list of arrays "
            f"for several records"
        )
    return list(signal)


def pair_with_initial(u: Any, initial: Any) -> list[tuple[Any, Any]]:
    """Inputs of records with their first outputs; one initial may serve all."""
    inputs = as_list("u", u)
    several = is_record_list(u) and is_record_list(initial)
    starts = list(initial) if several else [initial] * len(inputs)
    if len(starts) != len(inputs):
        raise InvalidSamplesError(f"u has {len(inputs)} records, initial has {len(starts)}")
    return list(zip(inputs, starts, strict=True))


def channel_names(signal: Any) -> list[str] | None:
    """Names of the channels: of a table, of a series, or of a list of them."""
    first = signal[0] if is_record_list(signal) else signal
    name = getattr(first, "name", None)
    return [name] if isinstance(name, str) and np.ndim(first) == 1 else column_names(first)


def check_name_count(what: str, names: Sequence[str] | None, count: int) -> None:
    """Raise an error unless there is a different name for each of ``count`` channels."""
    if names is not None and not len(names) == len(set(names)) == count:
        raise InvalidOptionError(
            f"{what} is {list(names)!r}: the records have {count} channels, each needs its own name"
        )


def as_columns(name: str, signal: Any, channels: Sequence[str] | None = None) -> Array:
    """Check a signal and return it as (T, channels); tables are matched by name."""
    table = finite_array(name, match_columns(signal, channels, name))
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] == 0:
        raise InvalidSamplesError(
            f"{name} has shape {np.shape(signal)}: pass (samples,) or (samples, channels)"
        )
    return check_magnitude(name, table)
