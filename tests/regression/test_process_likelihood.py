"""The likelihood of a Gaussian process beside scikit-learn's."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from unbraid.regression._process_likelihood import (
    JITTER,
    ProcessParameters,
    from_logarithms,
    maximise_likelihood,
    negative_log_likelihood,
)

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (60, 3))
Y = np.column_stack([np.sin(X[:, 0] + X[:, 1]), X[:, 2] ** 2]) + 0.1 * RNG.normal(size=(60, 2))
STARTS = [
    ProcessParameters(1.3, np.array([2.0]), 0.05),
    ProcessParameters(1.3, np.array([2.0, 1.0, 3.0]), 0.05),
]


@pytest.mark.parametrize("parameters", STARTS)
def test_agrees_with_scikit_learn(parameters):
    kernel = ConstantKernel(parameters.size) * RBF(parameters.lengths)
    kernel += WhiteKernel(parameters.noise)
    reference = GaussianProcessRegressor(kernel, alpha=JITTER, optimizer=None).fit(X, Y)
    expected, slopes = reference.log_marginal_likelihood(reference.kernel_.theta, True)
    value, gradient = negative_log_likelihood(parameters.logarithms, X, Y)
    constant = Y.size * np.log(2 * np.pi) / 2
    assert value + constant == pytest.approx(-expected, rel=1e-10)
    assert gradient == pytest.approx(-slopes, rel=1e-8)


@pytest.mark.parametrize("start", STARTS)
def test_finds_a_maximum(start):
    found = maximise_likelihood(X, Y, start)
    least, gradient = negative_log_likelihood(found.logarithms, X, Y)
    assert least < negative_log_likelihood(start.logarithms, X, Y)[0]
    assert np.abs(gradient).max() < 0.1
    for change in 0.1 * np.eye(len(gradient)):
        for sign in (-1, 1):
            moved = found.logarithms + sign * change
            assert negative_log_likelihood(moved, X, Y)[0] > least


def test_logarithms_go_back_and_forth():
    again = from_logarithms(STARTS[1].logarithms)
    assert again.size == pytest.approx(1.3)
    assert again.lengths == pytest.approx(STARTS[1].lengths)
    assert again.noise == pytest.approx(0.05)
