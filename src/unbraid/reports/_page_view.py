"""What a page shows of any model: names, errors, a simulation, how to load it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array
from .._util.markup import shorten_distinctly
from ..dynamics._records import Records
from ..dynamics._validation import Validation

MOST_KEPT_SAMPLES = 24_000  # of the outputs of a model that the page reads and zooms


class Names(NamedTuple):
    """Names as the user wrote them, and shortened but still all different."""

    full: tuple[str, ...]
    short: tuple[str, ...]


class NamedErrors(NamedTuple):
    """Relative errors in percent, one per output, and what to call them."""

    name: str
    values: Array


@dataclass(frozen=True, eq=False)
class Simulation:
    """A free-run simulation and the measured outputs, both (T, n).

    ``ends`` are the ends of the records in them. ``error`` (n,) is in percent, without the
    initial samples of each record. ``seconds`` is the sampling time.
    """

    measured: Array
    simulated: Array
    ends: tuple[int, ...]
    where: str
    diverged_at: int | None
    error: Array
    seconds: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class PageView:
    """The part of a view that all kinds of models have.

    The last of ``errors`` is the most meaningful. ``facts`` are pairs of a setting and its value.
    ``code`` loads the model and ``saved`` is the object that can be saved. A dynamic model is
    simulated on ``records``; ``kept_samples`` of all outputs together are in the page.
    """

    key: str
    outputs: Names
    errors: tuple[NamedErrors, ...]
    saved: Any
    code: str
    simulation: Simulation | None = None
    validation: Validation | None = None
    records: Records | None = None
    kept_samples: int = MOST_KEPT_SAMPLES
    coupled_parameters: int | None = None
    heading: str = "The model"
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def dynamic(self) -> bool:
        """Whether the model is simulated."""
        return True

    @property
    def main_errors(self) -> NamedErrors | None:
        """The errors by which the model is judged."""
        return self.errors[-1] if self.errors else None

    @property
    def size(self) -> str:
        """Branches and parameters in words."""
        raise NotImplementedError

    @property
    def n_parameters(self) -> int:
        raise NotImplementedError

    @property
    def origin(self) -> str:
        """How the model was obtained, in lines."""
        raise NotImplementedError

    @property
    def noise(self) -> Array | None:
        """Noise of the data in percent, where it is part of the errors."""
        return None

    @property
    def converged(self) -> bool | None:
        return None


def name_errors(*pairs: tuple[str, Any]) -> tuple[NamedErrors, ...]:
    """Return the errors that were measured, with their names."""
    return tuple(NamedErrors(name, np.array(e, dtype=float)) for name, e in pairs if e is not None)


def make_names(names: tuple[str, ...]) -> Names:
    """Return names with their short forms."""
    return Names(names, shorten_distinctly(names))
