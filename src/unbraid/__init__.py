"""unbraid: decouple multivariate functions into univariate ones that a person can look at."""

from . import cases, metrics, sampling, solvers
from .bases import RBF, Basis, BSpline, CustomBasis, Fourier, PiecewiseLinear, Polynomial
from .branches import Branch
from .decouple import decouple
from .errors import (
    ConvergenceWarning,
    DegenerateBranch,
    DivergenceError,
    FitWarning,
    InvalidFile,
    InvalidOption,
    InvalidSamples,
    MissingExtra,
    SamplingError,
    UnbraidError,
)
from .filters import Filter
from .function import DecoupledFunction, load
from .metrics import jacobian_error, relative_error
from .moulds import Mould
from .refine import refine
from .samples import Samples
from .sources import PolynomialFunction, sample

__version__ = "0.1.0"

__all__ = [
    "RBF",
    "BSpline",
    "Basis",
    "Branch",
    "ConvergenceWarning",
    "CustomBasis",
    "DecoupledFunction",
    "DegenerateBranch",
    "DivergenceError",
    "Filter",
    "FitWarning",
    "Fourier",
    "InvalidFile",
    "InvalidOption",
    "InvalidSamples",
    "MissingExtra",
    "Mould",
    "PiecewiseLinear",
    "Polynomial",
    "PolynomialFunction",
    "Samples",
    "SamplingError",
    "UnbraidError",
    "cases",
    "decouple",
    "jacobian_error",
    "load",
    "metrics",
    "refine",
    "relative_error",
    "sample",
    "sampling",
    "solvers",
]
