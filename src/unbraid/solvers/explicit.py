"""The explicit method (section 5.3): one filter fits J, two others must agree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidOption
from ..filters import Filter
from ..moulds import Mould
from ..samples import Samples
from .als import Objective
from .base import Callback, Candidate, Solution
from .ftd import Search, candidates
from .problem import Problem, make_problem
from .starts import Options, Workers, generators, run_all
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
            self.n_starts, self.max_iterations, self.random_state, self.callback, self.workers
        ).checked()
        seed = int(generators(options.random_state, 1)[0].integers(2**63))
        each = replace(options, random_state=seed, workers=1)  # the same starts for every value
        tasks = [(problem, self._search(value, each)) for value in self._grid()]
        size = problem.points.shape[0] * n_branches
        found = tuple(run_all(_solve_one, tasks, self.workers, size))
        best = min(found, key=lambda c: c.objective)
        return Solution(
            "explicit",
            best.factors,
            best.run.objective,
            best.start_objectives,
            found,
            best.run.stop_reason,
            best.run.converged,
            time.perf_counter() - began,
            _diagnosis(found),
            details=best.details,
        )

    def _grid(self) -> tuple[float, ...]:
        try:
            grid = tuple(float(value) for value in np.atleast_1d(np.asarray(self.smoothness)))
        except (TypeError, ValueError):
            grid = ()
        if not grid or not all(np.isfinite(value) and value >= 0 for value in grid):
            raise InvalidOption(
                f"smoothness must be one or more numbers of at least 0, got {self.smoothness!r}"
            )
        return grid

    def _search(self, smoothness: float, options: Options) -> Search:
        data = (Filter("central", self.points),)
        penalty = (Filter("left", self.points), Filter("right", self.points))
        objective = Objective(data, penalty, smoothness / PERCENT**2)
        return Search(objective, self.v_update, options, n_polished=1)


def _solve_one(task: tuple[Problem, Search]) -> Candidate:
    problem, search = task
    smoothness = PERCENT**2 * search.objective.smoothness
    return candidates(problem, search, smoothness=smoothness)[0]


def _diagnosis(found: Sequence[Candidate]) -> str:
    """What every smoothness reached, in a sentence."""
    cells = [
        f"{np.sqrt(float(c.details['smoothness'])):g}: {100 * c.objective:.2g} %" for c in found
    ]
    return "relative objective by sqrt(smoothness): " + ", ".join(cells)
