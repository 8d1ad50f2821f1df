"""The decoupled function: branches, evaluation, description, plots and files."""

from ._branch import Branch
from ._branch_description import BranchDescription
from ._description import Description
from ._files import load
from ._fit_record import FitRecord
from ._function import DecoupledFunction

__all__ = ["Branch", "BranchDescription", "DecoupledFunction", "Description", "FitRecord", "load"]
