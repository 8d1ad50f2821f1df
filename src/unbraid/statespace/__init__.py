"""Nonlinear state-space models: identify, decouple, simulate, refine."""

from ._description import Mode, StateSpaceDescription
from ._identify import fit_linear, identify
from ._model import StateSpace, load
from ._polynomial import fit_polynomial

__all__ = [
    "Mode",
    "StateSpace",
    "StateSpaceDescription",
    "fit_linear",
    "fit_polynomial",
    "identify",
    "load",
]
