"""Whether a function from a file can be evaluated: files may be edited by hand."""

from collections.abc import Sequence

import numpy as np

from .._typing import Array
from ._branch import Branch

LARGEST_PARAMETER = 1e150  # products of two of them do not overflow
TEST_NODES = 17  # arguments at which a branch is evaluated


def find_defect(numbers: Sequence[Array], branches: Sequence[Branch]) -> str:
    """What is wrong with W, V, the offset or a branch; empty if nothing is.

    >>> find_defect([np.array([[1e200]])], [])
    'W, V or its offset are absurdly large'
    """
    if max(float(np.abs(array).max(initial=0.0)) for array in numbers) > LARGEST_PARAMETER:
        return "W, V or its offset are absurdly large"
    for k, branch in enumerate(branches, start=1):
        if not _is_finite(branch):
            return f"branch {k} overflows on its own range"
    return ""


def _is_finite(branch: Branch) -> bool:
    """Whether a branch and its derivative are finite on its range."""
    try:
        with np.errstate(all="ignore"):
            z = np.linspace(*branch.edges, TEST_NODES)
            found = np.concatenate([z, branch(z), branch.derivative(z)])
    except (ArithmeticError, ValueError):  # overflow of powers and factorials
        return False
    return bool(np.all(np.abs(found) < LARGEST_PARAMETER))
