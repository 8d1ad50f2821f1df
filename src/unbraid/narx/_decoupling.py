"""Decoupling the static map of a NARX model, judged in simulation where the method asks for it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..bases import Polynomial
from ..data._samples import Samples
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..pipeline._pipeline import refinable
from ..pipeline._refinement import refine
from ..sampling import RandomState
from ..solvers.filtered._explicit import Explicit
from ..solvers.varpro._solver import VarPro
from ..sources import HermitePolynomial, sample

RESTARTS = 3  # of the paper's method, each with points of its own
AS_GOOD = 1.2  # times the coupled model's simulation error: no restart is needed
ALIKE = 1.15  # simulation errors within this factor say nothing of which model is better

Draw = Callable[[RandomState], Array]
Judge = Callable[[Any], float]  # simulation error in % of a static map


class Drawn(NamedTuple):
    """How operating points are drawn from a record."""

    points: Any
    n_points: int
    spread: float


BY_VARPRO, AS_PUBLISHED = Drawn("random", 2000, 1.0), Drawn("covariance", 400, 1.5)


def drawn_as(method: Any, points: Any, n_points: Any, spread: Any) -> Drawn:
    """What the user says of the points, the rest as it suits the method."""
    given = {"points": points, "n_points": n_points, "spread": spread}
    usual = BY_VARPRO if method == "varpro" or isinstance(method, VarPro) else AS_PUBLISHED
    return usual._replace(**{name: value for name, value in given.items() if value is not None})


def defaults(function: Any, basis: Any, extrapolate: Any) -> dict[str, Any]:
    """Polynomials are made of polynomials of their degree, and go on as such."""
    polynomial = isinstance(function, HermitePolynomial)
    if polynomial and isinstance(basis, str):
        basis = Polynomial(function.degree)
    if extrapolate is None:
        extrapolate = "basis" if polynomial and isinstance(basis, Polynomial) else "linear"
    return {"basis": basis, "extrapolate": extrapolate}


class Trial(NamedTuple):
    """A decoupling: its simulation error, its distance from the coupled function, both in %."""

    error: float
    apart: float
    function: DecoupledFunction
    said: list[warnings.WarningMessage]


def decoupled(
    function: Any,
    draw: Draw,
    n_branches: Any,
    judge: Judge | None,
    random_state: RandomState,
    options: dict[str, Any],
) -> DecoupledFunction:
    """The function decoupled at points as drawn.

    The paper's explicit method is run for every smoothness of its grid and chosen by simulation
    error on the training record (section 9); of those that are alike in it, the one nearest to the
    coupled function is kept. It ends in local minima: it is started again, up to a few times,
    until it simulates about as well as the coupled model. Where it never does, the best is polished
    on the values of the coupled function, eq. (4).
    """
    if options.get("method") != "explicit" or judge is None:
        samples = sample(function, draw(random_state))
        if isinstance(options.get("method", ""), str):  # a solver object has its own
            options = {**options, "random_state": random_state}
        return decouple(samples, n_branches=n_branches, **options)
    grid = np.atleast_1d(options.get("smoothness", Explicit.smoothness)).tolist()
    target = AS_GOOD * judge(function)
    first: Samples | None = None
    found: list[Trial] = []
    for seed in _seeds(random_state):
        samples = sample(function, draw(seed))
        first = first or samples
        for smoothness in grid:
            choice = {**options, "smoothness": smoothness, "random_state": seed}
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                d = decouple(samples, n_branches=n_branches, **choice)
            values = d(first.points)
            known = np.all(np.isfinite(values), axis=1)
            apart = float(np.mean(relative_error(first.values[known], values[known])))
            found.append(Trial(judge(d), apart, d, said))
        least = min(trial.error for trial in found)
        if least <= target:
            break
    alike = [trial for trial in found if trial.error <= ALIKE * least]
    best = min(alike or found, key=lambda trial: trial.apart)
    for warning in best.said:  # of the others nobody needs to know
        warnings.warn(warning.message, stacklevel=3)
    if least <= target or not refinable(best.function):
        return best.function
    assert first is not None
    polished = refine(best.function, first)
    return polished if judge(polished) < best.error else best.function


def _seeds(random_state: RandomState) -> list[int]:
    generator = np.random.default_rng(random_state)
    return [int(seed) for seed in generator.integers(2**31, size=RESTARTS)]
