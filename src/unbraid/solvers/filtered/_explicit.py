"""The explicit method (section 5.3): one filter fits J, two others must agree."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data._samples import Samples
from ...errors import InvalidOptionError
from .._base import Candidate, Solution
from .._problem import Problem, check_n_branches, make_problem
from .._starts import make_solution, run_all, spawn_generators
from ._als import FilterObjective
from ._filters import Filter
from ._method import FilteredMethod, FilteredSearch, search_starts

SMOOTHNESS_GRID = tuple(10.0 ** (2 * power) for power in range(-1, 5))  # sqrt: 1e-1 ... 1e4
PERCENT = 100.0
MAX_SMOOTHNESS = 1e30


@dataclass(frozen=True, kw_only=True)
class Explicit(FilteredMethod):
    """Filtered tensor decomposition with a smoothness penalty.

    The objective is ``|J - [[W, V, central(G)]]|^2 + smoothness |left(G) - right(G)|^2`` with
    every column of left(G) and right(G) divided by its rms, and J in percent of its rms, so
    that ``smoothness`` does not depend on the units of f. After every iteration the scale of G
    is taken out of W: the normalised penalty as published rewards a G that shrinks without end.

    Parameters
    ----------
    smoothness : float or sequence of float
        One lambda, or a grid of which the value with the smallest function error is kept.
        Default: sqrt(lambda) = 1e-1, 1, ..., 1e4, as in the paper.
    window : int
        Points in the windows of the three filters.
    n_jobs : int, optional
        Processes to spread the grid over.
    v_update, constraints, weights, n_starts, max_iterations, random_state, callback
        As for ``Implicit``.
    """

    smoothness: float | Sequence[float] = SMOOTHNESS_GRID
    window: int = 3
    n_starts: int = 4

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose for every smoothness; candidates come in the order of the grid."""
        began = time.perf_counter()
        method = self.validate()
        check_n_branches(samples, n_branches)
        problem = make_problem(samples, n_branches, self.weights, self.constraints)
        seed = int(spawn_generators(self.random_state, 1)[0].integers(2**63))
        each = replace(method, random_state=seed, n_jobs=1)  # the same starts for every value
        tasks = [(problem, each._make_search(value)) for value in self._check_grid()]
        size = problem.points.shape[0] * n_branches
        found = run_all(_solve_one, tasks, self.n_jobs, size)
        best = min(found, key=lambda c: _compute_value_error(samples, c))
        remark = _list_objectives(found)
        return make_solution("explicit", best, found, began, remark=remark)

    def _check_grid(self) -> tuple[float, ...]:
        try:
            values = np.atleast_1d(np.asarray(self.smoothness))
        except ValueError:  # lists of lists of several lengths
            values = np.empty(0)
        numbers = values.ndim == 1 and values.size > 0 and values.dtype.kind in "iuf"
        if not numbers or not np.all((values >= 0) & (values <= MAX_SMOOTHNESS)):
            raise InvalidOptionError(
                f"smoothness must be one or more numbers from 0 to {MAX_SMOOTHNESS:g}, got "
                f"{self.smoothness!r}"
            )
        return tuple(values.astype(float).tolist())

    def _make_search(self, smoothness: float) -> FilteredSearch:
        data = (Filter("central", self.window),)
        penalty = (Filter("left", self.window), Filter("right", self.window))
        objective = FilterObjective(data, penalty, smoothness / PERCENT**2)
        return FilteredSearch(objective, self, n_polished=1)


def _solve_one(task: tuple[Problem, FilteredSearch]) -> Candidate:
    problem, search = task
    smoothness = PERCENT**2 * search.objective.smoothness
    (best, *_), _ = search_starts(problem, search, smoothness=smoothness)
    return best


def _compute_value_error(samples: Samples, found: Candidate) -> float:
    """Return the mean relative error of the values; objectives are not comparable."""
    miss = samples.values - found.factors.G @ found.factors.W.T
    spread = samples.values.std(axis=0)
    moving = spread > 0
    return float(np.mean(miss.std(axis=0)[moving] / spread[moving])) if np.any(moving) else 0.0


def _list_objectives(found: Sequence[Candidate]) -> str:
    cells = [
        f"{np.sqrt(float(c.details['smoothness'])):g}: {100 * c.objective:.2g} %" for c in found
    ]
    return "relative objective by sqrt(smoothness): " + ", ".join(cells)
