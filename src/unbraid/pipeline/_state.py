"""The state of a fit, which passes from stage to stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..bases import Basis
from ..data._samples import Samples
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import Capabilities, Solution, Solver, capabilities_of
from ..solvers._problem import Problem
from ..solvers._status import Status
from ..solvers._uncertainty import Uncertainty
from ._findings import Finding
from ._joint_fit import can_refit

EXACT_FIT_PERCENT = 1e-7  # error of the values at which nothing is left to refine
VALUES_IGNORED = 1e6  # relative weight of the Jacobians above which the values do not count


@dataclass(frozen=True)
class FitSettings:
    """What the user asked for, whatever the number of branches.

    Attributes
    ----------
    solver : Solver
    basis : Basis, "auto" or None
    refine : bool
        Whether the function is refined on the values after the solver.
    simplify : bool
        Whether entries of V may become zero.
    """

    solver: Solver
    basis: Basis | Literal["auto"] | None
    refine: bool
    simplify: bool = False

    @property
    def capabilities(self) -> Capabilities:
        return capabilities_of(self.solver)

    @property
    def jacobian_weight(self) -> float:
        """Weight of the Jacobians relative to that of the values, as the solver has it."""
        jacobian_weight = getattr(self.solver, "jacobian_weight", 1.0)
        return float(jacobian_weight / max(getattr(self.solver, "value_weight", 1.0), 1e-12))

    @property
    def ignores_values(self) -> bool:
        """Whether only the Jacobians are fitted."""
        no_weight = getattr(self.solver, "value_weight", 1.0) == 0
        return no_weight or self.jacobian_weight > VALUES_IGNORED

    @property
    def fits_one_part(self) -> bool:
        """Whether only the values, or only the Jacobians, are fitted."""
        return self.jacobian_weight == 0 or self.ignores_values

    @property
    def output_weights(self) -> Any:
        return getattr(self.solver, "weights", None)

    @property
    def smoothing_is_given(self) -> bool:
        return getattr(self.solver, "smoothing", None) is not None


@dataclass(frozen=True, eq=False)
class KnownProblem:
    """Samples, and the same in the coordinates of a refit."""

    samples: Samples
    problem: Problem


@dataclass(frozen=True, eq=False)
class FitState:
    """A function on its way through the stages of a fit.

    Attributes
    ----------
    settings : FitSettings
    fitted, held_out : Samples, Samples or None
        Points that the stages fit, and points that they only evaluate.
    solution : Solution
        The result of the solver.
    function : DecoupledFunction
    smoothing : float
        Weight of the penalty on the third derivative of the branches.
    jacobian_weight : float
        Weight of the Jacobians relative to the values that fits of the function use.
    known_problem : KnownProblem or None
        Made once for the stages that fit the same samples.
    uncertainty : Uncertainty or None
        Of the function, where it was estimated.
    finding : Finding or None
        What is wrong with the data, found at the end.
    outliers : tuple of int
        Rows of all samples whose value or Jacobian looks wrong.
    """

    settings: FitSettings
    fitted: Samples
    held_out: Samples | None
    solution: Solution
    function: DecoupledFunction
    smoothing: float
    jacobian_weight: float
    known_problem: KnownProblem | None = None
    uncertainty: Uncertainty | None = None
    finding: Finding | None = None
    outliers: tuple[int, ...] = ()

    @property
    def validation(self) -> Samples:
        """The samples that trials are compared on."""
        return self.fitted if self.held_out is None else self.held_out

    @property
    def fitted_error(self) -> float:
        """Mean error of the values at the fitted points, in %."""
        return mean_error(self.function.fitted_error)

    @property
    def stopped(self) -> bool:
        """Whether the callback asked to stop."""
        return self.solution.status is Status.STOPPED

    @property
    def can_postprocess(self) -> bool:
        """Whether later stages may change the function."""
        capable = self.settings.capabilities.postprocess
        return capable and can_refit(self.function) and not self.stopped

    def with_function(self, **changes: Any) -> FitState:
        """The state with some fields of its function changed."""
        return replace(self, function=replace(self.function, **changes))

    def with_details(self, details: Mapping[str, Any]) -> FitState:
        """The state with more details of its solution."""
        known = {**self.solution.details, **details}
        return replace(self, solution=replace(self.solution, details=known))
