"""Warnings are computed from fields."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from pipeline_states import toy_state
from unbraid import ConvergenceWarning, FitWarning
from unbraid.pipeline._diagnostics import emit_warnings
from unbraid.pipeline._findings import Finding, FindingKind
from unbraid.solvers import Status


def state_with(status, finding=None):
    state = toy_state()
    return replace(state, solution=replace(state.solution, status=status), finding=finding)


@pytest.mark.parametrize(
    ("status", "advised"),
    [(Status.MAX_ITERATIONS, True), (Status.STOPPED, False), (Status.NOT_FINITE, False)],
)
def test_advice_follows_the_status(status, advised):
    with pytest.warns(ConvergenceWarning) as caught:
        emit_warnings(state_with(status))
    assert ("raise max_iterations" in str(caught[0].message)) == advised


def test_warns_of_a_finding():
    with pytest.warns(FitWarning, match="kinks"):
        emit_warnings(state_with(Status.EXACT, Finding(FindingKind.KINKS)))


def test_a_converged_fit_without_findings_is_silent():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        emit_warnings(state_with(Status.CONVERGED))
    assert caught == []
