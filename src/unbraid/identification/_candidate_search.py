"""Candidates for a record: fitted without held-out samples, compared on these."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._typing import Array
from .._util.deadline import is_time_up, limit_time, seconds_left
from .._util.progress import report_progress
from .._util.validation import count_noun
from ..bases import BSpline
from ..dynamics._candidates import EXACT_PERCENT, ModelCandidate, choose_candidate, mark_chosen
from ..dynamics._residuals import are_unrelated, are_white
from ..errors import DivergenceError, InvalidSamplesError, UnbraidError
from ..narx import NARX
from ..statespace import StateSpace
from ..statespace._branches import trajectory
from ..statespace._estimation import prepare, to_fields
from ..statespace._identification import (
    LARGE_RECORD,
    SMALL_BASIS,
    SearchOptions,
    StateCount,
    choose_splines,
    choose_states,
    grow_states,
    identify_equations,
    spawn_seeds,
)
from ..statespace._identify import ORIGIN
from ..statespace._linear import fit_linear_equations
from ..statespace._stability import warn_of_instability
from ..statespace._starts import ModelForm
from ._held_out import HeldOutBlocks, to_signals
from ._narx_candidates import describe_lags, fit_coupled_narx, propose_narx

REFIT_ITERATIONS = 30  # of a NARX model on all samples
N_STARTS = 8  # of state-space models


@dataclass(frozen=True)
class TimeBudget:
    """How a time limit is divided."""

    seconds: float | None
    narx_share: float = 0.2  # for NARX models
    refit_share: float = 0.1  # kept for a refinement of the chosen one

    @property
    def narx(self) -> float | None:
        """Seconds for NARX models."""
        return None if self.seconds is None else self.narx_share * self.seconds

    @property
    def state_space(self) -> float | None:
        """Seconds that are left for state-space models."""
        if self.seconds is None:
            return None
        return max(seconds_left() - self.refit_share * self.seconds, 0.0)


@dataclass
class CandidateSearch:
    """Fits candidates of growing size, and refines the chosen one on all samples."""

    blocks: HeldOutBlocks
    sampling_time: float | None
    n_jobs: int | None
    budget: TimeBudget
    random_state: np.random.Generator
    rows: list[ModelCandidate] = field(default_factory=list)
    is_complete: bool = True

    def run(self) -> None:
        """Fit the linear model, NARX models and a nonlinear state-space model."""
        self.data = prepare(*to_signals(self.blocks.records))
        with _ignore_warnings():
            states = self._add_linear()
            if self._is_only_noise_left():
                return
            with limit_time(self.budget.narx):
                self._add_narx()
                self.is_complete &= not is_time_up()
            with limit_time(self.budget.state_space):
                self._add_state_space(states)
                self.is_complete &= not is_time_up()

    def finish(self) -> tuple[NARX | StateSpace, tuple[ModelCandidate, ...]]:
        """The chosen model, fitted to all samples, and the rows of the table."""
        index = choose_candidate(self.rows)
        model = self.rows[index].model
        if isinstance(model, NARX):
            report_progress("refinement on all samples")
            with _ignore_warnings():
                model = self._refit(model)
        else:
            warn_of_instability(model)
        return model, mark_chosen(self.rows, index)

    def _add_linear(self) -> StateCount:
        began = time.perf_counter()
        report_progress("linear model")
        states = choose_states(self.data, "auto", True, self.blocks.share)
        assert states.linear_errors is not None
        found = fit_linear_equations(self.data.problem, states.n_states)
        model = self._make_state_space(found, states, "A linear model.")
        self._add(
            f"linear, {count_noun(model.n_states, 'state')}", model, states.linear_errors, began
        )
        return states

    def _add_narx(self) -> None:
        """A coupled polynomial as a reference, and decoupled models of growing size."""
        began = time.perf_counter()
        report_progress("NARX")
        try:
            coupled = fit_coupled_narx(self.blocks.fitted)
        except InvalidSamplesError:  # too few samples
            return
        label = f"polynomial NARX, {describe_lags(coupled)}, degree {coupled.function.degree}"
        self._add(label, coupled, self.blocks.squared_errors(coupled), began)
        began = time.perf_counter()
        n_outputs = self.blocks.records.n_outputs
        for label, model in propose_narx(coupled, n_outputs, self.random_state):
            self._add(label, model, self.blocks.squared_errors(model), began)
            began = time.perf_counter()

    def _add_state_space(self, states: StateCount) -> None:
        """The nonlinear state-space model whose size is chosen on the held-out samples."""
        if is_time_up():
            return
        began = time.perf_counter()
        report_progress("state space")
        form = choose_splines(ModelForm(BSpline(SMALL_BASIS), "linear"), self.data)
        seeds = spawn_seeds(self.random_state, N_STARTS)
        options = SearchOptions(self.data, form, seeds, self.n_jobs, self.blocks.share, True)
        try:
            if sum(map(len, self.data.records.items)) > LARGE_RECORD:
                states = grow_states(options, states)
            result = identify_equations(options, states, "auto")
            model = self._make_state_space(result.found, states, ORIGIN)
        except DivergenceError:
            return
        if result.held_out_errors is not None:
            label = f"state space, {count_noun(model.n_states, 'state')}"
            self._add(label, model, result.held_out_errors, began)

    def _make_state_space(self, found: Any, states: StateCount, origin: str) -> StateSpace:
        fields = to_fields(self.data, found, self.sampling_time, origin)
        return StateSpace(**fields, order_errors=states.errors)

    def _add(self, label: str, model: Any, squared_errors: Array, began: float) -> None:
        squared = squared_errors.mean(axis=1)
        row = ModelCandidate(
            label=label,
            n_branches=_count_branches(model),
            degrees_of_freedom=_count_parameters(model),
            error=100 * float(np.sqrt(np.mean(squared))),
            seconds=time.perf_counter() - began,
            is_linear=not self.rows,
            model=model,
            squared_errors=squared,
        )
        self.rows.append(row)

    def _is_only_noise_left(self) -> bool:
        """Whether the error of the linear model is noise, unrelated to states and inputs."""
        if self.rows[0].error <= EXACT_PERCENT:
            return True
        model, records = self.rows[0].model, self.data.records.items
        runs = model.simulate_records(self.data.records)
        residuals = [record.y - run.y for record, run in zip(records, runs, strict=True)]
        tables = [trajectory([record], [run]) for record, run in zip(records, runs, strict=True)]
        return are_white(residuals) and all(map(are_unrelated, residuals, tables))

    def _refit(self, model: NARX) -> NARX:
        """A NARX model refined on all samples, unless its held-out error grows."""
        u, y = to_signals(self.blocks.records)
        try:
            again = model.refine(u, y, held_out=0.0, max_iterations=REFIT_ITERATIONS)
        except UnbraidError:
            return model
        before, after = (np.mean(self.blocks.squared_errors(m)) for m in (model, again))
        return again if after <= before else model


def _count_branches(model: Any) -> int | None:
    """Number of branches; None for a coupled model."""
    if isinstance(model, StateSpace):
        return model.n_branches
    count: int | None = getattr(model.function, "n_branches", None)
    return count


def _count_parameters(model: Any) -> int | None:
    """Degrees of freedom, or the number of parameters of a coupled model."""
    if isinstance(model, StateSpace):
        return model.degrees_of_freedom
    count: int | None = getattr(model.function, "degrees_of_freedom", model.n_parameters)
    return count


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Warnings of candidates do not concern the model that is returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
