"""Search, choice and last refinement of decoupled state-space equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .._typing import Array
from .._util.deadline import is_time_up, limit_time, seconds_left
from .._util.progress import report_progress
from .._util.validation import check_integer, count_noun
from ..bases import BSpline
from ..errors import InvalidOptionError
from ..sampling import RandomState
from ._descent import EstimationResult
from ._estimation import EstimationData, check_share
from ._linear import LinearSettings, check_samples, choose_order, fit_linear_equations
from ._search import Search
from ._selection import ModelSelection, OrderRange, select_model, select_structure
from ._starts import ModelForm, StartSettings, with_all_records

MAX_BRANCHES = 4  # of an automatic choice
SMALL_BASIS, LARGE_BASIS = 6, 12  # coefficients of the default splines
FINER_FACTORS = 2, 4  # by which their coefficients may grow
LARGE_RECORD = 5000  # samples from which the default spline is large
SIMILAR_ERROR = 1.25  # ratio of errors of linear models that branches can make up for
QUICK_STARTS = 2  # of a search that only chooses the number of states
QUICK_GAIN = 0.25  # relative decrease of the error by a state; branches that miss look like states
MAX_FAILURES = 2  # numbers of states in a row without a smaller error, after which none is tried
SEARCH_TIME_SHARE = 0.8  # of a time limit; the rest is for the last refinement


@dataclass(frozen=True, eq=False)
class StateCount:
    """The number of states; if it is open, the errors of linear models."""

    n_states: int
    errors: tuple[float, ...] | None = None  # held-out errors in %
    linear_errors: Array | None = None  # squared, of the held-out samples (N, n_y)

    @property
    def is_open(self) -> bool:
        """Whether the number of states is left to the data."""
        return self.errors is not None

    def first_order(self, n_outputs: int) -> int:
        """The least number of states that is tried with branches.

        States of a linear model can imitate a nonlinearity. One state beyond the outputs shows
        whether these are integrators.
        """
        limit = SIMILAR_ERROR * min(self.errors or (np.inf,))
        similar = [k for k, error in enumerate(self.errors or (), start=1) if error <= limit]
        return min(self.n_states, max([n_outputs + 1, *similar[:1]]))


def choose_states(
    data: EstimationData, n_states: Any, feedthrough: bool, held_out: float
) -> StateCount:
    """The number of states, that of the best linear model where it is left open."""
    if isinstance(n_states, str):
        if n_states != "auto":
            raise InvalidOptionError(f"n_states must be a whole number or 'auto', got {n_states!r}")
        problem = data.with_held_out(check_share(held_out))
        chosen = choose_order(problem, feedthrough)
        errors = problem.held_out_errors(chosen.found.runs)
        return StateCount(chosen.n_states, tuple(100 * e for e in chosen.errors), errors)
    order = check_integer("n_states", n_states)
    check_samples(data.records.items, order, LinearSettings())
    return StateCount(order)


def grow_states(options: SearchOptions, states: StateCount) -> StateCount:
    """More states while a quick search with one branch finds a far smaller error.

    A linear model of a nonlinear system can have too few states. On long records it takes minutes
    to find that out with full searches of growing order.
    """
    quick = replace(options, seeds=options.seeds[:QUICK_STARTS])
    best, least, n_failures = states.n_states, np.inf, 0
    for order in range(states.n_states, LinearSettings().max_states + 1):
        if is_time_up() or n_failures == MAX_FAILURES:
            break
        report_progress(count_noun(order, "state"))
        search = quick.make_search(order)
        found = search.fit(1)
        error = np.inf if found is None else float(np.mean(search.held_out_errors(found)))
        if error < (1 - QUICK_GAIN) ** 2 * least:
            best, least, n_failures = order, error, 0
        else:
            n_failures += 1
    return replace(states, n_states=best)


def choose_splines(form: ModelForm, data: EstimationData) -> ModelForm:
    """The form with splines of a size that suits the records, and finer ones."""
    large = sum(map(len, data.records.items)) > LARGE_RECORD
    size = LARGE_BASIS if large else SMALL_BASIS
    finer = tuple(BSpline(factor * size) for factor in FINER_FACTORS)
    return replace(form, basis=BSpline(size), finer_bases=finer)


def spawn_seeds(random_state: RandomState, count: int) -> list[np.random.SeedSequence]:
    """Independent seeds, one per start."""
    seed = np.random.default_rng(random_state).integers(2**63)
    return np.random.SeedSequence(seed).spawn(count)


@dataclass(frozen=True, eq=False)
class Identification:
    """Equations of all samples, and the held-out errors before the last refinement."""

    found: EstimationResult
    held_out_errors: Array | None  # (N, n_y), in variances of the outputs; None if linear


def identify_equations(
    options: SearchOptions, states: StateCount, n_branches: int | Literal["auto"]
) -> Identification:
    """Search equations with branches, and refine them on all samples.

    The linear model is returned if no branches validate. Part of a time limit is kept for the
    last refinement.
    """
    order, found, errors = states.n_states, None, None
    if n_branches != 0:
        left = seconds_left()
        with limit_time(None if left == np.inf else max(SEARCH_TIME_SHARE * left, 0.0)):
            selected = _select(options, states, n_branches)
        order, found, errors = selected.n_states, _finish(options, selected), selected.errors
    linear = fit_linear_equations(options.data.problem, order, options.form.feedthrough)
    if found is None or not found.loss < linear.loss:
        return Identification(linear, None)
    return Identification(found, errors)


@dataclass(frozen=True, eq=False)
class SearchOptions:
    """What a search needs besides the number of states."""

    data: EstimationData
    form: ModelForm
    seeds: Sequence[np.random.SeedSequence]
    n_jobs: int | None
    held_out: float
    is_ridge_open: bool

    def make_search(self, n_states: int, integrating: bool = False) -> Search:
        """A search that validates on a share of the samples; on none if that is 0."""
        settings = StartSettings()
        share = self.held_out
        problem = self.data.with_held_out(check_share(share)) if share else self.data.problem
        check_samples(problem.records, n_states, LinearSettings())
        short = problem.shorten(settings.short_samples)
        linear = fit_linear_equations(
            short, n_states, self.form.feedthrough, integrating=integrating
        )
        return Search(problem, linear, self.form, settings, self.seeds, self.n_jobs)


def _select(options: SearchOptions, states: StateCount, n_branches: Any) -> ModelSelection:
    """Choose what is left open on the held-out samples."""

    def choose(
        search: Search, fewest: int, most: int | None
    ) -> tuple[Search, EstimationResult | None]:
        if n_branches == "auto":
            return search.choose_branches(most or MAX_BRANCHES, fewest)
        return search, search.fit_validated(n_branches)

    order = states.n_states
    if not states.is_open:
        return select_structure(options.make_search, order, choose)
    is_large = sum(map(len, options.data.records.items)) > LARGE_RECORD
    first = order if is_large else states.first_order(options.data.problem.n_outputs)
    most = LinearSettings().max_states
    return select_model(options.make_search, OrderRange(first, order, most), choose)


def _finish(options: SearchOptions, selected: ModelSelection) -> EstimationResult | None:
    """The chosen model refined on all samples; None for the linear one.

    Short records are searched again with the samples that were held out. A refinement that turns an
    equilibrium into a limit cycle is discarded.
    """
    search, found = selected.search, selected.found
    if found is None:
        return None
    is_short = sum(map(len, options.data.records.items)) <= search.settings.short_samples
    is_settled = search.settles(found)
    candidates = [search.converge(found) if is_short else found]
    if not (selected.is_complete and is_settled):
        if options.is_ridge_open:
            search, candidates[0] = search.choose_ridge(candidates[0])
        if is_short:
            everything = replace(options, form=search.form, held_out=0.0)
            structure = selected.n_states, selected.is_integrating
            again = everything.make_search(*structure).fit(found.system.n_branches)
            candidates += [] if again is None else [again]
    refined = [search.finish(candidate) for candidate in candidates]
    if is_settled and not any(map(search.settles, refined)):
        return with_all_records(found, len(options.data.problem.records))
    return search.best(refined)
