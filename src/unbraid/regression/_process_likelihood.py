"""Likelihood of a Gaussian process, its derivatives and its maximum."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack
from scipy.optimize import minimize

from .._typing import Array

SIZE_BOUNDS, LENGTH_BOUNDS, NOISE_BOUNDS = (1e-3, 1e4), (1e-1, 1e3), (1e-8, 10.0)
JITTER = 1e-10  # added to the diagonal


@dataclass(frozen=True)
class ProcessParameters:
    """Kernel and noise of a Gaussian process.

    Attributes
    ----------
    size : float
        Variance of the function.
    lengths : (1,) or (m,)
        Length scales, common to all inputs or one for each.
    noise : float
        Variance of the noise.
    """

    size: float
    lengths: Array
    noise: float

    @property
    def logarithms(self) -> Array:
        return np.asarray(np.log([self.size, *self.lengths, self.noise]))


def from_logarithms(theta: Array) -> ProcessParameters:
    size, *lengths, noise = np.exp(theta)
    return ProcessParameters(float(size), np.array(lengths), float(noise))


def maximise_likelihood(X: Array, Y: Array, start: ProcessParameters) -> ProcessParameters:
    """Return the most likely parameters, the same for every column of Y."""
    bounds = [SIZE_BOUNDS, *[LENGTH_BOUNDS] * len(start.lengths), NOISE_BOUNDS]
    found = minimize(
        negative_log_likelihood,
        start.logarithms,
        (X, Y),
        method="L-BFGS-B",
        jac=True,
        bounds=np.log(bounds),
    )
    return from_logarithms(found.x)


def negative_log_likelihood(theta: Array, X: Array, Y: Array) -> tuple[float, Array]:
    """Return the value, up to a constant, and its derivatives in the logarithms.

    The derivative of the kernel in a length scale has N x N entries for every input. Only its inner
    product with one symmetric matrix is needed, which takes products of that matrix and X. Of that
    matrix the lower triangle is used.
    """
    parameters = from_logarithms(theta)
    signal = parameters.size * squared_exponential(X / parameters.lengths)
    kernel = signal.copy()
    kernel.flat[:: len(X) + 1] += parameters.noise + JITTER
    factor, failed = lapack.dpotrf(kernel.T, lower=1, overwrite_a=1)
    if failed:
        return np.inf, np.zeros_like(theta)
    weights = lapack.dpotrs(factor, Y, lower=1)[0]
    n_outputs = Y.shape[1]
    value = 0.5 * np.sum(Y * weights) + n_outputs * np.log(np.diag(factor)).sum()
    misfit = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    misfit *= n_outputs
    misfit -= (weights @ weights.T).T
    by_noise = parameters.noise * np.trace(misfit)
    misfit *= signal.T
    products = blas.dsymm(1.0, misfit, np.column_stack([X, np.ones(len(X))]), lower=1)
    by_length = products[:, -1] @ X**2 - np.einsum("nl,nl->l", X, products[:, :-1])
    by_lengths = 2 * by_length / parameters.lengths**2
    if len(parameters.lengths) == 1:
        by_lengths = by_lengths.sum(keepdims=True)
    by_size = products[:, -1].sum()
    return float(value), 0.5 * np.concatenate([[by_size], by_lengths, [by_noise]])


def squared_exponential(X: Array) -> Array:
    """Return the kernel matrix of scaled inputs."""
    exponents = X @ X.T
    half = 0.5 * np.einsum("nl,nl->n", X, X)
    exponents -= half
    exponents -= half[:, None]
    np.minimum(exponents, 0.0, out=exponents)
    return np.asarray(np.exp(exponents, out=exponents))
