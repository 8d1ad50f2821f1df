"""The explicit method (section 5.3): one filter fits J, two others must agree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data._samples import Samples
from ...errors import InvalidOption
from .._base import Candidate, Solution
from .._problem import Problem, check_count, make_problem
from .._starts import generators, run_all
from ._als import Objective
from ._filters import Filter
from ._method import FilteredMethod, Search, candidates

GRID = tuple(10.0 ** (2 * power) for power in range(-1, 5))  # sqrt(lambda) = 1e-1 ... 1e4
PERCENT = 100.0
SMOOTHEST = 1e30


@dataclass(frozen=True, kw_only=True)
class Explicit(FilteredMethod):
    """Filtered tensor decomposition with a smoothness penalty.

    The objective is ``|J - [[W, V, central(G)]]|^2 + smoothness |left(G) - right(G)|^2`` with
    every column of left(G) and right(G) divided by its rms, and J in percent of its own rms, so
    that ``smoothness`` does not depend on the units of f. After every iteration the scale of G
    is taken out of W: the normalised penalty as published rewards shrinking G for ever.

    Parameters
    ----------
    smoothness : float or sequence of float
        One lambda, or a grid of which the value with the least function error is kept.
        Default: sqrt(lambda) = 1e-1, 1, ..., 1e4, as in the paper.
    window : int
        Points in the windows of the three filters.
    n_jobs : int, optional
        Processes to spread the grid over.
    v_update, moulds, weights, n_starts, max_iterations, random_state, callback
        As for ``Implicit``.
    """

    smoothness: float | Sequence[float] = GRID
    window: int = 3
    n_starts: int = 4

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose for every smoothness; candidates come in the order of the grid."""
        began = time.perf_counter()
        method = self.prepared()
        check_count(samples, n_branches)
        problem = make_problem(samples, n_branches, self.weights, self.moulds)
        seed = int(generators(self.random_state, 1)[0].integers(2**63))
        each = replace(method, random_state=seed, n_jobs=1)  # the same starts for every value
        tasks = [(problem, each._search(value)) for value in self._grid()]
        size = problem.points.shape[0] * n_branches
        found = tuple(run_all(_solve_one, tasks, self.n_jobs, size))
        best = min(found, key=lambda c: _value_error(samples, c))
        return Solution(
            method="explicit",
            factors=best.factors,
            objective=best.run.objective,
            start_objectives=best.start_objectives,
            candidates=found,
            stop_reason=best.run.stop_reason,
            converged=best.run.converged,
            seconds=time.perf_counter() - began,
            diagnosis=_diagnosis(found),
            details=best.details,
        )

    def _grid(self) -> tuple[float, ...]:
        try:
            values = np.atleast_1d(np.asarray(self.smoothness))
        except ValueError:  # lists of lists of several lengths
            values = np.empty(0)
        numbers = values.ndim == 1 and values.size > 0 and values.dtype.kind in "iuf"
        if not numbers or not np.all((values >= 0) & (values <= SMOOTHEST)):
            raise InvalidOption(
                f"smoothness must be one or more numbers from 0 to {SMOOTHEST:g}, got "
                f"{self.smoothness!r}"
            )
        return tuple(values.astype(float).tolist())

    def _search(self, smoothness: float) -> Search:
        data = (Filter("central", self.window),)
        penalty = (Filter("left", self.window), Filter("right", self.window))
        objective = Objective(data, penalty, smoothness / PERCENT**2)
        return Search(objective, self, n_polished=1)


def _solve_one(task: tuple[Problem, Search]) -> Candidate:
    problem, search = task
    smoothness = PERCENT**2 * search.objective.smoothness
    (best, *_), _ = candidates(problem, search, smoothness=smoothness)
    return best


def _value_error(samples: Samples, found: Candidate) -> float:
    """How far the nonparametric estimate is from the values; objectives do not compare."""
    miss = samples.values - found.factors.G @ found.factors.W.T
    spread = samples.values.std(axis=0)
    moving = spread > 0
    return float(np.mean(miss.std(axis=0)[moving] / spread[moving])) if np.any(moving) else 0.0


def _diagnosis(found: Sequence[Candidate]) -> str:
    """What every smoothness reached, in a sentence."""
    cells = [
        f"{np.sqrt(float(c.details['smoothness'])):g}: {100 * c.objective:.2g} %" for c in found
    ]
    return "relative objective by sqrt(smoothness): " + ", ".join(cells)
