"""The implicit method (section 5.2): G must satisfy several filters at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ...data._samples import Samples
from ...errors import InvalidOption
from .._base import Solution
from .._problem import Problem, check_count, make_problem
from ._als import Objective
from ._filters import Filter
from ._method import FilteredMethod, Search, candidates

TWO = (Filter("left"), Filter("right"))
THREE = (*TWO, Filter("central"))


@dataclass(frozen=True, kw_only=True)
class Implicit(FilteredMethod):
    """Filtered tensor decomposition with smoothness in the filters.

    Parameters
    ----------
    filters : sequence of Filter, optional
        Default: 3-point left and right, and central too where r > n*m, since the
        system is underdetermined there and two filters have too few rows.
    v_update : {"function", "relaxed", "nonlinear"}
        How V is updated; see ``docs/methods.md`` for what each gives in what time.
    moulds : Mould or one a branch, optional
        Places where the derivative may jump, limits beyond which a branch is flat.
    weights : (n,), optional
        How much each output counts; by default all count alike, each in units of its spread.
    n_starts, max_iterations : int
        Random starts; iterations to polish each of the best few.
    random_state : int, SeedSequence or Generator, optional
        The same state gives the same answer, bit for bit, whatever ``n_jobs`` is.
    callback : callable, optional
        Called with a ``Progress`` after every iteration; returning True stops.
    n_jobs : int, optional
        Processes to spread the starts over.
    """

    filters: Filter | Sequence[Filter] | None = None

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose the Jacobian tensor of the samples."""
        began = time.perf_counter()
        method = self.prepared()
        check_count(samples, n_branches)
        problem = make_problem(samples, n_branches, self.weights, self.moulds)
        search = Search(Objective(self._filters(problem)), method)
        polished, agreement = candidates(problem, search)
        best = polished[0]
        return Solution(
            method="implicit",
            factors=best.factors,
            objective=best.run.objective,
            start_objectives=best.start_objectives,
            candidates=tuple(polished),
            stop_reason=best.run.stop_reason,
            converged=best.run.converged,
            seconds=time.perf_counter() - began,
            diagnosis=agreement,
            details=best.details,
        )

    def _filters(self, problem: Problem) -> tuple[Filter, ...]:
        _, n, m = problem.shape
        if self.filters is None:
            return THREE if problem.n_branches > n * m else TWO
        if isinstance(self.filters, Filter):
            return (self.filters,)
        listed = tuple(self.filters) if isinstance(self.filters, Sequence) else ()
        if not listed or not all(isinstance(f, Filter) for f in listed):
            raise InvalidOption(
                f"filters must be a Filter or hold Filter objects, got {self.filters!r}"
            )
        return listed
