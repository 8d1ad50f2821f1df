"""Callbacks that follow and stop a decoupling, and warnings about unfinished ones."""

import numpy as np
import pytest

from end_to_end.problems import decouple_implicit
from unbraid import ConvergenceWarning, decouple
from unbraid.cases import network_samples, toy_samples


def test_callback_follows_and_stops_varpro():
    seen = []
    samples = toy_samples(60, 1)
    decouple(samples, n_branches=2, n_starts=3, random_state=0, callback=seen.append)
    assert {p.stage for p in seen} == {"screen", "polish", "refine"}
    for stage in ("screen", "polish", "refine"):
        stop = lambda p, s=stage: p.stage == s  # noqa: E731
        with pytest.warns(ConvergenceWarning, match="callback"):
            d = decouple(samples, n_branches=2, n_starts=3, random_state=0, callback=stop)
        assert np.all(np.isfinite(d(samples.points)))


@pytest.mark.slow
def test_warns_if_varpro_does_not_converge():
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        decouple(network_samples(50, 1), n_branches=3, max_iterations=1, random_state=0)


def test_callback_follows_and_stops_the_implicit_method():
    seen = []
    decouple_implicit(
        toy_samples(40, 1), n_branches=2, random_state=0, n_starts=2, callback=seen.append
    )
    assert {p.stage for p in seen} == {"screen", "polish"}
    assert all(p.objective > 0 for p in seen)
    for stage in ("screen", "polish"):
        _stop_at(stage)


def _stop_at(stage):
    with pytest.warns(ConvergenceWarning, match="callback"):
        d = decouple_implicit(
            toy_samples(40, 1),
            n_branches=2,
            random_state=0,
            n_starts=2,
            callback=lambda p: np.bool_(p.stage == stage),
        )
    assert np.all(np.isfinite(d(toy_samples(40, 1).points)))


def test_warns_if_the_implicit_method_does_not_converge():
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        decouple_implicit(
            toy_samples(40, 1), n_branches=3, n_starts=2, max_iterations=1, random_state=0
        )
