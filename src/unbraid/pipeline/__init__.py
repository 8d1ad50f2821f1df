"""The stages of a fit, from samples to a decoupled function."""

from ._refine import refine
from ._simplify_function import simplify

__all__ = ["refine", "simplify"]
