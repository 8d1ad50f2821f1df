"""Samples of a function, splitting them, and whether values and Jacobians agree."""

from ._samples import Samples

__all__ = ["Samples"]
