"""Solvers: from samples to factors.

``VarPro``, ``Implicit``, ``Explicit`` and ``CPD`` hold their options as fields; what each option
does is in their docstrings. ``decouple(..., method="implicit", n_starts=20)`` is short for
``decouple(..., method=Implicit(n_starts=20))``.
"""

from __future__ import annotations

from typing import Any

from ..filters import Filter
from ..moulds import Mould
from .base import Progress, Solution, Solver
from .cpd import CPD
from .explicit import Explicit
from .implicit import Implicit
from .varpro import VarPro

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
    "VarPro",
]

METHODS: dict[str, type[Any]] = {
    "varpro": VarPro,
    "implicit": Implicit,
    "explicit": Explicit,
    "cpd": CPD,
}
