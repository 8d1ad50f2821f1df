"""Slopes of kernels: for k(x, a_j) weighted by alpha_j, the derivative of the sum by x."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array

Slope = Callable[[Any, Array, Array, Array], Array]


def combined_slopes(kernel: Any, X: Array, A: Array, alpha: Array) -> Array:
    """Derivatives (N, n, m) of ``kernel(X, A) @ alpha`` by the points; KeyError if unknown."""
    columns = [_slope(kernel, X, A, np.broadcast_to(a, (len(X), len(A)))) for a in alpha.T]
    return np.stack(columns, axis=1)


def _slope(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    """Sum over j of weights[i, j] times the derivative of k(x_i, a_j) by x_i; (N, m)."""
    return SLOPES[type(kernel).__name__](kernel, X, A, weights)


def _nothing(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    return np.zeros_like(X)


def _sum(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    return _slope(kernel.k1, X, A, weights) + _slope(kernel.k2, X, A, weights)


def _product(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    first, second = kernel.k1, kernel.k2
    return _slope(first, X, A, weights * second(X, A)) + _slope(second, X, A, weights * first(X, A))


def _power(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    inner, p = kernel.kernel, kernel.exponent
    return _slope(inner, X, A, weights * p * inner(X, A) ** (p - 1))


def _towards(pulls: Array, X: Array, A: Array, length: Any) -> Array:
    """Sum over j of pulls[i, j] (a_j - x_i) / length^2."""
    return np.asarray((pulls @ A - X * pulls.sum(axis=1, keepdims=True)) / np.square(length))


def _gaussian(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    return _towards(weights * kernel(X, A), X, A, kernel.length_scale)


def _distance(X: Array, A: Array, length: Any) -> Array:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(X / length, A / length))


def _matern(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    rate = {1.5: np.sqrt(3.0), 2.5: np.sqrt(5.0), np.inf: None}[kernel.nu]
    if rate is None:
        return _gaussian(kernel, X, A, weights)
    d = rate * _distance(X, A, kernel.length_scale)
    pull = rate**2 * np.exp(-d) * (1.0 if kernel.nu == 1.5 else (1 + d) / 3)
    return _towards(weights * pull, X, A, kernel.length_scale)


def _rational(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    d = _distance(X, A, kernel.length_scale)
    pull = (1 + d**2 / (2 * kernel.alpha)) ** (-kernel.alpha - 1)
    return _towards(weights * pull, X, A, kernel.length_scale)


def _dot(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    return np.asarray(weights @ A)


@dataclass(frozen=True)
class Gaussian:
    """exp(-gamma |x - a|^2), under the names that the other kernels go by."""

    gamma: float

    @property
    def length_scale(self) -> float:
        return float(1 / np.sqrt(2 * self.gamma))

    def __call__(self, X: Array, A: Array) -> Array:
        return np.asarray(np.exp(-self.gamma * _distance(X, A, 1.0) ** 2))


@dataclass(frozen=True)
class Power:
    """(gamma x.a + shift)^degree."""

    gamma: float
    shift: float
    degree: float

    def __call__(self, X: Array, A: Array) -> Array:
        return np.asarray((self.gamma * X @ A.T + self.shift) ** self.degree)


def _polynomial(kernel: Power, X: Array, A: Array, weights: Array) -> Array:
    inner = kernel.gamma * X @ A.T + kernel.shift
    return np.asarray((weights * kernel.degree * kernel.gamma * inner ** (kernel.degree - 1)) @ A)


def pairwise(model: Any, n_inputs: int) -> Gaussian | Power:
    """The kernel of a KernelRidge or SVR; KeyError if its slope is unknown."""
    gamma = getattr(model, "_gamma", None)
    if gamma is None:
        gamma = 1 / n_inputs if model.gamma is None else model.gamma
    if model.kernel == "rbf":
        return Gaussian(gamma)
    degree, shift = {
        "linear": (1, 0.0),
        "poly": (model.degree, model.coef0),
        "polynomial": (model.degree, model.coef0),
    }[model.kernel]
    return Power(1.0 if model.kernel == "linear" else gamma, shift, degree)


SLOPES: dict[str, Slope] = {
    "ConstantKernel": _nothing,
    "WhiteKernel": _nothing,
    "Sum": _sum,
    "Product": _product,
    "Exponentiation": _power,
    "RBF": _gaussian,
    "Matern": _matern,
    "RationalQuadratic": _rational,
    "DotProduct": _dot,
    "Gaussian": _gaussian,
    "Power": _polynomial,
}
