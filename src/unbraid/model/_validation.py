"""Does a function out of a file work? Files may be changed by hand, so numbers are tried."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._typing import Array
from ._branch import Branch

LARGEST = 1e150  # of W, V and the offset: products of two of them are still numbers
NODES = 17  # places where a branch is tried


def flaw_of(numbers: Sequence[Array], branches: Sequence[Branch]) -> str:
    """What is wrong with W, V and the offset, or with a branch; empty where nothing is.

    >>> flaw_of([np.array([[1e200]])], [])
    'W, V or its offset are absurdly large'
    """
    if max(float(np.abs(array).max(initial=0.0)) for array in numbers) > LARGEST:
        return "W, V or its offset are absurdly large"
    for k, branch in enumerate(branches, start=1):
        if not _works(branch):
            return f"branch {k} overflows on its own range"
    return ""


def _works(branch: Branch) -> bool:
    """Is a branch finite where it holds, and are its slopes?"""
    try:
        with np.errstate(all="ignore"):
            z = np.linspace(*branch.edges, NODES)
            found = np.concatenate([z, branch(z), branch.derivative(z)])
    except (ArithmeticError, ValueError):  # powers and factorials beyond all numbers
        return False
    return bool(np.all(np.abs(found) < LARGEST))
