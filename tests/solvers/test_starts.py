"""Tests of starts."""

import os

import numpy as np

from unbraid.solvers import _starts as starts


def test_spawned_generators_are_reproducible_and_differ():
    first, second = starts.spawn_generators(np.random.default_rng(3), 2)
    again = starts.spawn_generators(np.random.default_rng(3), 2)
    assert first.integers(1 << 60) == again[0].integers(1 << 60)
    assert second.integers(1 << 60) != again[0].integers(1 << 60)


def test_returns_results_of_threads_in_order(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    found = starts.run_all(lambda k: k * k, list(range(20)), None, size=starts.THREADED_TASK_SIZE)
    assert found == [k * k for k in range(20)]


def test_runs_tasks_on_a_single_core(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert starts.run_all(abs, [-1, 2, -3], -1, size=3) == [1, 2, 3]
