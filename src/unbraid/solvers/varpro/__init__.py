"""Variable projection: the coefficients of the branches are eliminated."""

from ._solver import VarPro

__all__ = ["VarPro"]
