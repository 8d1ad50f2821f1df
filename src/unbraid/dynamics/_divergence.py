"""The error that a simulation raises where it diverges."""

from .._typing import Array
from ..errors import DivergenceError


def make_divergence_error(sample: int, record: int | None, y: Array) -> DivergenceError:
    """The error of a simulation; ``record`` is None where there is only one."""
    where = str(sample) if record is None else f"{sample} of record {record}"
    return DivergenceError(
        f"the simulation diverges at sample {where}: the model is unstable there; refine it on "
        f"the simulation error, or stay within the range that it was fitted on",
        sample,
        record or 0,
        y,
    )
