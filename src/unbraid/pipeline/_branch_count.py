"""Select the number of branches by the held-out error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..data._samples import Samples
from ..errors import UnbraidError
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._status import Status
from ._fitted_function import with_offset
from ._state import FitState

REQUIRED_IMPROVEMENT = 0.95  # ratio of errors that another branch must reach
NEGLIGIBLE_SHARE = 0.1  # of the tolerance: branches that change the outputs less are dropped


@dataclass(frozen=True, eq=False)
class BranchCountRow:
    """Mean errors in % and parameters of one number of branches."""

    n_branches: int
    fitted_error: float
    held_out_error: float | None
    n_parameters: int
    seconds: float

    @property
    def error(self) -> float:
        """The held-out error, or the fitted one where nothing was held out."""
        return self.fitted_error if self.held_out_error is None else self.held_out_error

    def __str__(self) -> str:
        held = "none" if self.held_out_error is None else f"{self.held_out_error:.3g} %"
        return (
            f"r = {self.n_branches:2d}: error {self.fitted_error:.3g} % fitted, {held} held out, "
            f"{self.n_parameters} parameters"
        )


class CountStatus(Enum):
    """Why no more branches were added; the value is a template of its message."""

    TOLERANCE = "the {kind} error met the tolerance of {tolerance:g} %"
    ACCURACY = "the held-out error is small beside that of the model, {accuracy:.2g} % of the data"
    COMPLETE = "{n_branches} branches are far better than directions with a curve per output"
    KNEE = "more directions than {n_branches} gain little"
    NO_GAIN = "two more branches did not lower the {kind} error"
    MAX_BRANCHES = "max_branches = {max_branches} reached while still improving"
    MAX_DIRECTIONS = "{n_branches} directions reached while still improving"
    TOO_MANY_PARAMETERS = "{n_branches} branches would have more parameters than there are values"
    FAILED = "{n_branches} branches could not be fitted: {error}"
    STOPPED = Status.STOPPED.value


@dataclass(frozen=True, eq=False)
class BranchCount:
    """The state with the selected number of branches, the table, and why it ended."""

    state: FitState
    table: tuple[BranchCountRow, ...]
    status: CountStatus
    message: str


def choose_branch_count(
    fit: Callable[[int, Sequence[DecoupledFunction]], FitState],
    tolerance: float,
    max_branches: int,
    max_parameters: int,
) -> BranchCount:
    """Add branches until the held-out error meets a tolerance or stops falling.

    ``fit(r, known)`` fits r branches, starting also from the known functions. A function with more
    than ``max_parameters`` parameters is not considered.
    """
    states: list[FitState] = []
    rows: list[BranchCountRow] = []
    status, failure, r = CountStatus.MAX_BRANCHES, "", 0
    for r in range(1, max_branches + 1):
        try:
            state = fit(r, [state.function for state in states[-1:]])
        except UnbraidError as error:
            if not states:
                raise
            status, failure = CountStatus.FAILED, str(error)
            break
        if states and state.function.n_parameters > max_parameters:
            status = CountStatus.TOO_MANY_PARAMETERS
            break
        states.append(state)
        rows.append(_make_row(state))
        ended = _find_stop_reason(state, rows, tolerance)
        if ended is not None:
            status = ended
            break
    enough = max(tolerance, min(row.error for row in rows) / REQUIRED_IMPROVEMENT)
    chosen = next(i for i, row in enumerate(rows) if row.error <= enough)
    message = status.value.format(
        kind="fitted" if rows[-1].held_out_error is None else "held-out",
        tolerance=tolerance,
        max_branches=max_branches,
        n_branches=r,
        error=failure,
    )
    return BranchCount(states[chosen], tuple(rows), status, message)


def count_branches(
    state: FitState, tolerance: float, otherwise: CountStatus = CountStatus.COMPLETE
) -> BranchCount:
    """The count of branches that meet the tolerance or were taken otherwise."""
    row = _make_row(state)
    status = CountStatus.TOLERANCE if row.error <= tolerance else otherwise
    n = row.n_branches
    message = status.value.format(
        kind="held-out", tolerance=tolerance, n_branches=n, max_branches=n
    )
    return BranchCount(state, (row,), status, message)


def _find_stop_reason(
    state: FitState, rows: Sequence[BranchCountRow], tolerance: float
) -> CountStatus | None:
    """Why no more branches are needed; None where they are."""
    if state.stopped:
        return CountStatus.STOPPED
    if rows[-1].error <= tolerance:
        return CountStatus.TOLERANCE
    before = [row.error for row in rows[:-2]]
    if before and min(row.error for row in rows) > REQUIRED_IMPROVEMENT * min(before):
        return CountStatus.NO_GAIN
    return None


def _make_row(state: FitState) -> BranchCountRow:
    """The errors and parameters of one number of branches."""
    function = state.function
    held = None if function.held_out_error is None else mean_error(function.held_out_error)
    seconds = state.solution.seconds
    return BranchCountRow(
        function.n_branches, state.fitted_error, held, function.n_parameters, seconds
    )


def drop_negligible_branches(state: FitState, samples: Samples, tolerance: float) -> FitState:
    """Drop branches that change no output by more than a tenth of the tolerance.

    The offset takes their mean, and the errors are measured again.
    """
    function = state.function
    z = function.transform(samples.points)
    values = [branch(z[:, i]) for i, branch in enumerate(function.branches)]
    outputs = samples.values.std(axis=0)
    spread = np.array([value.std() for value in values])
    change = 100 * np.abs(function.W) * spread / np.where(outputs > 0, outputs, np.inf)[:, None]
    keep = np.flatnonzero(change.max(axis=0) > NEGLIGIBLE_SHARE * tolerance)
    if keep.size in (0, function.n_branches):
        return state
    smaller = state.with_function(
        W=function.W[:, keep],
        V=function.V[:, keep],
        branches=tuple(function.branches[i] for i in keep),
    )
    return replace(smaller, function=with_offset(smaller.function, samples), uncertainty=None)
