"""Choice of the number of states together with the branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .._typing import Array
from .._util.progress import report_progress
from ..errors import InvalidSamplesError
from ._descent import EstimationResult
from ._search import SMALLEST_GAIN, Search, is_better, is_clearly_smaller

Choice = Callable[[Search, int], EstimationResult | None]  # gets the least number of branches


@dataclass(frozen=True, eq=False)
class Selection:
    """A model of some order: branches that validate, or None for the linear model."""

    search: Search
    found: EstimationResult | None
    errors: Array  # squared, of the held-out samples (N, n_y)

    @property
    def n_states(self) -> int:
        return int(self.search.linear.system.n_states)

    @property
    def is_complete(self) -> bool:
        """Whether nothing but noise is left."""
        return self.search.is_complete(self.found or self.search.linear)


def select_model(
    make_search: Callable[[int], Search],
    first_order: int,
    choose: Choice,
    max_order: int,
) -> Selection:
    """The number of states with the least held-out error, and the branches chosen for it.

    The order of the best linear model comes first. It can be too small, because a linear model does
    not need states whose effect is nonlinear: more states are tried until they no longer help. It
    can be too large, because states of a linear model can imitate a nonlinearity: fewer states are
    tried where more do not help, and are kept where the error does not clearly grow.
    """
    best = select_branches(make_search(first_order), choose)
    grown = _add_states(best, make_search, choose, max_order)
    return grown if grown is not best else _remove_states(best, make_search)


def select_branches(search: Search, choose: Choice, fewest: int = 1) -> Selection:
    """The model that was chosen among those of one search."""
    report_progress(f"{search.linear.system.n_states} states")
    found = choose(search, fewest)
    return Selection(search, found, search.held_out_errors(found or search.linear))


def _add_states(
    best: Selection, make_search: Callable[[int], Search], choose: Choice, max_order: int
) -> Selection:
    while best.n_states < max_order and not best.is_complete:
        try:
            fewest = max(1 if best.found is None else best.found.system.n_branches - 1, 1)
            trial = select_branches(make_search(best.n_states + 1), choose, fewest)
        except InvalidSamplesError:  # too few samples for so many states
            break
        if not is_better(trial.errors, best.errors):
            break
        best = trial
    return best


def _remove_states(best: Selection, make_search: Callable[[int], Search]) -> Selection:
    while best.found is not None and best.n_states > 1:
        search = make_search(best.n_states - 1)
        found = search.fit(best.found.system.n_branches)
        trial = Selection(search, found, search.held_out_errors(found or search.linear))
        pair = best.errors.mean(axis=1), trial.errors.mean(axis=1)
        is_worse = trial.errors.shape != best.errors.shape or is_clearly_smaller(
            *pair, SMALLEST_GAIN, 1.0
        )
        if found is None or is_worse:
            break
        best = trial
    return best
