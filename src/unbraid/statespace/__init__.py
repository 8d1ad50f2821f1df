"""Nonlinear state-space models: identify, decouple, simulate, refine."""

from ._description import Mode, StateSpaceDescription
from ._identify import fit_linear, identify
from ._model import StateSpace, load
from ._polynomial import fit_polynomial
from ._stability import StabilityCheck

__all__ = [
    "Mode",
    "StabilityCheck",
    "StateSpace",
    "StateSpaceDescription",
    "fit_linear",
    "fit_polynomial",
    "identify",
    "load",
]
