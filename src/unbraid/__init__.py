"""unbraid: decouple multivariate functions into functions of one variable."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import errors, metrics, sampling, solvers
from ._decouple import decouple
from ._deprecation import resolve_former_name
from ._load import load
from ._version import __version__
from .bases import (
    RBF,
    Basis,
    BSpline,
    CustomBasis,
    Fourier,
    PiecewiseLinear,
    Polynomial,
    SignedSquare,
)
from .data import Samples
from .errors import (
    ConvergenceWarning,
    DegenerateBranchError,
    DivergenceError,
    FitWarning,
    InvalidFileError,
    InvalidOptionError,
    InvalidSamplesError,
    MissingExtraError,
    OperatingPointError,
    SamplingError,
    StabilityWarning,
    StoreWarning,
    UnbraidError,
    WorkerError,
)
from .metrics import jacobian_error, relative_error
from .model import Branch, DecoupledFunction
from .pipeline import refine, simplify
from .reports import report
from .solvers._constraints import BranchConstraint
from .solvers.filtered._filters import Filter
from .sources import PolynomialFunction, read_samples, sample

if TYPE_CHECKING:
    from . import cases, export, identification, narx, public_benchmarks, statespace
    from .identification import identify
    from .regression import DecoupledRegressor
    from .scans import Scan, load_scan, scan

__all__ = [
    "RBF",
    "BSpline",
    "Basis",
    "Branch",
    "BranchConstraint",
    "ConvergenceWarning",
    "CustomBasis",
    "DecoupledFunction",
    "DecoupledRegressor",
    "DegenerateBranchError",
    "DivergenceError",
    "Filter",
    "FitWarning",
    "Fourier",
    "InvalidFileError",
    "InvalidOptionError",
    "InvalidSamplesError",
    "MissingExtraError",
    "OperatingPointError",
    "PiecewiseLinear",
    "Polynomial",
    "PolynomialFunction",
    "Samples",
    "SamplingError",
    "Scan",
    "SignedSquare",
    "StabilityWarning",
    "StoreWarning",
    "UnbraidError",
    "WorkerError",
    "__version__",
    "cases",
    "decouple",
    "export",
    "identification",
    "identify",
    "jacobian_error",
    "load",
    "load_scan",
    "metrics",
    "narx",
    "public_benchmarks",
    "read_samples",
    "refine",
    "relative_error",
    "report",
    "sample",
    "sampling",
    "scan",
    "simplify",
    "solvers",
    "statespace",
]


# Loaded when used: a first decoupling does not need them.
_LATER = {
    "cases": ".cases",
    "export": ".export",
    "identification": ".identification",
    "identify": ".identification",
    "narx": ".narx",
    "public_benchmarks": ".public_benchmarks",
    "DecoupledRegressor": ".regression",
    "Scan": ".scans",
    "load_scan": ".scans",
    "scan": ".scans",
    "statespace": ".statespace",
}


if find_spec("sklearn") is None:  # so that `from unbraid import *` needs no extra
    del __all__[__all__.index("DecoupledRegressor")]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        former = {**errors.FORMER_NAMES, "Mould": BranchConstraint}
        return resolve_former_name(__name__, name, former)
    if name == "DecoupledRegressor":
        _need_scikit_learn()
    module = import_module(_LATER[name], __name__)
    return module if _LATER[name] == f".{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _need_scikit_learn() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "DecoupledRegressor needs scikit-learn: pip install 'unbraid[sklearn]'"
        ) from None
