"""Grow directions one by one, each where the residual asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from time import perf_counter

import numpy as np
from numpy.random import Generator

from ..._typing import Array
from ._descent import fit_directions
from ._fit import DirectionFit, fit_coefficients, total_error, validation_errors
from ._problem import DirectionProblem, unit_rows
from ._splines import evaluate_cubic_splines, place_knots


@dataclass(frozen=True)
class GrowthSettings:
    """How directions are found, and when enough of them are.

    Attributes
    ----------
    n_splines : int
        Coefficients per curve.
    n_eigenvectors, n_random : int
        Candidates from the gradients of the residual, and random ones.
    n_tried : int
        Candidates that are refined.
    min_angle : float
        Degrees between candidates that are refined.
    quick_iterations, iterations : int
        Of the refinement of a candidate, and of the best one.
    worthwhile : float
        Ratio of errors that two more directions must reach for some output.
    required_gain : float
        Fall of the logarithm of the error that one more direction is worth.
    good_enough : float
        Error in % below which a fall is worth nothing.
    complete : float
        Ratio of errors below which a direction completes a sum.
    poor : float
        Error in % above which directions are added in any case.
    """

    n_splines: int = 12
    n_eigenvectors: int = 3
    n_random: int = 10
    n_tried: int = 3
    min_angle: float = 10.0
    quick_iterations: int = 6
    iterations: int = 25
    worthwhile: float = 0.9
    required_gain: float = 0.35
    good_enough: float = 0.5
    complete: float = 0.1
    poor: float = 10.0


GROWTH_SETTINGS = GrowthSettings()
N_SCREENING_SPLINES = 8  # of a curve along a candidate
NO_RESIDUAL = 1e-4  # %: an error that is as good as none


@dataclass(frozen=True, eq=False)
class DirectionStep:
    """A number of directions with their fit and errors on the validation rows, in %."""

    fit: DirectionFit
    errors: Array
    seconds: float = 0.0

    @property
    def error(self) -> float:
        return total_error(self.errors)

    @property
    def n_directions(self) -> int:
        return len(self.fit.directions)


def grow_directions(
    problem: DirectionProblem,
    max_directions: int,
    tolerance: float,
    rng: Generator,
    report: Callable[[int, float], bool] | None = None,
) -> list[DirectionStep]:
    """Add directions until the error meets a tolerance (%) or hardly falls.

    ``report(n_directions, error)`` may return True to stop.
    """
    settings = GROWTH_SETTINGS
    empty = np.empty((0, problem.sizes[2]))
    steps = [_make_step(problem, fit_coefficients(problem, empty, settings.n_splines))]
    while len(steps) <= max_directions:
        began = perf_counter()
        step = _add_direction(problem, steps[-1].fit, rng)
        steps.append(replace(step, seconds=perf_counter() - began))
        stopped = report is not None and report(len(steps) - 1, steps[-1].error)
        enough = max(tolerance, NO_RESIDUAL)
        going = _still_falls(steps) or steps[-1].error > settings.poor
        if stopped or steps[-1].error <= enough or not going:
            break
    return steps


def choose_step(steps: list[DirectionStep], tolerance: float) -> DirectionStep:
    """The number of directions beyond which more of them gain little.

    A direction that completes a sum lowers the error by an order of magnitude: it is never left
    out. While the error is large, everything is worth another direction.
    """
    settings = GROWTH_SETTINGS
    errors = np.array([step.error for step in steps])
    size = np.log(np.maximum(errors, max(settings.good_enough, tolerance)))
    chosen = int(np.argmin(size + settings.required_gain * np.arange(len(steps))))
    falls = errors[1:] < settings.complete * errors[:-1]
    if np.any(falls[chosen:]):
        chosen = int(np.flatnonzero(falls)[-1]) + 1
    if errors[chosen] > settings.poor:
        chosen = int(np.argmin(errors))
    return steps[chosen]


def _still_falls(steps: list[DirectionStep]) -> bool:
    """Whether the last two directions lowered the error of some output."""
    if len(steps) < 3:
        return True
    return bool(np.any(steps[-1].errors < GROWTH_SETTINGS.worthwhile * steps[-3].errors))


def _make_step(problem: DirectionProblem, fit: DirectionFit) -> DirectionStep:
    """A step; its errors are those of curves without penalty."""
    free = fit_coefficients(problem, fit.directions, fit.n_splines, curve_penalty=0.0)
    return DirectionStep(fit, validation_errors(problem, free))


def _add_direction(problem: DirectionProblem, fit: DirectionFit, rng: Generator) -> DirectionStep:
    """Refine the most promising candidates together with the others; keep the best."""
    settings = GROWTH_SETTINGS
    candidates = _find_candidates(fit.slope_residual, rng)
    gains = _screen(problem, fit, candidates)
    best: DirectionFit | None = None
    for candidate in _take_distinct(candidates[np.argsort(-gains)]):
        trial = fit_directions(
            problem,
            np.vstack([fit.directions, candidate]),
            settings.n_splines,
            max_iterations=settings.quick_iterations,
            tolerance=1e-2,
        )
        best = trial if best is None or trial.cost < best.cost else best
    assert best is not None  # there is at least one candidate
    return _make_step(
        problem,
        fit_directions(
            problem, best.directions, settings.n_splines, max_iterations=settings.iterations
        ),
    )


def _find_candidates(slopes: Array, rng: Generator) -> Array:
    """Unit rows: inputs, and directions in which the residual (N, n, m) varies."""
    settings = GROWTH_SETTINGS
    m = slopes.shape[2]
    found = [*np.eye(m)]
    parts = [slopes.reshape(-1, m), *(slopes[:, o] for o in range(slopes.shape[1]))]
    for part in parts[: 1 if slopes.shape[1] == 1 else None]:
        vectors = np.linalg.eigh(part.T @ part)[1].T[::-1][: settings.n_eigenvectors]
        found += list(vectors)
        for a, b in combinations(vectors, 2):
            found += [a + b, a - b]
    sizes, vectors = np.linalg.eigh(parts[0].T @ parts[0])
    drawn = rng.normal(size=(settings.n_random, m)) * np.sqrt(np.maximum(sizes, 0))
    return unit_rows(np.vstack([*found, drawn @ vectors.T]))


def _screen(problem: DirectionProblem, fit: DirectionFit, candidates: Array) -> Array:
    """How much of the residual a curve along each candidate alone would explain."""
    points, weight = problem.points[problem.fitted], problem.slope_weight
    z = candidates @ points.T
    splines, slopes, _ = evaluate_cubic_splines(z, place_knots(z, N_SCREENING_SPLINES))
    splines, slopes = splines[:, :, 1:-1], slopes[:, :, 1:-1]
    matrices = splines.swapaxes(1, 2) @ splines + weight * slopes.swapaxes(1, 2) @ slopes
    along = np.einsum("kol,cl->cko", fit.slope_residual, candidates)
    targets = splines.swapaxes(1, 2) @ fit.residual + weight * slopes.swapaxes(1, 2) @ along
    scale = np.trace(matrices, axis1=1, axis2=2)[:, None, None]
    solved = np.linalg.solve(matrices + 1e-9 * scale * np.eye(matrices.shape[1]), targets)
    return np.asarray(np.sum(solved * targets, axis=(1, 2)))


def _take_distinct(candidates: Array) -> list[Array]:
    """The first few candidates that are not close to each other."""
    limit = np.cos(np.radians(GROWTH_SETTINGS.min_angle))
    taken: list[Array] = []
    for candidate in candidates:
        if all(abs(candidate @ other) < limit for other in taken):
            taken.append(candidate)
        if len(taken) == GROWTH_SETTINGS.n_tried:
            break
    return taken
