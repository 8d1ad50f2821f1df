"""The paper's examples, and one beyond, as data generators."""

from .network import network_samples, random_network
from .reduction import random_polynomial, reduction_samples
from .ridges import random_ridges
from .toy import toy_decoupled, toy_polynomial, toy_samples

__all__ = [
    "network_samples",
    "random_network",
    "random_polynomial",
    "random_ridges",
    "reduction_samples",
    "toy_decoupled",
    "toy_polynomial",
    "toy_samples",
]
