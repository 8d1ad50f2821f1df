"""The decoupled function: branches, evaluation, description, plots and files."""

from ._branch import Branch
from ._description import Description, Direction
from ._files import load
from ._fit_record import FitRecord
from ._function import DecoupledFunction
from ._interactions import Interaction

__all__ = [
    "Branch",
    "DecoupledFunction",
    "Description",
    "Direction",
    "FitRecord",
    "Interaction",
    "load",
]
