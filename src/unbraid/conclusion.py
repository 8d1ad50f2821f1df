"""The last words on a decoupled function: what it is worth, and how it was obtained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from ._checks import counted
from ._version import __version__
from .branches import Extrapolate
from .choose import Row, mean_error
from .function import DecoupledFunction, continued
from .samples import Samples
from .solvers.base import NOT_SETTLED, NOT_UNIQUE, Solution

POOR = 10.0  # %: an error that is said first


def concluded(
    d: DecoupledFunction,
    samples: Samples,
    extrapolate: Extrapolate,
    table: tuple[Row, ...],
    reason: str,
) -> DecoupledFunction:
    """The diagnosis in one sentence, the table by r where there is one, the user's way outside."""
    assert d.solution is not None
    error = mean_error(d.fitted_error if d.held_out_error is None else d.held_out_error)
    poor = f"poor, {error:.0f} % off: take more branches, starts or points, or f does not decouple"
    worth = d.solution.details.get("worth")
    if d.solution.diagnosis.startswith(NOT_UNIQUE) and d.solution.details.get("identified"):
        worth = ""  # this answer does not move, but there are others as good
    parts = (
        poor if POOR <= error < np.inf and d.solution.method == "varpro" else "",
        worth,
        d.solution.diagnosis,
        reason,
    )
    diagnosis = "; ".join(part for part in parts if part)
    record = replace(d.solution, diagnosis=diagnosis, table=table)
    d = replace(d, solution=record, origin=_origin(record, samples))
    return continued(d, extrapolate)


def _origin(record: Solution, samples: Samples) -> str:
    """How a function was obtained; no times, so that the same call writes the same file."""
    lines = [
        f"Decoupled by {record.title} from {samples.words}.",
        f"Residual {100 * min(record.objective):.2g} % in {counted(record.n_starts, 'start')} and "
        f"{counted(record.n_iterations, 'iteration')} of the best: {record.stop_reason}.",
        "" if record.converged else NOT_SETTLED,
        f"{record.diagnosis[:1].upper()}{record.diagnosis[1:]}.",
        f"unbraid {__version__}, numpy {np.__version__}, scipy {scipy.__version__}.",
    ]
    return "\n".join(line for line in lines if line)
