"""Data that a model was fitted to: how good is it, and so what is enough?"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array
from ..data._samples import Samples
from ..errors import InvalidSamplesError
from ..metrics import relative_error
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ._branch_count import BranchCount, CountStatus

ACCURACY_SHARE = 0.3  # of the error of the model: a further error this large adds 5 % to it
UNRELATED_PERCENT = 100.0  # error of the mean of the data


@dataclass(frozen=True, eq=False)
class Target:
    """Values (N, n) that a model should have, and its errors (n,) in %."""

    values: Array
    model_error: Array

    @property
    def tolerance(self) -> float:
        """Error in % that hardly matters beside that of the model."""
        return ACCURACY_SHARE * mean_error(self.model_error)

    def explain(self, count: BranchCount) -> BranchCount:
        """The count; if it met this tolerance, the accuracy of the model is the reason."""
        if count.status is not CountStatus.TOLERANCE:
            return count
        status = CountStatus.ACCURACY
        message = status.value.format(accuracy=mean_error(self.model_error))
        return replace(count, status=status, message=message)

    def measure(self, function: DecoupledFunction, points: Array) -> dict[str, Array]:
        """Errors in % of the model and of a function against the data."""
        error = relative_error(self.values, function(points))
        return {"model_error": self.model_error, "data_error": error}


def make_target(values: Any, samples: Samples) -> Target:
    """Check the data that a user gave for the points of some samples."""
    table = finite_array("target", values)
    table = table[:, None] if table.ndim == 1 else table
    if table.shape != samples.values.shape:
        raise InvalidSamplesError(
            f"target has shape {table.shape}, the model gives {samples.values.shape} at these "
            f"points: pass one row per point and one column per output"
        )
    error = relative_error(table, samples.values)
    if np.any(error > UNRELATED_PERCENT):
        worst = int(np.argmax(error))
        raise InvalidSamplesError(
            f"the model misses column {worst} of target by {error[worst]:.3g} % of its spread, "
            f"more than a constant would: pass the data at these points, in their order and units"
        )
    return Target(table, error)
