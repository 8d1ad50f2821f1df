"""The paper's examples as data generators."""

from .network import network_samples, random_network
from .reduction import random_polynomial, reduction_samples
from .toy import toy_decoupled, toy_polynomial, toy_samples

__all__ = [
    "network_samples",
    "random_network",
    "random_polynomial",
    "reduction_samples",
    "toy_decoupled",
    "toy_polynomial",
    "toy_samples",
]
