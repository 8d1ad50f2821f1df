"""Stage 1: the solver finds W, V and an estimate of the branches."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..bases import Basis
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..errors import InvalidOptionError
from ..solvers._base import Solution
from ..solvers._factors import HasWV
from ._state import FitSettings


@dataclass(frozen=True)
class SolveSettings:
    """How many points the solver works on at most."""

    min_points: int = 10_000  # below this size nothing is left out
    equations_per_unknown: int = 50  # beyond that, more points do not change W and V
    coefficients_per_branch: int = 32  # assumed while the basis is unknown


def select_points(
    settings: FitSettings,
    samples: Samples,
    n_branches: int,
    limits: SolveSettings | None = None,
) -> Samples:
    """As many points as determine W and V; all if no later stage adds the rest."""
    if not settings.capabilities.postprocess:
        return samples
    limits = limits or SolveSettings()
    per_branch = samples.n_inputs + samples.n_outputs + limits.coefficients_per_branch
    unknowns = n_branches * per_branch
    equations = samples.n_outputs * (min(samples.n_inputs, n_branches) + 1)
    needed = limits.equations_per_unknown * unknowns // equations
    return draw_subset(samples, max(limits.min_points, needed))


def solve(
    settings: FitSettings,
    fitted: Samples,
    n_branches: int,
    known: Sequence[HasWV] = (),
) -> Solution:
    """Run the solver, from the known functions where it can start from them."""
    solver, basis = settings.solver, settings.basis
    if settings.capabilities.supports_warm_start:
        wanted = basis if isinstance(basis, Basis) else None
        solver = solver.with_warm_start(wanted, known)  # type: ignore[attr-defined]
    solution = solver.solve(fitted, n_branches)
    if not isinstance(solution, Solution):
        raise InvalidOptionError(f"{type(solver).__name__}.solve must return a Solution")
    if not solution.objective:
        raise InvalidOptionError(f"{type(solver).__name__} returned a Solution without objective")
    return solution
