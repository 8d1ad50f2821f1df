"""The stages of a fit, from samples to a decoupled function."""

from ._refine import refine

__all__ = ["refine"]
