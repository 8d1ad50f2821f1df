"""Nonlinear state-space models: identify, decouple, simulate, refine."""

from ._description import StateSpaceDescription
from ._identify import fit_linear, identify
from ._interop import from_lti
from ._linear_part import Mode
from ._model import StateSpace, load
from ._operating_levels import OperatingLevel
from ._operating_points import OperatingPoint, StaticCharacteristic
from ._order import OrderSelection
from ._polynomial import fit_polynomial
from ._stability import StabilityCheck
from ._state_curves import StateCurve

__all__ = [
    "Mode",
    "OperatingLevel",
    "OperatingPoint",
    "OrderSelection",
    "StabilityCheck",
    "StateCurve",
    "StateSpace",
    "StateSpaceDescription",
    "StaticCharacteristic",
    "fit_linear",
    "fit_polynomial",
    "from_lti",
    "identify",
    "load",
]
