"""What the errors of a function say about how far it can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._typing import Array
from ..data._splitting import MIN_POINTS_TO_SPLIT
from ._data_fit import remove_noise
from ._error_summary import POOR_PERCENT

if TYPE_CHECKING:
    from ._function import DecoupledFunction

OVERFITTED = 1.5  # ratio of the errors on rows held out and on rows fitted


@dataclass(frozen=True, eq=False)
class Reliability:
    """Errors of a function in percent, as its description uses them.

    Attributes
    ----------
    error : (n,) or None
        What the function misses of every output.
    misfit : (n,) or None
        The same without the noise of the data.
    held_out : list or None
        Error on rows that were not fitted, for outputs that are overfitted; else None.
    n_unproven : int or None
        Number of points, where these were too few to hold some out.
    """

    error: Array | None
    misfit: Array | None
    held_out: list[float | None] | None
    n_unproven: int | None


def assess_reliability(d: DecoupledFunction) -> Reliability:
    """Compare the errors of a function with each other and with the noise."""
    fitted, held_out = d.fitted_error, d.held_out_error
    if d.largest_error is None:
        return Reliability(None, None, None, None)
    n_rows = None if d.points is None else len(d.points)
    if held_out is None:
        is_proven = d.noise is not None or n_rows is None or n_rows >= MIN_POINTS_TO_SPLIT
        misfit = remove_noise(d.largest_error, d.noise)
        return Reliability(fitted, misfit, None, None if is_proven else n_rows)
    if fitted is None or d.noise is None:
        return Reliability(held_out, remove_noise(d.largest_error, d.noise), None, None)
    missed = remove_noise(held_out, d.noise, n_rows)
    overfitted = (missed >= POOR_PERCENT) & (held_out >= OVERFITTED * fitted)
    listed = [e if poor else None for e, poor in zip(held_out.tolist(), overfitted, strict=True)]
    misfit = np.where(overfitted, missed, remove_noise(fitted, d.noise))
    return Reliability(np.where(overfitted, held_out, fitted), misfit, listed, None)
