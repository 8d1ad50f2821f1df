"""States for the tests of single stages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from unbraid import DecoupledFunction, Samples
from unbraid.cases import toy_samples
from unbraid.pipeline._branch_fit import fit_branches
from unbraid.pipeline._solve import solve
from unbraid.pipeline._state import FitSettings, FitState
from unbraid.solvers import VarPro


@cache
def toy_state(n_branches: int = 3, refine: bool = True) -> FitState:
    """The toy problem after the solver and the fit of the branches."""
    samples = toy_samples(100, random_state=0)
    fitted, held_out = samples.subset(slice(0, 80)), samples.subset(slice(80, None))
    settings = FitSettings(VarPro(random_state=0), "auto", refine)
    return fit_branches(settings, fitted, held_out, solve(settings, fitted, n_branches))


def state_of(function: DecoupledFunction, samples: Samples) -> FitState:
    """A state that holds any function and samples."""
    return replace(toy_state(), function=function, fitted=samples, held_out=None)
