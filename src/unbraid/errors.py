"""Exceptions and warnings. A message says what is wrong, where, and what to do."""

from typing import Any


class UnbraidError(Exception):
    """Base of every error that unbraid raises on purpose."""


class InvalidSamples(UnbraidError, ValueError):
    """Points, values or Jacobians have the wrong shape or hold unusable numbers."""


class InvalidOption(UnbraidError, ValueError):
    """An option is unknown or out of range."""


class SamplingError(UnbraidError, RuntimeError):
    """The function being sampled raised, or returned something unusable, at some point."""


class DegenerateBranch(UnbraidError, ValueError):
    """A branch has no direction to live on: its z is the same at every point."""


class InvalidFile(UnbraidError, ValueError):
    """A file is corrupt, foreign, or written by an incompatible version."""


class MissingExtra(UnbraidError, ImportError):
    """An optional dependency is needed; the message names the extra to install."""


class WorkerError(UnbraidError, RuntimeError):
    """A process that ran part of the work died."""


class DivergenceError(UnbraidError, ArithmeticError):
    """A simulation ran off; ``sample`` and ``record`` say where, ``y`` is what came before."""

    def __init__(self, message: str, sample: int, record: int = 0, y: Any = None) -> None:
        super().__init__(message)
        self.sample = sample
        self.record = record
        self.y = y


class FitWarning(UserWarning):
    """Jacobians were matched and values were not: they, or the basis, need a look."""


class StoreWarning(UserWarning):
    """The store of a scan was damaged; the message says what became of it."""


class ConvergenceWarning(UserWarning):
    """The solver stopped before it settled; the best iterate is returned."""
