"""Nonlinear state-space models: identify, decouple, simulate, refine."""

from ..dynamics._refinement import Refinement, RefinementStatus
from ..dynamics._scoring import Score
from ..errors import DivergenceError
from ._description import Mode, StateSpaceDescription
from ._identify import fit_linear, identify
from ._model import StateSpace, load
from ._polynomial import fit_polynomial

__all__ = [
    "DivergenceError",
    "Mode",
    "Refinement",
    "RefinementStatus",
    "Score",
    "StateSpace",
    "StateSpaceDescription",
    "fit_linear",
    "fit_polynomial",
    "identify",
    "load",
]
