"""Decoupling the static map of a NARX model, judged in simulation where the method asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decouple import decouple
from ..function import DecoupledFunction
from ..sampling import RandomState
from ..solvers.explicit import Explicit
from ..sources import sample
from ..tensor import Array

RESTARTS = 4  # of the paper's methods, each with points of its own
AS_GOOD = 1.05  # times the coupled model's simulation error: no restart is needed

Draw = Callable[[RandomState], Array]
Judge = Callable[[Any], float]  # simulation error in % of a static map


def decoupled(
    function: Any,
    draw: Draw,
    n_branches: Any,
    judge: Judge | None,
    random_state: RandomState,
    options: dict[str, Any],
) -> DecoupledFunction:
    """The function decoupled at points as drawn.

    The paper's explicit method is run for every smoothness of its grid, and kept is the one of
    least simulation error on the training record (section 9). It ends in local minima: it is
    started again, up to a few times, until it simulates as well as the coupled model.
    """
    grid = options.get("smoothness", Explicit.smoothness)
    if options.get("method") != "explicit" or judge is None:
        samples = sample(function, draw(random_state))
        return decouple(samples, n_branches=n_branches, random_state=random_state, **options)
    target = AS_GOOD * judge(function)
    best, least = None, np.inf
    for seed in _seeds(random_state):
        samples = sample(function, draw(seed))
        for smoothness in np.atleast_1d(grid).tolist():
            choice = {**options, "smoothness": smoothness, "random_state": seed}
            d = decouple(samples, n_branches=n_branches, **choice)
            error = judge(d)
            if best is None or error < least:
                best, least = d, error
        if least <= target:
            break
    assert best is not None
    return best


def _seeds(random_state: RandomState) -> list[int]:
    generator = np.random.default_rng(random_state)
    return [int(seed) for seed in generator.integers(2**31, size=RESTARTS)]
