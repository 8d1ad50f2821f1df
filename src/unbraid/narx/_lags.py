"""Lags of a NARX model, and the regressors that they select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Index
from ..dynamics._records import Record
from ..errors import InvalidOptionError

LagSpec = Sequence[int] | Sequence[Sequence[int]]


@dataclass(frozen=True)
class Lags:
    """Lags of every input and every output, one tuple per channel.

    A regressor holds u_1 at its lags, u_2 at its lags, ..., y_1 at its lags, ..., as in eq. (x).

    >>> lags = Lags.expand((0, 1), (1, 2), n_inputs=1, n_outputs=1)
    >>> lags.names, lags.longest
    (('u(t)', 'u(t-1)', 'y(t-1)', 'y(t-2)'), 2)
    """

    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]

    @classmethod
    def expand(cls, input_lags: Any, output_lags: Any, n_inputs: int, n_outputs: int) -> Lags:
        """Lags for these channels; a single tuple applies to all channels of its kind."""
        return cls(
            expand_channels("input_lags", input_lags, n_inputs),
            expand_channels("output_lags", output_lags, n_outputs),
        )

    @property
    def longest(self) -> int:
        """Number of samples at the start of a record that have no full regressor."""
        return max((lag for channel in (*self.inputs, *self.outputs) for lag in channel), default=0)

    @property
    def memory(self) -> int:
        """The longest lag of an output."""
        return max((lag for channel in self.outputs for lag in channel), default=0)

    @property
    def n_regressors(self) -> int:
        return sum(map(len, (*self.inputs, *self.outputs)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the regressors, such as u(t-1)."""
        return self.name_regressors()

    def name_regressors(
        self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
    ) -> tuple[str, ...]:
        """Names of the regressors, from those of the channels.

        >>> Lags(((1,),), ((1,),)).name_regressors(["pump"], ["level"])
        ('pump(t-1)', 'level(t-1)')
        """
        channels = (
            *zip(name_channels("u", len(self.inputs), inputs), self.inputs, strict=True),
            *zip(name_channels("y", len(self.outputs), outputs), self.outputs, strict=True),
        )
        return tuple(f"{name}(t{-lag if lag else ''})" for name, lags in channels for lag in lags)

    @property
    def feedback(self) -> tuple[Index, Index, Index]:
        """Column, output channel and lag of every regressor that is a past output."""
        pairs = [(i, lag) for i, channel in enumerate(self.outputs) for lag in channel]
        first = self.n_regressors - len(pairs)
        channels, lags = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return first + np.arange(len(pairs)), channels, lags

    def table(self, u: Array, y: Array, begin: int, end: int) -> Array:
        """Regressors at the samples from ``begin`` to ``end``, (end - begin, m)."""
        columns = [u[begin - lag : end - lag, i] for i, c in enumerate(self.inputs) for lag in c]
        columns += [y[begin - lag : end - lag, i] for i, c in enumerate(self.outputs) for lag in c]
        return np.stack(columns, axis=1)

    def regressors(self, records: Sequence[Record], first: int | None = None) -> Array:
        """Regressors of all records from sample ``first`` on (default: the longest lag)."""
        first = self.longest if first is None else first
        return np.concatenate([self.table(r.u, r.y, first, len(r)) for r in records])


def name_channels(letter: str, count: int, names: Sequence[str] | None = None) -> list[str]:
    """The names of channels; by default a letter, with a number if there are several.

    >>> name_channels("u", 1), name_channels("y", 2), name_channels("u", 1, ["pump"])
    (['u'], ['y1', 'y2'], ['pump'])
    """
    if names is not None and len(names) == count:
        return list(names)
    return [letter] if count == 1 else [f"{letter}{i + 1}" for i in range(count)]


def infer_lags(input_lags: Any, output_lags: Any, n_regressors: int, n_outputs: int) -> Lags:
    """Lags of a function of ``n_regressors`` inputs.

    The number of input channels is inferred.
    """
    for n_inputs in range(n_regressors + 1):
        try:
            lags = Lags.expand(input_lags, output_lags, n_inputs, n_outputs)
        except InvalidOptionError:  # lags per channel, for another number of channels
            continue
        if lags.n_regressors == n_regressors:
            return lags
    raise InvalidOptionError(f"the lags do not make the {n_regressors} inputs of the function")


def check_lags(name: str, spec: Any) -> tuple[Any, ...]:
    """Return lags as a tuple of integers, or as one such tuple per channel."""
    try:
        entries = tuple(spec)
    except TypeError:
        raise InvalidOptionError(f"{name} must be lags like (0, 1, 2), got {spec!r}") from None
    nested = [isinstance(entry, (list, tuple, range, np.ndarray)) for entry in entries]
    if not any(nested):
        return _check_channel(name, entries)
    if not all(nested):
        raise InvalidOptionError(f"{name} mixes lags and tuples of lags: {spec!r}")
    return tuple(_check_channel(name, entry) for entry in entries)


def _check_channel(name: str, entries: Any) -> tuple[int, ...]:
    if not all(isinstance(e, (int, np.integer)) and not isinstance(e, bool) for e in entries):
        raise InvalidOptionError(f"{name} must hold whole numbers, got {entries!r}")
    least = 1 if name == "output_lags" else 0
    if any(entry < least for entry in entries):
        why = "y(t) cannot explain itself" if least else "the future is not known"
        raise InvalidOptionError(f"{name} starts at {least} ({why}), got {entries!r}")
    if len(set(entries)) < len(entries):
        raise InvalidOptionError(f"{name} contains a lag twice: {entries!r}")
    return tuple(int(entry) for entry in entries)


def expand_channels(name: str, spec: Any, n_channels: int) -> tuple[tuple[int, ...], ...]:
    """Checked lags of every channel; a single tuple applies to all."""
    lags = check_lags(name, spec)
    if not lags or not isinstance(lags[0], tuple):
        return (lags,) * n_channels
    if len(lags) != n_channels:
        raise InvalidOptionError(
            f"{name} has lags for {len(lags)} channels but the data has {n_channels}"
        )
    return lags
