"""From the factors that a solver found to a function: branches fitted, the best candidate kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..bases import Basis, BSpline, Polynomial
from ..data._samples import Samples
from ..model._branch import fit_branch
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import Candidate, Solution
from ._refinement import with_offset

PAPERS_BASIS = BSpline(12)


def inner_basis(solution: Solution) -> Basis:
    """The basis the solver worked in, no larger than the z of its points allow."""
    basis: Basis = solution.details.get("basis", PAPERS_BASIS)
    if isinstance(basis, Polynomial):
        n_distinct = min(np.unique(column).size for column in solution.factors.z.T)
        return Polynomial(max(1, min(basis.degree, n_distinct - 1)))
    return basis


def assemble(samples: Samples, solution: Solution, basis: Basis | None) -> DecoupledFunction:
    """Fit branches to every candidate and keep the one of least function error (as the paper)."""
    functions = [
        (_fitted(samples, candidate, solution, basis), candidate)
        for candidate in solution.candidates
    ]
    best, chosen = min(functions, key=lambda pair: mean_error(pair[0].fitted_error))
    run = chosen.run
    record = replace(
        solution,
        factors=chosen.factors,
        objective=run.objective,
        start_objectives=chosen.start_objectives or solution.start_objectives,
        stop_reason=run.stop_reason,
        converged=run.converged,
        details={**solution.details, **chosen.details},
    )
    return replace(best, solution=record)


def _fitted(
    samples: Samples,
    candidate: Candidate,
    solution: Solution,
    basis: Basis | None,
) -> DecoupledFunction:
    factors = candidate.factors
    branches = tuple(
        fit_branch(
            basis,
            factors.z[:, i],
            factors.G[:, i] if solution.fit_on == "values" else None,
            factors.derivatives[:, i],
            estimate=factors.G[:, i],
        )
        for i in range(factors.n_branches)
    )
    plain = DecoupledFunction(factors.W, factors.V, branches, np.zeros(samples.n_outputs))
    return with_offset(plain, samples)
