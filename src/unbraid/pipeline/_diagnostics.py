"""Warnings about a fit, from the fields of its final state."""

import warnings

from .._util.progress import clear_progress
from ..errors import ConvergenceWarning, FitWarning
from ._state import FitState


def emit_warnings(state: FitState, stacklevel: int = 3) -> None:
    """Warn of a solver that did not converge and of what the inspection found."""
    solution = state.solution
    if not solution.converged or state.finding is not None:
        clear_progress()
    if not solution.converged:
        advice = f"; {solution.status.advice}" if solution.status.advice else ""
        message = f"{solution.method}: {solution.stop_reason}. The best iterate is returned{advice}"
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
    if state.finding is not None:
        warnings.warn(state.finding.message, FitWarning, stacklevel=stacklevel)
