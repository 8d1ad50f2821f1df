"""Solvers: from samples to factors.

``VarPro``, ``Implicit``, ``Explicit`` and ``CPD`` hold their options as fields; what each option
does is in their docstrings. ``decouple(..., method="implicit", n_starts=20)`` is short for
``decouple(..., method=Implicit(n_starts=20))``.
"""

from __future__ import annotations

from typing import Any

from ._base import Progress, Solution, Solver
from ._constraints import Mould
from ._cpd import CPD
from .filtered._explicit import Explicit
from .filtered._filters import Filter
from .filtered._implicit import Implicit
from .varpro._solver import VarPro

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
