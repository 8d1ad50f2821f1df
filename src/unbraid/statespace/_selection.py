"""Choice of the number of states together with the branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from .._typing import Array
from .._util.deadline import is_time_up
from .._util.progress import report_progress
from ..dynamics._error_comparison import SMALLEST_GAIN, is_better, is_clearly_smaller
from ..errors import InvalidSamplesError
from ._descent import EstimationResult
from ._integrators import find_integrators
from ._realisation import spectral_radius
from ._search import Search

FREE_GAIN = 0.5  # relative decrease of the held-out error that speaks against integrators
SLOW_TIME_CONSTANTS = 8  # per record: a model with fewer may have integrators

# gets a search and the least and largest number of branches (None: no limit); returns the search
# that goes on, and its model
Choice = Callable[[Search, int, int | None], tuple[Search, EstimationResult | None]]


class SearchFactory(Protocol):
    """Makes a search from the linear model of some order."""

    def __call__(self, n_states: int, integrating: bool = False) -> Search: ...


@dataclass(frozen=True, eq=False)
class ModelSelection:
    """A model of some order: branches that validate, or None for the linear model."""

    search: Search
    found: EstimationResult | None
    errors: Array  # squared, of the held-out samples (N, n_y)

    @property
    def n_states(self) -> int:
        return int(self.search.linear.system.n_states)

    @property
    def n_branches(self) -> int:
        return 0 if self.found is None else int(self.found.system.n_branches)

    @property
    def is_integrating(self) -> bool:
        """Whether the outputs are integrators."""
        return bool(find_integrators(self.search.linear.system))

    @property
    def is_complete(self) -> bool:
        """Whether nothing but noise is left."""
        return self.search.is_complete(self.found or self.search.linear)

    def is_better_than(self, other: ModelSelection) -> bool:
        """Whether the error is clearly smaller; far smaller if only the other settles."""
        gain = SMALLEST_GAIN
        if self.found is not None:
            gain = self.search.smallest_gain(self.found, other.found)
        return is_better(self.errors, other.errors, gain)


@dataclass(frozen=True)
class OrderRange:
    """Numbers of states: the first, that of the best linear model, and the largest."""

    first: int
    linear: int
    largest: int


def select_model(make_search: SearchFactory, orders: OrderRange, choose: Choice) -> ModelSelection:
    """The number of states of least held-out error, and the branches chosen for it.

    The order of the best linear model can be too small, because a linear model does not need states
    whose effect is nonlinear: more states are tried until they no longer help. It can be too large,
    because states of a linear model can imitate a nonlinearity: a smaller order comes first, and
    that of the linear model where states one by one do not help. In the end states are removed
    that do not lower the error.
    """
    best = select_structure(make_search, orders.first, choose)
    make = partial(make_search, integrating=best.is_integrating)
    grown = _add_states(best, make, choose, orders.largest)
    if grown.n_states < orders.linear and not (grown.is_complete or is_time_up()):
        trial = _select_branches(make(orders.linear), choose)
        if trial.is_better_than(grown):
            best, grown = trial, _add_states(trial, make, choose, orders.largest)
    return grown if grown is not best else _remove_states(best, make)


def select_structure(make_search: SearchFactory, n_states: int, choose: Choice) -> ModelSelection:
    """A model with integrators, unless one without has a far smaller held-out error.

    Integrators are tried if the linear model decays slowly. They keep branches from depending on
    where an integrating system happens to be.
    """
    search = make_search(n_states)
    linear, records = search.linear.system, search.problem.records
    slow = 1 - SLOW_TIME_CONSTANTS / max(map(len, records))
    if n_states <= linear.n_outputs or spectral_radius(linear.A) < slow:
        return _select_branches(search, choose)
    summed = _select_branches(make_search(n_states, True), choose)
    most = None if summed.found is None else summed.n_branches + 1
    free = _select_branches(search, choose, most=most)
    pair = free.errors, summed.errors
    return free if summed.found is None or is_better(*pair, FREE_GAIN) else summed


def _select_branches(
    search: Search, choose: Choice, fewest: int = 1, most: int | None = None
) -> ModelSelection:
    """The model that is chosen among those of one search."""
    report_progress(f"{search.linear.system.n_states} states")
    search, found = choose(search, fewest, most)
    return ModelSelection(search, found, search.held_out_errors(found or search.linear))


def _add_states(
    best: ModelSelection, make_search: Callable[[int], Search], choose: Choice, max_order: int
) -> ModelSelection:
    while best.n_states < max_order and not is_time_up() and not best.is_complete:
        try:
            search = make_search(best.n_states + 1)
        except InvalidSamplesError:  # too few samples for so many states
            break
        fewest = max(best.n_branches - 1, 1)
        most = None if best.found is None else best.n_branches + 1
        trial = _select_branches(search, choose, fewest, most)
        if not trial.is_better_than(best):
            break
        best = trial
    return best


def _remove_states(best: ModelSelection, make_search: Callable[[int], Search]) -> ModelSelection:
    n_outputs = best.search.problem.n_outputs if best.is_integrating else 0
    while best.found is not None and best.n_states > 1 + n_outputs and not is_time_up():
        search = make_search(best.n_states - 1)
        found = search.fit(best.n_branches)
        if found is None:
            break
        trial = ModelSelection(search, found, search.held_out_errors(found))
        loses_rest = search.settles(best.found) and not search.settles(found)
        if (
            loses_rest
            or trial.errors.shape != best.errors.shape
            or is_clearly_smaller(
                best.errors.mean(axis=1), trial.errors.mean(axis=1), SMALLEST_GAIN, 1.0
            )
        ):
            break
        best = trial
    return best
