"""Search for decoupled equations: starts, growth, the number of branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._typing import Array
from .._util.deadline import is_time_up
from .._util.progress import report_progress
from ..dynamics._error_comparison import DEVIATIONS_FROM_LINEAR, SMALLEST_GAIN, is_better
from ..dynamics._residuals import are_unrelated, are_white
from ._branches import trajectory
from ._descent import EstimationResult
from ._problem import StateSpaceProblem
from ._settling import largest_swing, settles
from ._simulation import StateRun
from ._starts import (
    ModelForm,
    StartSettings,
    change_basis,
    grow_by_score_test,
    search_starts,
    with_all_records,
)

FIRST_BRANCH_STARTS = 3  # random starts of the first branch, to which others are added
FEW_MORE = 1.2  # ratio of all samples to the long records: these are left out below
MAX_ROUNDS = 4  # of further refinement
RIDGE_FACTORS = (10.0, 100.0, 1000.0)  # that are tried one after the other
UNSETTLED_GAIN = 0.5  # relative decrease of the error for which a limit cycle is accepted
COMPLETE_ERROR = 3e-4  # rms error in spreads of the outputs, below which nothing is added


@dataclass(frozen=True, eq=False)
class Search:
    """A search for equations with branches, from a linear model of the records.

    Models of the same size are compared by their error on the fitted samples, models of different
    sizes by that on the held-out samples.
    """

    problem: StateSpaceProblem
    linear: EstimationResult
    form: ModelForm
    settings: StartSettings
    seeds: Sequence[np.random.SeedSequence]
    n_jobs: int | None = 1

    def fit(self, n_branches: int) -> EstimationResult | None:
        """The best model with this number of branches; None if all starts diverge."""
        candidates = self.start(n_branches)
        if n_branches > 1:
            candidates += self.grow_to(n_branches)
        return self.best(candidates)

    def start(self, n_branches: int) -> list[EstimationResult]:
        """Refined starts on short records, with all branches at once."""
        short = self.problem.shorten(self.settings.short_samples)
        return search_starts(
            short, self.linear, n_branches, self.form, self.settings, self.seeds, self.n_jobs
        )

    def grow_to(self, n_branches: int) -> list[EstimationResult]:
        """One branch from random starts, the others by the score test."""
        few = replace(self, seeds=self.seeds[:FIRST_BRANCH_STARTS])
        found = self.best(few.start(1))
        while found is not None and found.system.n_branches < n_branches:
            found = self.grow(found)
        return [] if found is None else [found]

    def grow(self, found: EstimationResult) -> EstimationResult | None:
        """One more branch by the score test, from a refinement on longer records."""
        long = self.problem.shorten(self.settings.long_samples)
        further = change_basis(long, found, self.form, self.settings.long_iterations, self.settings)
        return grow_by_score_test(long, further or found, self.form, self.settings)

    def best(self, candidates: Sequence[EstimationResult]) -> EstimationResult | None:
        """The candidate of least error on the fitted samples; settling ones come first."""
        long = self.problem.shorten(self.settings.long_samples)
        losses = [self._measure_loss(long, found) for found in candidates]
        order = [int(k) for k in np.argsort(losses, kind="stable") if np.isfinite(losses[k])]
        settled = (k for k in order if self.settles(candidates[k]))
        best = next(settled, order[0] if order else None)
        return None if best is None else candidates[best]

    def settles(self, found: EstimationResult) -> bool:
        """Whether a model comes to rest at held inputs, as far as the linear model does."""
        return settles(found.system, found.runs, self.problem, self._linear_swing)

    @cached_property
    def _linear_swing(self) -> float:
        return largest_swing(self.linear.system, self.linear.runs, self.problem)

    def smallest_gain(self, found: EstimationResult, reference: EstimationResult | None) -> float:
        """Relative decrease of the held-out error that a larger model must bring."""
        loses_rest = not self.settles(found) and (reference is None or self.settles(reference))
        return UNSETTLED_GAIN if loses_rest else SMALLEST_GAIN

    def held_out_errors(self, found: EstimationResult) -> Array:
        """Squared errors (N, n_y) of held-out samples; infinite if the model diverges."""
        runs = self._simulate(found)
        return np.array([[np.inf]]) if runs is None else self.problem.held_out_errors(runs)

    def is_complete(self, found: EstimationResult) -> bool:
        """Whether the residual of a model is white noise, or next to nothing."""
        runs = self._simulate(found)
        if runs is None:
            return False
        if self.problem.held_out_loss(runs) < COMPLETE_ERROR**2:
            return True
        residuals = self.problem.residuals(runs)
        return are_white(residuals) and all(
            are_unrelated(residual, trajectory([record], [run]))
            for residual, record, run in zip(residuals, self.problem.records, runs, strict=True)
        )

    def _simulate(self, found: EstimationResult) -> list[StateRun] | None:
        initial = with_all_records(found, len(self.problem.records)).initial
        return self.problem.simulate(found.system, initial, thorough=True)

    def fit_validated(self, n_branches: int) -> EstimationResult | None:
        """The model with at most so many branches that validates; None: the linear one.

        Fewer branches are tried where more do not lower the held-out error of the linear model by
        more than twice its standard error.
        """
        reference = self.held_out_errors(self.linear)
        for count in range(n_branches, 0, -1):
            found = self.fit(count)
            if found is None:
                continue
            if is_better(self.held_out_errors(found), reference, 0.0, DEVIATIONS_FROM_LINEAR):
                return found
        return None

    def choose_branches(
        self, max_branches: int, first: int = 1
    ) -> tuple[Search, EstimationResult | None]:
        """Add branches while the held-out error falls by more than its standard error.

        The first ones must lower that of the linear model by twice the standard error; None stands
        for the linear model. If the first number of branches does not help, the next one may. A
        model whose residual is white noise is complete. The basis is chosen anew with every branch:
        the error of a missing one hides what finer splines gain. Returns also the search, with the
        basis of the model.
        """
        kept: EstimationResult | None = None
        last: EstimationResult | None = None
        if self.is_complete(self.linear):
            return self, kept
        search, errors = self, self.held_out_errors(self.linear)
        for n_branches in range(first, max_branches + 1):
            if is_time_up():
                break
            report_progress("choice of branches", n_branches)
            if last is None:
                last = self.best(self.start(n_branches))
            else:
                half = -(-len(self.seeds) // 2)  # the other half of the effort is in growth
                seeds = self.seeds if kept is None else self.seeds[:half]
                candidates = replace(search, seeds=seeds).start(n_branches)
                grown = search.grow(last)
                last = search.best([*candidates, *([] if grown is None else [grown])])
            if last is None:
                break
            further, last = search.choose_basis(last)
            new = self.held_out_errors(last)
            deviations = DEVIATIONS_FROM_LINEAR if kept is None else 1.0
            is_kept = is_better(new, errors, self.smallest_gain(last, kept), deviations)
            if not is_kept and (kept is not None or n_branches > first):
                break
            search = further
            if is_kept:
                kept, errors = last, new
                if self.is_complete(kept):
                    break
        return search, kept

    def choose_basis(self, found: EstimationResult) -> tuple[Search, EstimationResult]:
        """Finer bases of the form while they lower the held-out error clearly."""
        search, errors = self, self.held_out_errors(found)
        for k, basis in enumerate(self.form.finer_bases, start=1):
            if self.is_complete(found):
                break
            form = replace(self.form, basis=basis, finer_bases=self.form.finer_bases[k:])
            trial = self.refit(found, form)
            if trial is None:
                break
            gain = self.smallest_gain(trial, found)
            if not is_better(self.held_out_errors(trial), errors, gain):
                break
            search, found, errors = replace(self, form=form), trial, self.held_out_errors(trial)
        return search, found

    def choose_ridge(self, found: EstimationResult) -> tuple[Search, EstimationResult]:
        """A larger ridge while that lowers the held-out error: the search, the model."""
        search, least = self, float(np.mean(self.held_out_errors(found)))
        for factor in RIDGE_FACTORS:
            form = replace(self.form, ridge=factor * self.form.ridge)
            trial = self.refit(found, form)
            error = np.inf if trial is None else float(np.mean(self.held_out_errors(trial)))
            if trial is None or not error < least:
                break
            search, found, least = replace(self, form=form), trial, error
        return search, found

    def converge(self, found: EstimationResult) -> EstimationResult:
        """Refine further while that lowers the held-out error."""
        least = float(np.mean(self.held_out_errors(found)))
        for _ in range(MAX_ROUNDS):
            trial = None if is_time_up() else self.refit(found, self.form)
            error = np.inf if trial is None else float(np.mean(self.held_out_errors(trial)))
            if trial is None or not error < least or not self.settles(trial):
                break
            found, least = trial, error
        return found

    def refit(self, found: EstimationResult, form: ModelForm) -> EstimationResult | None:
        """A model refined in another form on the short records."""
        part = self.problem.shorten(self.settings.short_samples)
        iterations = self.settings.iterations_in_basis(part)
        return change_basis(part, found, form, iterations, self.settings)

    def finish(self, found: EstimationResult) -> EstimationResult:
        """Refine on longer records, then on all samples."""
        everything = replace(self.problem, held_out=())
        is_short = sum(map(len, everything.records)) <= self.settings.short_samples
        last = self.settings.basis_iterations if is_short else self.settings.final_iterations
        parts = [(everything, last)]
        if sum(map(len, everything.records)) > FEW_MORE * self.settings.long_samples:
            long = everything.shorten(self.settings.long_samples)
            parts.insert(0, (long, self.settings.long_iterations))
        for part, iterations in parts:
            refined = change_basis(part, found, self.form, iterations, self.settings)
            if refined is not None and refined.loss <= self._measure_loss(part, found):
                found = refined
        return with_all_records(found, len(everything.records))

    def _measure_loss(self, problem: StateSpaceProblem, found: EstimationResult) -> float:
        """The error of a model on the fitted samples, infinite if it diverges."""
        n_records = len(problem.records)
        initial = with_all_records(found, n_records).initial[:n_records]
        runs = problem.simulate(found.system, initial, thorough=True)
        return np.inf if runs is None else problem.loss(runs)
