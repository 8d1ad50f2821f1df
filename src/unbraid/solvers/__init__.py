"""Solvers: from samples to factors."""

from __future__ import annotations

from typing import Any

from ..filters import Filter
from ..moulds import Mould
from .base import Progress, Solution, Solver
from .cpd import CPD
from .explicit import Explicit
from .implicit import Implicit

__all__ = [
    "CPD",
    "METHODS",
    "Explicit",
    "Filter",
    "Implicit",
    "Mould",
    "Progress",
    "Solution",
    "Solver",
]

METHODS: dict[str, type[Any]] = {"implicit": Implicit, "explicit": Explicit, "cpd": CPD}
