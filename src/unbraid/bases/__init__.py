"""Families of functions of one variable that branches are made of."""

from ._base import Basis
from ._custom import CustomBasis
from ._fourier import Fourier
from ._polynomial import Polynomial
from ._rbf import RBF
from ._signed_square import SignedSquare
from ._spline import BSpline, PiecewiseLinear

__all__ = [
    "RBF",
    "BSpline",
    "Basis",
    "CustomBasis",
    "Fourier",
    "PiecewiseLinear",
    "Polynomial",
    "SignedSquare",
]
