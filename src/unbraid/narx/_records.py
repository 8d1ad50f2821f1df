"""Input-output data: one record or several, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array, moderate
from ..errors import InvalidSamples

FAR = 1e3  # times the largest output of the data: a model that gets there has run off


@dataclass(frozen=True, eq=False)
class Record:
    """Inputs (T, n_u) and outputs (T, n_y), sample by sample.

    ``roots`` (T,) has the square roots of how much each sample counts; None is all alike.
    """

    u: Array
    y: Array
    roots: Array | None = None

    @property
    def weights(self) -> Array:
        """How much each sample counts, (T,)."""
        return np.ones(len(self.u)) if self.roots is None else self.roots**2

    def part(self, begin: int, end: int) -> Record:
        """The samples from begin to end."""
        roots = None if self.roots is None else self.roots[begin:end]
        return Record(self.u[begin:end], self.y[begin:end], roots)

    def __len__(self) -> int:
        return len(self.u)


@dataclass(frozen=True, eq=False)
class Records:
    """Records of the same channels; ``several`` and ``flat`` say how the user wrote them."""

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
        """Inputs and outputs."""
        return self.n_inputs, self.n_outputs

    def require(self, least: int) -> None:
        """Refuse records of fewer samples."""
        for index, record in enumerate(self.items):
            if len(record) < least:
                rows = record.u.shape[1] > 1
                hint = "; signals are columns, (samples, channels): transpose them" if rows else ""
                raise InvalidSamples(
                    f"record {index} has {len(record)} samples: at least {least} are needed for "
                    f"these lags{hint}"
                )

    @property
    def reach(self) -> Array:
        """Outputs that a model of these records should never get to."""
        largest = np.max([np.abs(r.y).max(axis=0) for r in self.items], axis=0)
        return np.where(largest > 0, FAR * largest, FAR * max(float(largest.max()), 1.0))

    def split(self, share: float, overlap: int) -> tuple[Records, Records | None]:
        """All but the last share of every record, and those, with what their lags look back to."""
        if share == 0:
            return self, None
        first, last = [], []
        for record in self.items:
            cut = len(record) - int(share * len(record))
            first.append(record.part(0, cut))
            last.append(record.part(max(cut - overlap, 0), len(record)))
        return replace(self, items=tuple(first)), replace(self, items=tuple(last))

    def like(self, outputs: Sequence[Array]) -> Any:
        """Outputs in the user's own shape: a list for several records, (T,) for a flat one."""
        shaped = [y[:, 0] if self.flat else y for y in outputs]
        return shaped if self.several else shaped[0]


def make_records(u: Any, y: Any) -> Records:
    """Inputs and outputs of equal length, record by record."""
    inputs, outputs = parts_of("u", u), parts_of("y", y)
    if len(inputs) != len(outputs):
        raise InvalidSamples(f"u has {len(inputs)} records but y has {len(outputs)}")
    items = tuple(
        Record(*_pair(k, a, b)) for k, (a, b) in enumerate(zip(inputs, outputs, strict=True))
    )
    for record in items[1:]:
        if (record.u.shape[1], record.y.shape[1]) != (items[0].u.shape[1], items[0].y.shape[1]):
            raise InvalidSamples("the records differ in their number of inputs or outputs")
    flat = all(np.ndim(b) == 1 for b in outputs)
    return Records(items, is_several(y), flat)


def is_several(signal: Any) -> bool:
    """A list or tuple of arrays is several records; anything else is one."""
    return isinstance(signal, (list, tuple)) and any(np.ndim(part) > 0 for part in signal)


def parts_of(name: str, signal: Any) -> list[Any]:
    """The records in what the user passed."""
    if not is_several(signal):
        return [signal]
    if all(isinstance(part, (list, tuple)) for part in signal):
        raise InvalidSamples(
            f"{name} is a list of lists: pass one array (samples, channels), or a list of arrays "
            f"for several records"
        )
    return list(signal)


def column_table(name: str, signal: Any) -> Array:
    """A signal as (T, channels), finite."""
    table = finite_array(name, signal)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] == 0:
        raise InvalidSamples(
            f"{name} has shape {np.shape(signal)}: pass (samples,) or (samples, channels)"
        )
    return moderate(name, table)


def _pair(index: int, u: Any, y: Any) -> tuple[Array, Array]:
    u, y = column_table(f"u of record {index}", u), column_table(f"y of record {index}", y)
    if len(u) != len(y):
        raise InvalidSamples(
            f"record {index} has {len(u)} samples of u but {len(y)} of y: they must be equal"
        )
    return u, y


def weighted(records: Records, weights: Any) -> Records:
    """The records with the user's weights, one array (T,) a record."""
    if weights is None:
        return records
    parts = [finite_array("weights", part).ravel() for part in parts_of("weights", weights)]
    sizes = [len(record) for record in records.items]
    if [part.size for part in parts] != sizes:
        raise InvalidSamples(
            f"weights have lengths {[part.size for part in parts]}, the records {sizes}"
        )
    if any(np.any(part < 0) for part in parts) or not any(np.any(part > 0) for part in parts):
        raise InvalidSamples("weights must be at least 0, and some of them greater")
    most = max(float(part.max(initial=0.0)) for part in parts)  # only their ratios count
    pairs = zip(records.items, parts, strict=True)
    return replace(records, items=tuple(replace(r, roots=np.sqrt(w / most)) for r, w in pairs))
