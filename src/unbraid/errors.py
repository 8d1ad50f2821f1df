"""Exceptions and warnings. A message says what is wrong, where, and what to do."""

from typing import Any

from ._deprecation import resolve_former_name


class UnbraidError(Exception):
    """Base class of all errors of unbraid."""


class InvalidSamplesError(UnbraidError, ValueError):
    """Points, values or Jacobians have the wrong shape or hold unusable values."""


class InvalidOptionError(UnbraidError, ValueError):
    """An option is unknown or out of range."""


class SamplingError(UnbraidError, RuntimeError):
    """The function being sampled raised an error or returned unusable values."""


class DegenerateBranchError(UnbraidError, ValueError):
    """A branch has the same z at every point, so that it cannot be determined."""


class InvalidFileError(UnbraidError, ValueError):
    """A file is corrupt, foreign, or written by an incompatible version."""


class MissingExtraError(UnbraidError, ImportError):
    """An optional dependency is needed; the message names the extra to install."""


class WorkerError(UnbraidError, RuntimeError):
    """A process that ran part of the work died."""


class DivergenceError(UnbraidError, ArithmeticError):
    """A simulation diverged at ``sample`` of ``record``.

    ``y`` is the output before that sample.
    """

    def __init__(self, message: str, sample: int, record: int = 0, y: Any = None) -> None:
        super().__init__(message)
        self.sample = sample
        self.record = record
        self.y = y


class OperatingPointError(UnbraidError, ArithmeticError):
    """A model has no steady state at the given inputs, or more than one."""


class FitWarning(UserWarning):
    """Jacobians and values do not agree, or the function is not smooth."""


class StoreWarning(UserWarning):
    """The store of a scan was damaged; the message says what was done."""


class ConvergenceWarning(UserWarning):
    """The solver stopped before it converged; the best iterate is returned."""


class StabilityWarning(UserWarning):
    """An identified model diverges at inputs as large as those of its records."""


FORMER_NAMES = {
    "DegenerateBranch": DegenerateBranchError,
    "InvalidFile": InvalidFileError,
    "InvalidOption": InvalidOptionError,
    "InvalidSamples": InvalidSamplesError,
    "MissingExtra": MissingExtraError,
}


def __getattr__(name: str) -> Any:
    return resolve_former_name(__name__, name, FORMER_NAMES)
