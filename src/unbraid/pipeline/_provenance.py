"""The last words on a decoupled function: what it is worth, and how it was obtained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from .._typing import Array
from .._util.validation import counted
from .._version import __version__
from ..data._samples import Samples
from ..model._branch import Extrapolate
from ..model._error_summary import ALL_OUTPUTS, missed
from ..model._function import DecoupledFunction, continued
from ..solvers._base import NOT_SETTLED, NOT_UNIQUE, Solution
from ._selection import Row

REMEDY = "take more branches, starts or points, or f does not decouple"
UNPROVEN = "no points were held out, so the error says little of others"


def concluded(
    d: DecoupledFunction,
    samples: Samples,
    extrapolate: Extrapolate,
    table: tuple[Row, ...],
    reason: str,
) -> DecoupledFunction:
    """The diagnosis in one sentence, the table by r where there is one, the user's way outside."""
    assert d.solution is not None
    worth = d.solution.details.get("worth")
    if d.solution.diagnosis.startswith(NOT_UNIQUE) and d.solution.details.get("identified"):
        worth = ""  # this answer does not move, but there are others as good
    parts = (
        _poor(d.fitted_error if d.held_out_error is None else d.held_out_error),
        worth,
        d.solution.diagnosis,
        UNPROVEN if d.held_out_error is None and d.solution.method == "varpro" else "",
        reason,
    )
    diagnosis = "; ".join(part for part in parts if part)
    record = replace(d.solution, diagnosis=diagnosis, table=table)
    d = replace(d, solution=record, origin=_origin(record, samples))
    return continued(d, extrapolate)


def _poor(error: Array | None) -> str:
    """A plain word where the answer, or one output of it, is far off."""
    found = None if error is None else missed(error)
    if found is None or np.isinf(found[1]):
        return ""
    where = "" if found[0] == ALL_OUTPUTS else f"{found[0]} is "
    return f"poor, {where}{found[1]:.0f} % off: {REMEDY}"


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
