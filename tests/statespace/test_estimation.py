"""Tests of what becomes of equations that were estimated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.systems import random_equations
from unbraid import DivergenceError
from unbraid.statespace._estimation import _simulate, prepare


def test_divergence_is_reported_with_record_and_sample():
    rng = np.random.default_rng(0)
    records = [rng.standard_normal((60, 2)) for _ in range(2)]
    problem = prepare(records, [np.roll(u, 1, axis=0) for u in records]).problem
    e = random_equations(2, 2, 2, 0)
    assert len(_simulate(problem, e, np.zeros((2, 2)))) == 2
    unstable = replace(e, linear=2.5 * e.linear, offset=np.zeros(4))
    quiet = replace(problem.records[0], u=np.zeros((60, 2)))
    problem = replace(problem, records=(quiet, problem.records[1]))
    with pytest.raises(DivergenceError, match="of record 1") as caught:
        _simulate(problem, unstable, np.zeros((2, 2)))
    assert caught.value.record == 1
    assert np.all(np.isfinite(caught.value.y))
    assert len(caught.value.y) == caught.value.sample < 60
