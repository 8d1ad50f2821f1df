"""Examples as data generators: those of the paper, and sums of ridge functions."""

from ._duffing import duffing
from ._network import network_samples, random_network
from ._records import Dataset, Recording
from ._reduction import random_polynomial, reduction_samples
from ._ridges import random_ridges
from ._silverbox import silverbox
from ._toy import toy_decoupled, toy_polynomial, toy_samples
from ._wiener_hammerstein import SplitRecord, wiener_hammerstein

__all__ = [
    "Dataset",
    "Recording",
    "SplitRecord",
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
    "wiener_hammerstein",
]
