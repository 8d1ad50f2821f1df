"""The stages of a fit, from samples to a decoupled function."""

from ._refinement import refine

__all__ = ["refine"]
