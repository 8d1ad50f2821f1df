"""Standard errors and bands of a regression."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid import BSpline, DecoupledFunction
from unbraid.model._branch_fit import fit_branch
from unbraid.regression import _posterior
from unbraid.regression._curve_bands import with_posterior_bands
from unbraid.regression._linear import fit_constant_function, fit_linear_function
from unbraid.regression._posterior import estimate_posterior
from unbraid.regression._rows import Rows

V = np.array([[0.8, 0.0], [0.6, 0.0], [0.0, 1.0]])
NOISE = 0.2


def law(X):
    return np.tanh(2 * X @ V[:, :1]) + 0.5 * (X @ V[:, 1:]) ** 2


def draw(seed, n_rows=250):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, 3))
    return Rows(X, law(X) + NOISE * rng.normal(size=(n_rows, 1)), np.ones(n_rows))


def fit(rows):
    """Splines along the true directions, by backfitting."""
    z = rows.X @ V
    y, parts = rows.Y[:, 0] - rows.mean, [None, None]
    values = np.zeros((2, len(rows)))
    for _ in range(6):
        for i in range(2):
            parts[i] = fit_branch(BSpline(6), z[:, i], y - values[1 - i])
            values[i] = parts[i](z[:, i]) - parts[i](z[:, i]).mean()
    plain = DecoupledFunction(np.ones((1, 2)), V, tuple(parts), np.zeros(1))
    offset = np.mean(rows.Y - plain(rows.X), axis=0)
    return DecoupledFunction(np.ones((1, 2)), V, tuple(parts), offset)


@pytest.fixture(scope="module")
def fitted():
    rows = draw(0)
    return rows, fit(rows), estimate_posterior(fit(rows), rows)


def test_bands_contain_the_truth_in_95_of_100_rows():
    shares = []
    for seed in range(12):
        rows = draw(seed)
        d = fit(rows)
        errors = estimate_posterior(d, rows).standard_errors(rows.X)
        shares.append(np.mean(np.abs(d(rows.X) - law(rows.X)) <= 1.96 * errors))
    assert 0.92 <= np.mean(shares) <= 0.98


def test_finds_the_noise(fitted):
    assert fitted[2].noise == pytest.approx([NOISE], rel=0.12)


def test_errors_grow_outside_the_data(fitted):
    line = np.linspace(0, 4, 9)[:, None] * np.array([[0.0, 0.0, 1.0]])
    errors = fitted[2].standard_errors(line)[:, 0]
    assert np.all(np.diff(errors[3:]) > 0)
    assert errors[-1] > 30 * errors[0]


def test_far_away_the_error_is_infinite_without_a_warning(fitted):
    assert fitted[2].standard_errors(np.full((1, 3), 1e200))[0, 0] == np.inf


def test_units_do_not_matter(fitted):
    rows, d, posterior = fitted
    factor = np.array([1e6, 1e-6, 1e3])
    scaled = Rows(rows.X * factor, 1e-6 * rows.Y, rows.weights)
    other = DecoupledFunction(1e-6 * d.W, d.V / factor[:, None], d.branches, 1e-6 * d.offset)
    errors = estimate_posterior(other, scaled).standard_errors(scaled.X)
    assert errors == pytest.approx(1e-6 * posterior.standard_errors(rows.X), rel=1e-4)


def test_difference_from_the_mean_of_the_posterior_is_part_of_the_error(fitted):
    rows, d, _ = fitted
    moved = DecoupledFunction(d.W, d.V, d.branches, d.offset + 0.5)
    errors = estimate_posterior(moved, rows).standard_errors(rows.X)
    assert np.all(errors > 0.3)
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(0.5, rel=0.1)


def test_weight_two_is_a_row_given_twice(fitted):
    rows, d, _ = fitted
    weights = np.where(np.arange(len(rows)) < 50, 2.0, 1.0)
    twice = np.append(np.arange(50), np.arange(len(rows)))
    weighted = estimate_posterior(d, Rows(rows.X, rows.Y, weights / weights.mean()))
    repeated = estimate_posterior(d, Rows(rows.X[twice], rows.Y[twice], np.ones(300)))
    assert weighted.noise == pytest.approx(repeated.noise, rel=0.15)


def test_linear_function_has_the_errors_of_linear_regression():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 2))
    rows = Rows(X, X @ [[1.0], [2.0]] + rng.normal(size=(100, 1)), np.ones(100))
    posterior = estimate_posterior(fit_linear_function(rows), rows)
    A = np.column_stack([np.ones(100), X])
    expected = np.sqrt(np.einsum("na,ab,nb->n", A, np.linalg.inv(A.T @ A), A)) * posterior.noise
    assert posterior.standard_errors(X)[:, 0] == pytest.approx(expected, rel=0.05)


def test_constant_function_has_the_error_of_the_mean_at_least():
    rng = np.random.default_rng(4)
    rows = Rows(rng.normal(size=(100, 2)), rng.normal(size=(100, 1)), np.ones(100))
    d = fit_constant_function(rows)
    assert np.all(estimate_posterior(d, rows).standard_errors(rows.X) > 0.09)


def test_too_many_parameters_give_none(fitted, monkeypatch):
    rows, d, _ = fitted
    monkeypatch.setattr(_posterior, "MAX_POSTERIOR_PARAMETERS", 20)
    assert estimate_posterior(d, rows) is None


def test_many_inputs_turn_along_those_that_vary_most(fitted, monkeypatch):
    rows, d, _ = fitted
    monkeypatch.setattr(_posterior, "MAX_POSTERIOR_PARAMETERS", 35)
    posterior = estimate_posterior(d, rows)
    assert posterior.design.axes.shape == (3, 2)
    assert len(posterior.fit.coefficients) == 35


def test_branches_get_bands_that_contain_their_curves(fitted):
    rows, d, posterior = fitted
    banded = with_posterior_bands(d, posterior, rows.X)
    assert np.array_equal(banded(rows.X), d(rows.X))
    z, half = banded.branches[1].band.T
    truth = 0.5 * z**2
    curve = banded.branches[1](z)
    offset = np.mean(banded.branches[1](rows.X[:, 2]) - 0.5 * rows.X[:, 2] ** 2)
    assert np.mean(np.abs(curve - offset - truth) <= half) > 0.85
    assert 0.02 < half.mean() < 0.25


def test_linear_functions_get_no_bands():
    rows = draw(1, 60)
    d = fit_linear_function(rows)
    banded = with_posterior_bands(d, estimate_posterior(d, rows), rows.X)
    assert all(branch.band is None for branch in banded.branches)
