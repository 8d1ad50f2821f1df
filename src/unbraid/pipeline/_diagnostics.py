"""Warnings about a fit, from the fields of its final state."""

import warnings

from .._util.progress import clear_progress
from ..errors import ConvergenceWarning, FitWarning
from ._branch_count import BranchCount, CountStatus
from ._state import FitState

CAPPED = (CountStatus.MAX_BRANCHES, CountStatus.MAX_DIRECTIONS)


def emit_warnings(state: FitState, count: BranchCount | None = None, stacklevel: int = 3) -> None:
    """Warn of a solver that did not converge, of a cap, and of findings."""
    solution = state.solution
    is_capped = count is not None and count.status in CAPPED
    if not solution.converged or state.finding is not None or is_capped:
        clear_progress()
    if count is not None and is_capped:
        message = f"{count.message}: pass a larger max_branches for a smaller error"
        warnings.warn(message, FitWarning, stacklevel=stacklevel)
    if not solution.converged:
        advice = f"; {solution.status.advice}" if solution.status.advice else ""
        message = f"{solution.method}: {solution.stop_reason}. The best iterate is returned{advice}"
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
    if state.finding is not None:
        warnings.warn(state.finding.message, FitWarning, stacklevel=stacklevel)
