"""NARX models: identify, decouple, simulate, refine (section 9 of the paper)."""

from ..errors import DivergenceError
from .fit import fit_polynomial_narx
from .interop import Estimator, from_sysidentpy
from .model import NARX, load
from .refinement import Refinement
from .scoring import Score

__all__ = [
    "NARX",
    "DivergenceError",
    "Estimator",
    "Refinement",
    "Score",
    "fit_polynomial_narx",
    "from_sysidentpy",
    "load",
]
