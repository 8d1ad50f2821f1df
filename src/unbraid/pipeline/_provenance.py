"""Stage 12: attach the solution, the fit record and the origin to the function."""

from dataclasses import replace

import numpy as np
import scipy

from .._typing import Array
from .._util.validation import count_noun
from .._version import __version__
from ..data._samples import Samples
from ..model._branch import Extrapolate
from ..model._error_summary import worst_output_error
from ..model._fit_record import FitRecord
from ..model._function import DecoupledFunction, with_extrapolation
from ..solvers._base import Solution
from ._branch_count import BranchCount
from ._state import FitState


def attach_provenance(
    state: FitState,
    samples: Samples,
    extrapolate: Extrapolate,
    count: BranchCount | None,
) -> DecoupledFunction:
    """Return the function with the record of its fit and its extrapolation."""
    uncertainty = state.uncertainty
    solution = replace(state.solution, uncertainty=uncertainty)
    details = dict(solution.details)
    if uncertainty is not None:  # also under their former names, until version 0.2
        details |= {
            "identified": solution.identified,
            "V_standard_errors": uncertainty.V_standard_errors,
        }
    solution = replace(
        solution,
        diagnosis=_render_diagnosis(state, count),
        smoothing=state.smoothing,
        table=() if count is None else count.table,
        count_status=None if count is None else count.status.name.lower(),
        outliers=state.outliers,
        details=details,
    )
    record = FitRecord(solution.method, solution.status, solution.unique, solution.identified)
    origin = _render_origin(solution, samples)
    function = replace(state.function, solution=solution, fit=record, origin=origin)
    return with_extrapolation(function, extrapolate)


def _render_diagnosis(state: FitState, count: BranchCount | None) -> str:
    """The quality of the result in one sentence."""
    function, solution = state.function, state.solution
    expected = state.settings.capabilities.default_held_out > 0
    unproven = expected and function.held_out_error is None
    parts = (
        _render_poor(function.largest_error, len(state.outliers)),
        _render_identification(state),
        solution.remark,
        "no points were held out, so the error says little about others" if unproven else "",
        "" if count is None else count.message,
    )
    return "; ".join(part for part in parts if part)


def _render_identification(state: FitState) -> str:
    """Text on what is identified; empty if unknown or contradicted by other starts."""
    if state.uncertainty is None:
        return ""
    contradicted = state.solution.unique is False and state.uncertainty.identified
    return "" if contradicted else state.uncertainty.sentence


def _render_poor(error: Array | None, n_outliers: int) -> str:
    """A plain statement where the result, or one output of it, is far off."""
    found = None if error is None else worst_output_error(error)
    if found is None or np.isinf(found[1]):
        return ""
    where = "" if found[0] is None else f" of {found[0]}"
    remedy = "take more branches, starts or points, or f does not decouple"
    if n_outliers:
        remedy = f"{count_noun(n_outliers, 'point')} may be wrong, see outliers"
    return f"poor fit, error{where} {found[1]:.0f} %: {remedy}"


def _render_origin(solution: Solution, samples: Samples) -> str:
    """How a function was obtained; without times, so that files are reproducible."""
    diagnosis = solution.diagnosis
    starts = f" from {count_noun(solution.n_starts, 'start')}" if solution.n_starts else ""
    lines = [
        f"Decoupled by {solution.title} from {samples.words}.",
        f"Residual {100 * min(solution.objective):.2g} %{starts}; {solution.stop_reason}.",
        f"{diagnosis[:1].upper()}{diagnosis[1:]}." if diagnosis else "",
        f"unbraid {__version__}, numpy {np.__version__}, scipy {scipy.__version__}.",
    ]
    return "\n".join(line for line in lines if line)
