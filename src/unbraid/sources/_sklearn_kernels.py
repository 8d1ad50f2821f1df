"""Derivatives of kernels: of the sum of weighted k(x, a_j) over j, by x."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from .._typing import Array


def differentiate_kernel(kernel: Any, X: Array, A: Array, alpha: Array) -> Array:
    """Derivatives (N, n, m) of ``kernel(X, A) @ alpha`` with respect to X.

    An unknown kernel raises KeyError.
    """
    columns = [_differentiate(kernel, X, A, np.broadcast_to(a, (len(X), len(A)))) for a in alpha.T]
    return np.stack(columns, axis=1)


def make_kernel(model: Any, n_inputs: int) -> Any:
    """The kernel of a KernelRidge or SVR model as one for Gaussian processes.

    An unknown kernel raises KeyError.
    """
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

    gamma = getattr(model, "_gamma", model.gamma)
    gamma = 1 / n_inputs if gamma is None else gamma
    if model.kernel == "linear":
        return DotProduct(0.0)
    if model.kernel == "rbf":
        return RBF(1 / np.sqrt(2 * gamma))
    if model.kernel in ("poly", "polynomial"):
        inner = ConstantKernel(gamma) * DotProduct(0.0) + ConstantKernel(model.coef0)
        return inner**model.degree
    raise KeyError(model.kernel)


def _differentiate(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    """Sum over j of weights[i, j] times the derivative of k(x_i, a_j) by x_i; (N, m)."""
    return np.asarray(KERNEL_DERIVATIVES[type(kernel).__name__](kernel, X, A, weights))


def _product(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    first, second = kernel.k1, kernel.k2
    left = _differentiate(first, X, A, weights * second(X, A))
    return left + _differentiate(second, X, A, weights * first(X, A))


def _power(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    inner, p = kernel.kernel, kernel.exponent
    return _differentiate(inner, X, A, weights * p * inner(X, A) ** (p - 1))


def _sum_differences(factors: Array, X: Array, A: Array, length: Any) -> Array:
    """Sum over j of factors[i, j] (a_j - x_i) / length^2."""
    return np.asarray((factors @ A - X * factors.sum(axis=1, keepdims=True)) / np.square(length))


def _distances(kernel: Any, X: Array, A: Array) -> Array:
    length = kernel.length_scale
    return np.asarray(scipy.spatial.distance.cdist(X / length, A / length))


def _gaussian(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    return _sum_differences(weights * kernel(X, A), X, A, kernel.length_scale)


def _matern(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    rate = {1.5: np.sqrt(3.0), 2.5: np.sqrt(5.0), np.inf: None}[kernel.nu]
    if rate is None:
        return _gaussian(kernel, X, A, weights)
    d = rate * _distances(kernel, X, A)
    factors = rate**2 * np.exp(-d) * (1.0 if kernel.nu == 1.5 else (1 + d) / 3)
    return _sum_differences(weights * factors, X, A, kernel.length_scale)


def _rational(kernel: Any, X: Array, A: Array, weights: Array) -> Array:
    factors = (1 + _distances(kernel, X, A) ** 2 / (2 * kernel.alpha)) ** (-kernel.alpha - 1)
    return _sum_differences(weights * factors, X, A, kernel.length_scale)


KERNEL_DERIVATIVES: dict[str, Callable[[Any, Array, Array, Array], Any]] = {
    "ConstantKernel": lambda kernel, X, A, w: np.zeros_like(X),
    "WhiteKernel": lambda kernel, X, A, w: np.zeros_like(X),
    "DotProduct": lambda kernel, X, A, w: w @ A,
    "Sum": lambda kernel, X, A, w: (
        _differentiate(kernel.k1, X, A, w) + _differentiate(kernel.k2, X, A, w)
    ),
    "Product": _product,
    "Exponentiation": _power,
    "RBF": _gaussian,
    "Matern": _matern,
    "RationalQuadratic": _rational,
}
