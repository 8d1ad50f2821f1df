"""The paper's examples as data generators."""

from .toy import toy_decoupled, toy_polynomial, toy_samples

__all__ = ["toy_decoupled", "toy_polynomial", "toy_samples"]
