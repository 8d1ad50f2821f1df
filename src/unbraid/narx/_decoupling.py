"""Decoupling of the static map of a NARX model."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..bases import Polynomial
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..pipeline import refine
from ..pipeline._joint_fit import can_refit
from ..sampling import RandomState
from ..solvers import METHODS, Explicit
from ..solvers._base import capabilities_of
from ..sources import HermitePolynomial, sample

EXPLICIT_RESTARTS = 3  # of the explicit method, each with new points
ACCEPTED_ERROR_RATIO = 1.2  # simulation error over that of the coupled model: no more restarts
EQUIVALENT_ERROR_RATIO = 1.15  # of two simulation errors that do not rank their models

Draw = Callable[[RandomState], Array]
Judge = Callable[[Any], float]  # simulation error in % of a static map


def choose_sampling(method: Any, **given: Any) -> dict[str, Any]:
    """Options of ``operating_points``: those given, else defaults of the method."""
    solver = METHODS.get(method) if isinstance(method, str) else method
    if capabilities_of(solver).postprocess:
        default = {"points": "random", "n_points": 2000, "spread": 1.0}
    else:
        default = {"points": "covariance", "n_points": 400, "spread": 1.5}
    return default | {name: value for name, value in given.items() if value is not None}


def default_options(function: Any, basis: Any, extrapolate: Any) -> dict[str, Any]:
    """Basis and extrapolation; for a polynomial, a basis of its degree by default."""
    polynomial = isinstance(function, HermitePolynomial)
    if polynomial and isinstance(basis, str):
        basis = Polynomial(function.degree)
    if extrapolate is None:
        extrapolate = "basis" if polynomial and isinstance(basis, Polynomial) else "linear"
    return {"basis": basis, "extrapolate": extrapolate}


def decouple_map(
    function: Any,
    draw: Draw,
    n_branches: Any,
    judge: Judge | None,
    random_state: RandomState,
    options: dict[str, Any],
) -> DecoupledFunction:
    """Decouple the function at the points that ``draw`` returns."""
    options = {**options, "n_branches": n_branches}
    if options.get("method") == "explicit" and judge is not None:
        return _decouple_explicit(function, draw, judge, random_state, options)
    samples = sample(function, draw(random_state))
    if isinstance(options.get("method", ""), str):  # a solver object has its own random_state
        options["random_state"] = random_state
    return decouple(samples, simplify=False, **options)


class _Candidate(NamedTuple):
    """A decoupled function, its simulation error, its distance from the coupled one."""

    error: float  # %
    distance: float  # %
    function: DecoupledFunction
    warnings: list[warnings.WarningMessage]


def _decouple_explicit(
    function: Any, draw: Draw, judge: Judge, random_state: RandomState, options: dict[str, Any]
) -> DecoupledFunction:
    """Choose the smoothness by the simulation error on the training record.

    This follows section 9 of the paper. Of candidates with equivalent errors, the one closest to
    the coupled function is kept. The method ends in local minima, so it is restarted until it
    simulates about as well as the coupled model. If it never does, the best candidate is refined on
    the values of the function, eq. (4).
    """
    grid = np.atleast_1d(options.get("smoothness", Explicit.smoothness)).tolist()
    target = ACCEPTED_ERROR_RATIO * judge(function)
    seeds = np.random.default_rng(random_state).integers(2**31, size=EXPLICIT_RESTARTS).tolist()
    first = None
    candidates: list[_Candidate] = []
    for seed in seeds:
        samples = sample(function, draw(seed))
        first = first or samples
        for smoothness in grid:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                d = decouple(samples, **{**options, "smoothness": smoothness, "random_state": seed})
            values = d(first.points)
            known = np.all(np.isfinite(values), axis=1)
            distance = float(np.mean(relative_error(first.values[known], values[known])))
            candidates.append(_Candidate(judge(d), distance, d, caught))
        least = min(candidate.error for candidate in candidates)
        if least <= target:
            break
    equivalent = [c for c in candidates if c.error <= EQUIVALENT_ERROR_RATIO * least]
    best = min(equivalent or candidates, key=lambda candidate: candidate.distance)
    for warning in best.warnings:  # those of the other candidates do not matter
        warnings.warn(warning.message, stacklevel=4)
    if least <= target or not can_refit(best.function):
        return best.function
    assert first is not None
    refined = refine(best.function, first)
    return refined if judge(refined) < best.error else best.function
