"""NARX models: identify, decouple, simulate, refine (section 9 of the paper)."""

from ..dynamics._scoring import Score
from ..errors import DivergenceError
from ._fit import fit_polynomial_narx
from ._interop import Estimator, from_sysidentpy
from ._levenberg_marquardt import RefinementStatus
from ._model import NARX, load
from ._refinement import Refinement

__all__ = [
    "NARX",
    "DivergenceError",
    "Estimator",
    "Refinement",
    "RefinementStatus",
    "Score",
    "fit_polynomial_narx",
    "from_sysidentpy",
    "load",
]
