"""The decoupled function: branches, evaluation, description, plots and files."""

from ._branch import Branch
from ._description import BranchDescription, Description
from ._function import DecoupledFunction, load

__all__ = ["Branch", "BranchDescription", "DecoupledFunction", "Description", "load"]
