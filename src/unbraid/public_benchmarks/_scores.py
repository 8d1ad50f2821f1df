"""Errors of a model on the tests of a benchmark."""

import numpy as np

from .._typing import Array
from ..errors import DivergenceError
from ..narx import NARX
from ._fits import Model
from ._records import BenchmarkRecord, Start, TestSignal


def score_tests(model: Model, record: BenchmarkRecord) -> dict[str, float]:
    """The error on every test, scaled; infinite where a simulation diverges."""
    return {name: record.scale * _measure_error(model, test) for name, test in record.tests.items()}


def _measure_error(model: Model, test: TestSignal) -> float:
    if test.start is Start.OUTPUTS:
        return float(model.score(test.u, test.y, test.initial).rmse)
    repeats = 2 if test.start is Start.PERIODIC else 1  # the first period is the transient
    try:
        simulated = _simulate_from_rest(model, np.tile(test.u, repeats))[-test.y.size :]
    except DivergenceError:
        return np.inf
    return float(np.sqrt(np.mean((simulated - test.y) ** 2)))


def _simulate_from_rest(model: Model, u: Array) -> Array:
    """Start a state-space model in its steady state, a NARX model at zero."""
    if isinstance(model, NARX):
        return np.asarray(model.simulate(u, np.zeros(max(model.lags().longest, 1))))
    return np.asarray(model.simulate(u))
