"""Static gain and time constants of a state-space model at levels of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from ..model._direction_text import join_terms
from ._linear_part import Mode, find_modes, static_gain
from ._operating_points import list_kept_inputs, list_training_inputs, solve_rest_points
from ._simulated_model import SimulatedModel

INPUT_LEVELS = (0.05, 0.5, 0.95)  # quantiles of an input
MAX_LEVEL_INPUTS = 3  # inputs whose levels are described
DOMINANT_MODES = 2  # the slowest modes, of which time constants are given
LEVEL_DIGITS = 3  # of a level of an input, relative to the range of the input


@dataclass(frozen=True, eq=False)
class OperatingLevel:
    """The model linearised at rest at one level of an input, others at their means.

    Attributes
    ----------
    input_name : str
    level : float
        Quantile of the input in the training data.
    u : float
        The input there.
    gain : (n_y,) or None
        Static gain from the input to every output; None without a stable steady state.
    modes : tuple of Mode
        The two slowest ones.
    """

    input_name: str
    level: float
    u: float
    gain: Array | None = None
    modes: tuple[Mode, ...] = ()

    def format(self, output_names: Sequence[str], sampling_time: float | None) -> str:
        """The level in words."""
        where = f"At the {100 * self.level:.0f} % level of {self.input_name} ({self.u:.3g})"
        if self.gain is None:
            return f"{where}: no stable steady state"
        gains = [f"{gain:.3g}" for gain in self.gain]
        if len(gains) > 1:
            gains = [f"{gain} to {name}" for gain, name in zip(gains, output_names, strict=True)]
        unit, rate = ("s", "Hz") if sampling_time else ("samples", "cycles per sample")
        times = [f"{mode.time_constant:.3g}" for mode in self.modes]
        noun = "time constant" if len(times) == 1 else "time constants"
        words = f"static gain {', '.join(gains)}; {noun} {join_terms(times)} {unit}"
        resonances = [f"{mode.frequency:.3g}" for mode in self.modes if mode.is_resonant]
        if resonances:
            words += f"; resonance at {join_terms(resonances)} {rate}"
        return f"{where}: {words}"


def find_operating_levels(model: SimulatedModel) -> tuple[OperatingLevel, ...]:
    """The levels of a model with branches; none without a stable steady state."""
    kept = list_kept_inputs(model)  # first, so that a saved model has the same words
    table = list_training_inputs(model) if kept is None else kept
    if not model.n_branches or table is None:
        return ()
    places = [(c, p) for c in range(min(model.n_inputs, MAX_LEVEL_INPUTS)) for p in INPUT_LEVELS]
    u = np.tile(table.mean(axis=0), (len(places), 1))
    for row, (channel, level) in zip(u, places, strict=True):
        row[channel] = _round_level(np.quantile(table[:, channel], level), table[:, channel])
    points = solve_rest_points(model, u)
    if not points.is_stable.any():
        return ()
    names = model.signal_names[0][model.n_states :]
    found = []
    for k, (channel, level) in enumerate(places):
        place = OperatingLevel(names[channel], level, float(u[k, channel]))
        if points.is_stable[k]:
            place = replace(place, **_measure(model, points.slopes[k], channel))
        found.append(place)
    return tuple(found)


def _measure(model: SimulatedModel, slopes: Array, channel: int) -> dict[str, Any]:
    """Static gain from one input, and the slowest modes."""
    n = model.n_states
    gain = static_gain(slopes[:n, :n], slopes[:n, n:], slopes[n:, :n], slopes[n:, n:])
    modes = find_modes(slopes[:n, :n], model.sampling_time)[:DOMINANT_MODES]
    return {"gain": None if gain is None else gain[:, channel], "modes": modes}


def _round_level(u: float, signal: Array) -> float:
    """A level to about a thousandth of the range of its signal."""
    reach = float(np.ptp(signal))
    return round(float(u), LEVEL_DIGITS - int(np.ceil(np.log10(reach)))) + 0.0 if reach else u
