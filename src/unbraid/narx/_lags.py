"""Which past samples a model looks at, and the table of regressors they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Index
from ..errors import InvalidOption

Spec = Sequence[int] | Sequence[Sequence[int]]


@dataclass(frozen=True)
class Lags:
    """Lags of every input and every output, one tuple a channel.

    A regressor is u_1 at its lags, u_2 at its lags, ..., y_1 at its lags, ..., as in eq. (x).

    >>> lags = Lags.expand((0, 1), (1, 2), n_inputs=1, n_outputs=1)
    >>> lags.names, lags.longest
    (('u(t)', 'u(t-1)', 'y(t-1)', 'y(t-2)'), 2)
    """

    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]

    @classmethod
    def expand(cls, input_lags: Any, output_lags: Any, n_inputs: int, n_outputs: int) -> Lags:
        """Lags for so many channels; one plain tuple serves all channels of its kind."""
        return cls(
            _channels("input_lags", input_lags, n_inputs),
            _channels("output_lags", output_lags, n_outputs),
        )

    @property
    def longest(self) -> int:
        """Samples at the start of a record that have no full regressor."""
        return max((lag for channel in (*self.inputs, *self.outputs) for lag in channel), default=0)

    @property
    def n_regressors(self) -> int:
        return sum(map(len, (*self.inputs, *self.outputs)))

    @property
    def memory(self) -> int:
        """The longest lag of an output: how far back the feedback reaches."""
        return max((lag for channel in self.outputs for lag in channel), default=0)

    @property
    def names(self) -> tuple[str, ...]:
        """What each regressor is, for labels."""
        return tuple(
            f"{letter}{_index(i, channels)}(t{-lag if lag else ''})"
            for letter, channels in (("u", self.inputs), ("y", self.outputs))
            for i, channel in enumerate(channels)
            for lag in channel
        )

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


def lags_for(input_lags: Any, output_lags: Any, n_regressors: int, n_outputs: int) -> Lags:
    """The lags of a function of so many regressors: the number of inputs follows."""
    for n_inputs in range(n_regressors + 1):
        try:
            lags = Lags.expand(input_lags, output_lags, n_inputs, n_outputs)
        except InvalidOption:  # lags channel by channel, for another number of them
            continue
        if lags.n_regressors == n_regressors:
            return lags
    raise InvalidOption(f"the lags do not make the {n_regressors} inputs of the function")


def _index(i: int, channels: tuple[tuple[int, ...], ...]) -> str:
    return "" if len(channels) == 1 else str(i + 1)


def _channels(name: str, spec: Any, n_channels: int) -> tuple[tuple[int, ...], ...]:
    plain = checked_spec(name, spec)
    if plain and isinstance(plain[0], tuple):
        if len(plain) != n_channels:
            raise InvalidOption(
                f"{name} has lags for {len(plain)} channels but the data has {n_channels}"
            )
        return plain
    return (plain,) * n_channels


def checked_spec(name: str, spec: Any) -> tuple[Any, ...]:
    """Lags as a tuple of whole numbers, or one such tuple a channel, each lag once and allowed."""
    try:
        entries = tuple(spec)
    except TypeError:
        raise InvalidOption(f"{name} must be lags like (0, 1, 2), got {spec!r}") from None
    nested = [isinstance(entry, (list, tuple, range, np.ndarray)) for entry in entries]
    if any(nested):
        if not all(nested):
            raise InvalidOption(f"{name} mixes lags and tuples of lags: {spec!r}")
        return tuple(_plain(name, entry) for entry in entries)
    return _plain(name, entries)


def _plain(name: str, entries: Any) -> tuple[int, ...]:
    whole = all(isinstance(e, (int, np.integer)) and not isinstance(e, bool) for e in entries)
    if not whole:
        raise InvalidOption(f"{name} must hold whole numbers, got {entries!r}")
    least = 1 if name == "output_lags" else 0
    if any(entry < least for entry in entries):
        why = "y(t) cannot explain itself" if least else "the future is not known"
        raise InvalidOption(f"{name} starts at {least} ({why}), got {entries!r}")
    if len(set(entries)) < len(entries):
        raise InvalidOption(f"{name} names a lag twice: {entries!r}")
    return tuple(int(entry) for entry in entries)
