"""Solvers: from samples to factors.

``VarPro``, ``Implicit``, ``Explicit`` and ``CPD`` hold their options as fields; what each option
does is in their docstrings. ``decouple(..., method="implicit", n_starts=20)`` is short for
``decouple(..., method=Implicit(n_starts=20))``.
"""

from typing import Any

from .._deprecation import resolve_former_name
from ._base import Candidate, Capabilities, Progress, Run, Solution, Solver
from ._constraints import BranchConstraint
from ._cpd import CPD
from ._factors import Factors
from ._status import Status
from ._uncertainty import Uncertainty
from .filtered._explicit import Explicit
from .filtered._filters import Filter
from .filtered._implicit import Implicit
from .varpro._solver import VarPro

__all__ = [
    "CPD",
    "METHODS",
    "BranchConstraint",
    "Candidate",
    "Capabilities",
    "Explicit",
    "Factors",
    "Filter",
    "Implicit",
    "Progress",
    "Run",
    "Solution",
    "Solver",
    "Status",
    "Uncertainty",
    "VarPro",
]

METHODS: dict[str, type[Any]] = {
    "varpro": VarPro,
    "implicit": Implicit,
    "explicit": Explicit,
    "cpd": CPD,
}


def __getattr__(name: str) -> Any:
    return resolve_former_name(__name__, name, {"Mould": BranchConstraint})
