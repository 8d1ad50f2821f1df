"""What an order of a linear model is chosen by: singular values, held-out errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..dynamics._records import Record
from ..errors import InvalidSamplesError
from ._realisation import RESPONSE_LENGTH, fit_arx, impulse_response, realise

SELECTION_ORDERS = (20, 10, 5)  # of the ARX model: the first for which the record is long enough
MAX_SHOWN_STATES = 20


@dataclass(frozen=True, eq=False)
class OrderSelection:
    """Singular values of the Hankel matrix of impulse responses, and held-out errors.

    Attributes
    ----------
    n_states : int
        The order of the model.
    singular_values : (k,)
        Relative to the largest. They drop after the order of a linear system; a nonlinear part or
        noise adds a floor.
    errors : (k,) or None
        Simulation error in percent on held-out blocks for 1, 2, ... states, where ``n_states`` was
        "auto".
    """

    n_states: int
    singular_values: Array
    errors: Array | None


def find_singular_values(records: Sequence[Record]) -> Array:
    """Singular values of an ARX model of normalised records, over the largest."""
    n_u, n_y = records[0].u.shape[1], records[0].y.shape[1]
    n_samples, shortest = sum(map(len, records)), min(map(len, records))
    for order in SELECTION_ORDERS:
        unknowns = (order + 1) * n_u + order * n_y
        if 2 * unknowns > n_samples or 2 * order > shortest:
            continue
        response = impulse_response(*fit_arx(records, order), RESPONSE_LENGTH * order)
        if np.all(np.isfinite(response)):
            _, values = realise(response, 1)
            return np.asarray(values[:MAX_SHOWN_STATES] / max(float(values[0]), 1e-300))
    raise InvalidSamplesError("the records are too short for singular values: use longer ones")
