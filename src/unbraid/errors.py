"""Exceptions and warnings. A message says what is wrong, where, and what to do."""


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


class FitWarning(UserWarning):
    """Jacobians were matched and values were not: they, or the basis, need a look."""


class ConvergenceWarning(UserWarning):
    """The solver stopped before it settled; the best iterate is returned."""
