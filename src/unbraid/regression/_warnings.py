"""Warnings about a regression."""

import warnings

import numpy as np

from .._typing import Array
from .._util.progress import clear_progress
from .._util.validation import count_noun
from ..errors import ConvergenceWarning, FitWarning
from ..model._error_summary import worst_output_error
from ..model._function import DecoupledFunction
from ..model._reliability import assess_reliability
from ._rows import is_chance

MIN_WARNED_ERROR = 0.01  # mean square error over the variance (10 %): a smaller one is good
MUCH_WORSE = 1.5  # ratio of mean square errors to those of the coupled model


def warn_if_worse(errors: Array, coupled_errors: Array) -> None:
    """Warn where the coupled model predicts rows that were held out much better."""
    limit = max(MUCH_WORSE * coupled_errors.mean(), MIN_WARNED_ERROR)
    if errors.mean() > limit and not is_chance(errors, coupled_errors):
        ratio = float(np.sqrt(errors.mean() / coupled_errors.mean()))
        _warn(
            f"the coupled model predicts {ratio:.2g} times better than the decoupled one: use its "
            f"predictions (coupled_.predict), or more branches",
            FitWarning,
            stacklevel=5,
        )


def warn_if_unreliable(d: DecoupledFunction, n_rows: int) -> None:
    """Warn where rows are too few for the function, or a poor fit has not converged."""
    found = assess_reliability(d)
    is_poor = found.misfit is not None and worst_output_error(found.misfit) is not None
    if is_poor and d.converged is False and d.fit is not None:
        text = f"the refinement on the data: {d.fit.status.value}. The best iterate is returned"
        _warn(f"{text}; fewer branches or more rows may help", ConvergenceWarning)
    listed = found.held_out or []
    errors = [(e, k) for k, e in enumerate(listed) if e is not None]
    if errors and d.fitted_error is not None:
        held_out, k = max(errors)
        _warn(
            f"{count_noun(n_rows, 'row')} are few for this function: the error is "
            f"{held_out:.0f} % on rows that were held out, {d.fitted_error[k]:.1f} % on the rows "
            f"that were fitted; take more rows or fewer inputs",
            FitWarning,
        )


def _warn(message: str, category: type[Warning], stacklevel: int = 4) -> None:
    clear_progress()
    warnings.warn(message, category, stacklevel=stacklevel)
