"""The implicit method (section 5.2): G must satisfy several filters at once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ...data._samples import Samples
from ...errors import InvalidOptionError
from .._base import Solution
from .._problem import Problem, check_n_branches, make_problem
from .._starts import make_solution
from ._als import FilterObjective
from ._filters import Filter
from ._method import FilteredMethod, FilteredSearch, search_starts

TWO_FILTERS = (Filter("left"), Filter("right"))
THREE_FILTERS = (*TWO_FILTERS, Filter("central"))


@dataclass(frozen=True, kw_only=True)
class Implicit(FilteredMethod):
    """Filtered tensor decomposition with smoothness in the filters.

    Parameters
    ----------
    filters : sequence of Filter, optional
        Default: 3-point left and right, and central too where r > n*m, since the system is
        underdetermined there and two filters give too few equations.
    v_update : {"function", "relaxed", "nonlinear"}
        How V is updated; ``docs/methods.md`` compares accuracy and time.
    constraints : BranchConstraint or one per branch, optional
        Places where the derivative may jump, limits beyond which a branch is flat.
    weights : (n,), optional
        Weight of each output, in units of its spread; by default all have the same.
    n_starts, max_iterations : int
        Random starts; iterations to polish each of the best few.
    random_state : int, SeedSequence or Generator, optional
        The same state gives the same result, bit for bit, whatever ``n_jobs`` is.
    callback : callable, optional
        Called with a ``Progress`` after every iteration; returning True stops.
    n_jobs : int, optional
        Processes to spread the starts over.
    """

    filters: Filter | Sequence[Filter] | None = None

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose the Jacobian tensor of the samples."""
        began = time.perf_counter()
        method = self.validate()
        check_n_branches(samples, n_branches)
        problem = make_problem(samples, n_branches, self.weights, self.constraints)
        search = FilteredSearch(FilterObjective(self._check_filters(problem)), method)
        polished, agreement = search_starts(problem, search)
        more = {"unique": agreement.unique, "remark": agreement.text}
        return make_solution("implicit", polished[0], polished, began, **more)

    def _check_filters(self, problem: Problem) -> tuple[Filter, ...]:
        _, n, m = problem.shape
        if self.filters is None:
            return THREE_FILTERS if problem.n_branches > n * m else TWO_FILTERS
        if isinstance(self.filters, Filter):
            return (self.filters,)
        listed = tuple(self.filters) if isinstance(self.filters, Sequence) else ()
        if not listed or not all(isinstance(f, Filter) for f in listed):
            raise InvalidOptionError(
                f"filters must be a Filter or hold Filter objects, got {self.filters!r}"
            )
        return listed
