"""NARX models: identify, decouple, simulate, refine (section 9 of the paper)."""

from ..dynamics._refinement import Refinement, RefinementStatus
from ..dynamics._scoring import Score
from ..dynamics._validation import Validation
from ..errors import DivergenceError
from ._fit import fit_polynomial_narx, select_lags
from ._interop import Estimator, from_sysidentpy
from ._lag_selection import LagCandidate, LagSelection
from ._model import NARX, load

__all__ = [
    "NARX",
    "DivergenceError",
    "Estimator",
    "LagCandidate",
    "LagSelection",
    "Refinement",
    "RefinementStatus",
    "Score",
    "Validation",
    "fit_polynomial_narx",
    "from_sysidentpy",
    "load",
    "select_lags",
]
