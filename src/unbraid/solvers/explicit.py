"""The explicit method (section 5.3): one filter fits J, two others must agree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidOption
from ..filters import Filter
from ..moulds import Mould
from ..samples import Samples
from .als import Objective
from .base import Callback, Candidate, Solution
from .ftd import Search, candidate, diagnosis, search_starts
from .problem import Problem, make_problem
from .starts import Options, Workers, run_all
from .vsteps import VUpdate

GRID = tuple(10.0 ** (2 * power) for power in range(-1, 5))  # sqrt(lambda) = 1e-1 ... 1e4
PERCENT = 100.0


@dataclass(frozen=True)
class Explicit:
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
    points : int
        Points in the windows of the three filters.
    workers : int or map-like callable, optional
        Processes to spread the grid over.
    v_update, moulds, weights, n_starts, max_iterations, random_state, callback
        As for ``Implicit``.
    """

    smoothness: float | Sequence[float] = GRID
    points: int = 3
    v_update: VUpdate = "function"
    moulds: Mould | Sequence[Mould] | None = None
    weights: Sequence[float] | NDArray[np.float64] | None = None
    n_starts: int = 4
    max_iterations: int = 100
    random_state: int | np.random.SeedSequence | np.random.Generator | None = None
    callback: Callback | None = None
    workers: Workers = None

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose for every smoothness; candidates come in the order of the grid."""
        began = time.perf_counter()
        problem = make_problem(samples, n_branches, self.weights, self.moulds)
        options = Options(
            self.n_starts, self.max_iterations, self.random_state, self.callback, 1
        ).checked()
        seed = options.random_state
        if isinstance(seed, np.random.Generator):
            seed = int(seed.integers(2**63))
        tasks = [
            (
                problem,
                self._search(
                    value, Options(self.n_starts, self.max_iterations, seed, self.callback, 1)
                ),
            )
            for value in self._grid()
        ]
        size = problem.points.shape[0] * n_branches
        found = run_all(_solve_one, tasks, self.workers, size)
        candidates = tuple(best for best, _ in found)
        best = min(candidates, key=lambda c: c.objective)
        residuals = next(r for c, r in found if c is best)
        return Solution(
            "explicit",
            best.factors,
            best.run.objective,
            residuals,
            candidates,
            best.run.stop_reason,
            best.run.converged,
            time.perf_counter() - began,
            diagnosis(candidates, self.n_starts),
            details={"smoothness": best.details["smoothness"]},
        )

    def _grid(self) -> tuple[float, ...]:
        grid = np.atleast_1d(np.asarray(self.smoothness, dtype=float))
        if grid.ndim != 1 or grid.size == 0 or not np.all(np.isfinite(grid)) or np.any(grid < 0):
            raise InvalidOption(
                f"smoothness must be one or more numbers of at least 0, got {self.smoothness!r}"
            )
        return tuple(float(value) for value in grid)

    def _search(self, smoothness: float, options: Options) -> Search:
        data = (Filter("central", self.points),)
        penalty = (Filter("left", self.points), Filter("right", self.points))
        objective = Objective(data, penalty, smoothness / PERCENT**2)
        return Search(objective, self.v_update, options, n_polished=1)


def _solve_one(task: tuple[Problem, Search]) -> tuple[Candidate, tuple[float, ...]]:
    problem, search = task
    runs, residuals = search_starts(problem, search)
    smoothness = PERCENT**2 * search.objective.smoothness
    return candidate(problem, runs[0], smoothness=smoothness), residuals
