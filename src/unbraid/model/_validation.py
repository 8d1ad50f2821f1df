"""Whether the parts of a function fit together and can be evaluated."""

from collections.abc import Sequence

import numpy as np

from .._typing import Array
from .._util.validation import count_noun
from ..errors import InvalidSamplesError
from ._branch import Branch

LARGEST_PARAMETER = 1e150  # products of two of them do not overflow
TEST_NODES = 17  # arguments at which a branch is evaluated


def check_shapes(W: Array, V: Array, n_branches: int, offset: Array) -> None:
    """Refuse parts whose numbers of inputs, outputs and branches differ."""
    fits = W.shape[1] == V.shape[1] == n_branches and offset.shape == W.shape[:1]
    if not fits or 0 in (*W.shape, *V.shape):
        raise InvalidSamplesError(
            f"W {W.shape}, V {V.shape}, {count_noun(n_branches, 'branch', 'es')} and "
            f"{count_noun(offset.size, 'offset')} do not belong together: W is (n, r), V (m, r), "
            f"with r branches and n offsets"
        )


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
