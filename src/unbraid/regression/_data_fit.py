"""What a function says of the data that it was fitted to."""

from dataclasses import replace

from .._typing import Array
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..model._residuals import sample_residuals
from ._rows import Rows


def with_data_fit(d: DecoupledFunction, rows: Rows, noise: Array) -> DecoupledFunction:
    """The function with its errors on the data and the noise of the data, in percent.

    ``noise`` (n,) is in the units of the outputs.
    """
    values = d(rows.X)
    return replace(
        d,
        fitted_error=relative_error(rows.Y, values),
        residuals=sample_residuals(rows.Y, values),
        noise=100 * noise / rows.output_scale,
    )
