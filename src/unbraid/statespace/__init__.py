"""Nonlinear state-space models: identify, decouple, simulate, refine."""

from ._description import StateSpaceDescription
from ._identify import fit_linear, identify
from ._linear_part import Mode
from ._model import StateSpace, load
from ._polynomial import fit_polynomial
from ._state_curves import StateCurve

__all__ = [
    "Mode",
    "StateCurve",
    "StateSpace",
    "StateSpaceDescription",
    "fit_linear",
    "fit_polynomial",
    "identify",
    "load",
]
