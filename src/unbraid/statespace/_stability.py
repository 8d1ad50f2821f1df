"""Whether an identified model stays bounded at the largest inputs of its records."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..dynamics._records import Records
from ..errors import InvalidOptionError, StabilityWarning
from ._initial_state import find_rest
from ._operating_points import list_kept_inputs
from ._problem import STATE_LIMIT
from ._simulated_model import SimulatedModel
from ._simulation import simulate_states

HELD_SAMPLES = 2000  # for which an input stays at its extreme, at most the longest record
FARTHEST_REST = 100.0  # spreads of the states; a simulation begins at zero instead


@dataclass(frozen=True)
class StabilityCheck:
    """Simulations at the largest inputs of some records.

    Attributes
    ----------
    n_simulations : int
    excitation : str
        The input at which the model diverged first; empty if it never did.
    sample : int or None
        Sample of that simulation; None if all stayed bounded.
    """

    n_simulations: int
    excitation: str = ""
    sample: int | None = None

    @property
    def is_stable(self) -> bool:
        """Whether all simulations stayed bounded."""
        return self.sample is None


def check_stability(model: SimulatedModel, records: Records | None) -> StabilityCheck:
    """Simulate from rest with the inputs of the records, and at their extremes.

    Every input is held at its minimum and maximum, the others at their means, and all inputs
    together. Without records the inputs are those at the points that the function keeps, and only
    their extremes are simulated.
    """
    items = () if records is None else records.items
    kept = list_kept_inputs(model) if records is None else None
    table = np.concatenate([record.u for record in items]) if items else kept
    if table is None:
        raise InvalidOptionError(
            "a model without records cannot be checked: fit it, or simulate it with your inputs"
        )
    held = min(HELD_SAMPLES, max(map(len, items), default=HELD_SAMPLES))
    excitations = [(f"the inputs of record {k}", record.u) for k, record in enumerate(items)]
    names = model.signal_names[0][model.n_states :]
    count = 0
    for excitation, u in [*excitations, *_hold_extremes(table, names, held)]:
        count += 1
        system = model.transition(u)
        rest = find_rest(system, u.mean(axis=0), model.n_states)
        if rest is None or np.abs(rest).max() > FARTHEST_REST:  # as of a near integrator
            rest = np.zeros(model.n_states)
        run = simulate_states(system, u, rest, model.n_outputs, limit=STATE_LIMIT)
        if run.diverged_at is not None:
            return StabilityCheck(count, excitation, run.diverged_at)
    return StabilityCheck(count)


def _hold_extremes(
    table: Array, names: Sequence[str], n_samples: int
) -> Iterator[tuple[str, Array]]:
    """Inputs at the extremes of a table of them, and what they are."""
    extremes = (("minimum", table.min(axis=0)), ("maximum", table.max(axis=0)))
    for word, extreme in extremes:
        for channel, name in enumerate(names):
            u = np.tile(table.mean(axis=0), (n_samples, 1))
            u[1:, channel] = extreme[channel]
            yield f"{name} at its {word}", u
        if len(names) > 1:
            yield f"all inputs at their {word}", np.tile(extreme, (n_samples, 1))


def warn_of_instability(model: SimulatedModel) -> None:
    """Warn if an identified model with branches diverges at the largest inputs."""
    if model.data is None or model.function is None:
        return
    check = check_stability(model, model.data)
    if not check.is_stable:
        warnings.warn(
            f"the model diverges at sample {check.sample} of a simulation from rest with "
            f"{check.excitation}: use fewer branches, a larger ridge, or records that stay there "
            f"for longer",
            StabilityWarning,
            stacklevel=3,
        )
