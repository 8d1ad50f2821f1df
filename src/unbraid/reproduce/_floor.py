"""What finite differences cannot see: the implicit method with the true W and V."""

from __future__ import annotations

from dataclasses import dataclass

from .._decouple import decouple
from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..solvers._base import Candidate, Run, Solution
from ..solvers._problem import make_problem
from ..solvers.filtered._als import Objective, start
from ..solvers.filtered._implicit import TWO


@dataclass(frozen=True, eq=False)
class Known:
    """A solver that is given W and V, and has only G left to find."""

    W: Array
    V: Array

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """The G-update of the implicit method, once: it is linear in G."""
        problem = make_problem(samples, n_branches)
        state = start(problem, Objective(TWO), *problem.from_user(self.W, self.V))
        factors, _ = problem.factors(state.W, state.V, state.values, state.mean_derivatives.T)
        run = Run(None, (state.loss**0.5,), "one update is all there is", True)
        return Solution(
            method="implicit, W and V known",
            factors=factors,
            objective=run.objective,
            start_objectives=run.objective,
            candidates=(Candidate(factors, run),),
            stop_reason=run.stop_reason,
            converged=run.converged,
            seconds=0.0,
            diagnosis="W and V were given",
        )


def filter_floor(samples: Samples, W: Array, V: Array, basis: Basis) -> float:
    """Error in % that two filters of three points leave where W and V are right.

    >>> import numpy as np
    >>> from unbraid import Polynomial
    >>> p = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> square = Samples(p, p[:, :1] ** 2, np.stack([2 * p[:, 0], 0 * p[:, 0]], axis=1))
    >>> one, along = np.ones((1, 1)), np.array([[1.0], [0.0]])
    >>> filter_floor(square, one, along, Polynomial(2)) < 1e-6  # exact for parabolas
    True
    """
    d = decouple(samples, n_branches=V.shape[1], method=Known(W, V), basis=basis)
    assert d.fitted_error is not None
    return float(d.fitted_error.mean())
