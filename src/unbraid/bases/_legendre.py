"""Legendre polynomials and their derivatives, of many arguments at once."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from .._typing import Array


def legendre_design(t: Array, degree: int, order: int = 0) -> Array:
    """Legendre polynomials P_1 ... P_degree of t, or a derivative of them."""
    return legendre_designs(t, degree, (order,))[0]


def legendre_designs(t: Array, degree: int, orders: Sequence[int]) -> list[Array]:
    """Several derivatives of P_1 ... P_degree at once, for t of any shape.

    All of them are sums of the polynomials themselves, which are computed once.
    """
    t = np.asarray(t, dtype=float)
    table = np.empty((degree + 2, *t.shape))
    table[0], table[1] = 1.0, t
    for k in range(1, degree + 1):
        table[k + 1] = (2 * k + 1) / (k + 1) * t * table[k] - k / (k + 1) * table[k - 1]
    last = (*range(1, table.ndim), 0)
    return [_legendre_sums(table, order).transpose(last) for order in orders]


def _legendre_sums(table: Array, order: int) -> Array:
    """P_1 ... P_degree, or what is made of them, from P_0 ... P_(degree + 1)."""
    degree = len(table) - 2
    if order == 0:
        return table[1:-1]
    mix = _legendre_mix(degree, order)
    return np.asarray((mix @ table.reshape(degree + 2, -1)).reshape(degree, *table.shape[1:]))


@lru_cache(maxsize=256)
def _legendre_mix(degree: int, order: int) -> Array:
    """Row k - 1: a derivative of P_k as a sum of P_j.

    P_k' is the sum of (2j + 1) P_j over j = k-1, k-3, ...
    """
    once = np.zeros((degree + 2, degree + 2))
    for row in range(1, degree + 1):
        once[row, row - 1 :: -2] = 2 * np.arange(row - 1, -1, -2) + 1
    return np.asarray(np.linalg.matrix_power(once, order)[1:-1])


@lru_cache(maxsize=64)
def legendre_powers(degree: int) -> Array:
    """Matrix (degree + 1, degree) from coefficients of P_1 ... to those of powers."""
    table = np.zeros((degree + 1, degree))
    for k in range(1, degree + 1):
        table[: k + 1, k - 1] = legendre.leg2poly([0.0] * k + [1.0])
    return table


def differentiate_powers(coefficients: Array) -> Array:
    """Coefficients of the derivative of a sum of powers, the lowest power first."""
    if coefficients.size == 1:
        return np.zeros(1)
    return np.asarray(np.arange(1.0, coefficients.size) * coefficients[1:])


def evaluate_powers(coefficients: Array, t: Array) -> Array:
    """The sum of powers of t by Horner's rule, the lowest power first."""
    *others, highest = coefficients.tolist()
    value = highest * t if others else highest + 0 * t  # NaN stays NaN
    for power, coefficient in enumerate(reversed(others)):
        if power:
            value *= t
        value += coefficient
    return np.asarray(value)
