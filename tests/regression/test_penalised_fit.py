"""Penalised least squares with weights of maximum likelihood."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid.regression._linearised import make_spline
from unbraid.regression._penalised_fit import GramSums, Penalty, fit_penalised

Z = np.linspace(-1, 1, 400)


def fit_curve(y):
    spline = make_spline(Z)
    table = np.column_stack([spline.design(Z), np.ones_like(Z)])
    sums = GramSums(table.T @ table[None], (table.T @ y)[None], np.array([y @ y]), len(y))
    penalty = Penalty(slice(0, spline.n_functions), spline.rates)
    fit = fit_penalised(sums, [penalty], np.zeros(table.shape[1]), np.array([1.0]))
    return fit, table


def test_finds_the_noise_and_few_degrees_of_freedom_for_a_parabola():
    y = 1 + Z + 2 * Z**2 + 0.3 * np.random.default_rng(0).normal(size=len(Z))
    fit, table = fit_curve(y)
    assert fit.noise == pytest.approx(0.3, rel=0.15)
    assert fit.freedom == pytest.approx(3, abs=0.5)
    assert fit.weights > 10
    assert np.abs(table @ fit.coefficients - (1 + Z + 2 * Z**2)).max() < 0.15


def test_a_rougher_curve_has_a_smaller_penalty():
    noise = 0.1 * np.random.default_rng(1).normal(size=len(Z))
    smooth, rough = (fit_curve(np.sin(k * Z) + noise)[0] for k in (2, 8))
    assert rough.weights < 0.01 * smooth.weights
    assert rough.freedom > smooth.freedom + 2
    assert rough.noise == pytest.approx(0.1, rel=0.15)


def test_posterior_agrees_with_the_dense_formula():
    rng = np.random.default_rng(2)
    A, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    sums = GramSums((A.T @ A)[None], (A.T @ y)[None], np.array([y @ y]), 30)
    ridge = np.array([1.0, 0.0, 0.0, 2.0])
    fit = fit_penalised(sums, [], ridge, np.ones(1))
    inverse = np.linalg.inv(A.T @ A / fit.noise**2 + np.diag(ridge))
    assert fit.covariance == pytest.approx(inverse, rel=1e-2)
    assert fit.coefficients == pytest.approx(inverse @ A.T @ y / fit.noise**2, rel=1e-2)


def test_exact_data_have_no_noise():
    assert fit_curve(Z - Z**2)[0].noise < 1e-6
