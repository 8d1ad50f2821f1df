"""The bias of the filters: the error of the implicit method with exact W and V."""

from dataclasses import dataclass

from .._decouple import decouple
from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..solvers._base import Candidate, Run, Solution
from ..solvers._problem import make_problem
from ..solvers._status import Status
from ..solvers.filtered._als import FilterObjective, make_first_state
from ..solvers.filtered._implicit import TWO_FILTERS


@dataclass(frozen=True, eq=False)
class KnownFactors:
    """A solver that takes W and V as given, and estimates only G."""

    W: Array
    V: Array

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Apply the G-update of the implicit method once, which is a linear problem."""
        problem = make_problem(samples, n_branches)
        state = make_first_state(
            problem, FilterObjective(TWO_FILTERS), *problem.from_user(self.W, self.V)
        )
        factors, _ = problem.factors(state.W, state.V, state.values, state.mean_derivatives.T)
        run = Run(None, (state.loss**0.5,), Status.CONVERGED)
        return Solution(
            method="implicit, W and V known",
            factors=factors,
            objective=run.objective,
            start_objectives=run.objective,
            candidates=(Candidate(factors, run),),
            remark="W and V were given",
        )


def compute_filter_bias(samples: Samples, W: Array, V: Array, basis: Basis) -> float:
    """Return the error in % of two filters of three points where W and V are exact.

    >>> import numpy as np
    >>> from unbraid import Polynomial
    >>> p = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> square = Samples(p, p[:, :1] ** 2, np.stack([2 * p[:, 0], 0 * p[:, 0]], axis=1))
    >>> one, along = np.ones((1, 1)), np.array([[1.0], [0.0]])
    >>> compute_filter_bias(square, one, along, Polynomial(2)) < 1e-6  # exact for parabolas
    True
    """
    d = decouple(samples, n_branches=V.shape[1], method=KnownFactors(W, V), basis=basis)
    assert d.fitted_error is not None
    return float(d.fitted_error.mean())
