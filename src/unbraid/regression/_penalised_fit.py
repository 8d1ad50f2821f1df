"""Penalised least squares with penalty weights and noise of maximum likelihood.

Outputs o have rows ``y_o = A_o c + noise`` with common coefficients c. A penalty is the logarithm
of a prior of c. The update of its weight is that of Fellner and Schall (Wood and Fasiolo, 2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array

MAX_UPDATES = 60  # of penalty weights and noise
WEIGHT_CHANGE, NOISE_CHANGE = 0.05, 1e-3  # relative: smaller ones end the updates
MIN_PENALTY_WEIGHT, MAX_PENALTY_WEIGHT = 1e-8, 1e8
INITIAL_PENALTY_SHARE = 1e-4  # of the data's part in the matrix: the updates begin with little
MIN_NOISE_VARIANCE = 1e-14  # of that of the output: below it is rounding
RELATIVE_RIDGE = 1e-10  # keeps the matrix definite where nothing determines a coefficient


@dataclass(frozen=True, eq=False)
class GramSums:
    """GramSums over the rows: A'A (n, q, q), A'y (n, q), y'y (n,), and their number."""

    gram: Array
    target: Array
    square: Array
    n_rows: int


@dataclass(frozen=True, eq=False)
class Penalty:
    """The sum of ``rates * c**2`` over some coefficients; a rate may be 0."""

    place: slice
    rates: Array


@dataclass(frozen=True, eq=False)
class PenalisedFit:
    """Coefficients (q,), their covariance, and the choices of the likelihood.

    ``noise`` (n,) is the standard deviation of every output, ``freedom`` (n,) the effective degrees
    of freedom that it uses.
    """

    coefficients: Array
    covariance: Array
    noise: Array
    freedom: Array
    weights: Array


def fit_penalised(
    sums: GramSums, penalties: Sequence[Penalty], ridge: Array, noise: Array
) -> PenalisedFit:
    """Fit the coefficients; ``ridge`` (q,) is the precision of a prior of each.

    The updates begin with standard deviations ``noise`` (n,).

    >>> x = np.linspace(-1, 1, 50)
    >>> y = 3 * x + 0.1 * np.cos(40 * x)
    >>> sums = GramSums(np.array([[[x @ x]]]), np.array([[x @ y]]), np.array([y @ y]), 50)
    >>> fit = fit_penalised(sums, [], np.zeros(1), np.ones(1))
    >>> fit.coefficients.round(1).tolist(), fit.freedom.round(3).tolist(), fit.noise.round(2)
    ([3.0], [1.0], array([0.07]))
    """
    least = MIN_NOISE_VARIANCE * sums.square / sums.n_rows + 1e-300
    noise = np.maximum(noise**2, least)
    weights = np.array([_initial_weight(sums, penalty, noise) for penalty in penalties])
    for _ in range(MAX_UPDATES):
        coefficients, covariance = _solve(sums, penalties, ridge, weights, noise)
        freedom = np.einsum("oab,ab->o", sums.gram, covariance) / noise
        updated = np.array(
            [
                _update_weight(penalty, weight, coefficients, covariance)
                for penalty, weight in zip(penalties, weights, strict=True)
            ]
        )
        rest = sums.square - 2 * sums.target @ coefficients
        rest += np.einsum("a,oab,b->o", coefficients, sums.gram, coefficients)
        left = np.maximum(sums.n_rows - freedom, 1.0)
        new_noise = np.maximum(rest / left, least)
        change = np.abs(np.log(updated / weights)).max(initial=0.0)
        settled = change < WEIGHT_CHANGE and np.abs(np.log(new_noise / noise)).max() < NOISE_CHANGE
        weights, noise = updated, new_noise
        if settled:
            break
    return PenalisedFit(coefficients, covariance, np.sqrt(noise), freedom, weights)


def _solve(
    sums: GramSums, penalties: Sequence[Penalty], ridge: Array, weights: Array, noise: Array
) -> tuple[Array, Array]:
    """Mean and covariance of the coefficients for these weights and this noise."""
    matrix = np.einsum("oab,o->ab", sums.gram, 1 / noise)
    diagonal = np.arange(len(matrix))
    matrix[diagonal, diagonal] += ridge
    for penalty, weight in zip(penalties, weights, strict=True):
        here = diagonal[penalty.place]
        matrix[here, here] += weight * penalty.rates
    scale = 1 / np.sqrt(np.maximum(matrix.diagonal(), 1e-300))
    matrix = matrix * scale * scale[:, None]
    matrix[diagonal, diagonal] += RELATIVE_RIDGE
    covariance = np.linalg.inv(matrix) * scale * scale[:, None]
    covariance = 0.5 * (covariance + covariance.T)
    return covariance @ (sums.target.T @ (1 / noise)), covariance


def _initial_weight(sums: GramSums, penalty: Penalty, noise: Array) -> float:
    gram = sums.gram[:, penalty.place, penalty.place]
    size = float(np.einsum("oaa,o->", gram, 1 / noise))
    weight = INITIAL_PENALTY_SHARE * size / float(penalty.rates.sum())
    return float(np.clip(weight, MIN_PENALTY_WEIGHT, MAX_PENALTY_WEIGHT))


def _update_weight(
    penalty: Penalty, weight: float, coefficients: Array, covariance: Array
) -> float:
    """The penalty weight that raises the marginal likelihood."""
    c = coefficients[penalty.place]
    size = max(float(penalty.rates @ c**2), 1e-300)
    variances = covariance.diagonal()[penalty.place]
    free = np.count_nonzero(penalty.rates) - weight * float(penalty.rates @ variances)
    best = max(free, 1e-12) / size
    return float(np.clip(best, MIN_PENALTY_WEIGHT, MAX_PENALTY_WEIGHT))
