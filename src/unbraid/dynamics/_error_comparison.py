"""Whether the simulation errors of one model are clearly smaller than another's."""

from __future__ import annotations

import numpy as np

from .._typing import Array

ERROR_BLOCKS = 20  # of the held-out samples, at most, for the standard error of their mean
DEVIATIONS_FROM_LINEAR = 2.0  # standard errors by which branches must be better than none
SMALLEST_GAIN = 0.05  # relative decrease of the held-out error that more parameters must bring
LARGEST_LOSS = 0.1  # relative increase of the held-out error of a single output


def is_better(
    errors: Array,
    reference: Array,
    smallest_gain: float = SMALLEST_GAIN,
    n_deviations: float = 1.0,
) -> bool:
    """Whether squared errors (N, n_y) are clearly smaller, those of no output larger."""
    if errors.shape != reference.shape:  # one of them diverged
        return bool(np.mean(errors) < np.mean(reference))
    if not is_clearly_smaller(
        errors.mean(axis=1), reference.mean(axis=1), smallest_gain, n_deviations
    ):
        return False
    pairs = zip(reference.T, errors.T, strict=True)
    return not any(
        is_clearly_smaller(*pair, LARGEST_LOSS, DEVIATIONS_FROM_LINEAR) for pair in pairs
    )


def is_clearly_smaller(
    errors: Array, reference: Array, smallest_gain: float, n_deviations: float
) -> bool:
    """Whether squared errors (N,) are smaller by more than their standard error.

    Their root mean square must also be smaller by the smallest gain, relative to the others. The
    standard error is that of the means of blocks, because neighbours are correlated. It is that of
    the gains or of the relative ones: a few blocks with large errors do not hide that all gain.
    """
    if not np.mean(errors) < (1 - smallest_gain) ** 2 * np.mean(reference):
        return False
    n_blocks = min(ERROR_BLOCKS, len(errors))
    if n_blocks < 2:
        return False
    before, after = (
        np.array([np.mean(part) for part in np.array_split(values, n_blocks)])
        for values in (reference, errors)
    )
    gains = before - after
    relative = gains / np.maximum(before + after, 1e-300)
    return any(
        np.mean(gain) > n_deviations * np.std(gain, ddof=1) / np.sqrt(gain.size)
        for gain in (gains, relative)
    )
