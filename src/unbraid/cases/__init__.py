"""The paper's examples, and one beyond, as data generators."""

from .duffing import duffing
from .network import network_samples, random_network
from .records import Dataset, Recording
from .reduction import random_polynomial, reduction_samples
from .ridges import random_ridges
from .silverbox import silverbox
from .toy import toy_decoupled, toy_polynomial, toy_samples

__all__ = [
    "Dataset",
    "Recording",
    "duffing",
    "network_samples",
    "random_network",
    "random_polynomial",
    "random_ridges",
    "reduction_samples",
    "silverbox",
    "toy_decoupled",
    "toy_polynomial",
    "toy_samples",
]
