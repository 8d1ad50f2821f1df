"""unbraid: decouple multivariate functions into univariate ones that a person can look at."""

from typing import TYPE_CHECKING, Any

from . import cases, export, metrics, sampling, solvers
from ._version import __version__
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
    StoreWarning,
    UnbraidError,
)
from .filters import Filter
from .function import DecoupledFunction, load
from .metrics import jacobian_error, relative_error
from .moulds import Mould
from .refine import refine
from .report import report
from .samples import Samples
from .scans import Scan, load_scan, scan
from .sources import PolynomialFunction, read_samples, sample

if TYPE_CHECKING:
    from .regression import DecoupledRegressor

__all__ = [
    "RBF",
    "BSpline",
    "Basis",
    "Branch",
    "ConvergenceWarning",
    "CustomBasis",
    "DecoupledFunction",
    "DecoupledRegressor",
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
    "Scan",
    "StoreWarning",
    "UnbraidError",
    "__version__",
    "cases",
    "decouple",
    "export",
    "jacobian_error",
    "load",
    "load_scan",
    "metrics",
    "read_samples",
    "refine",
    "relative_error",
    "report",
    "sample",
    "sampling",
    "scan",
    "solvers",
]


def __getattr__(name: str) -> Any:
    """``DecoupledRegressor`` is imported when it is asked for: it needs scikit-learn."""
    if name != "DecoupledRegressor":
        raise AttributeError(f"module 'unbraid' has no attribute {name!r}")
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "DecoupledRegressor needs scikit-learn: pip install 'unbraid[sklearn]'"
        ) from None
    from .regression import DecoupledRegressor

    return DecoupledRegressor
