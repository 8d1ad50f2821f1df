"""Polynomial NARX models by regression."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from narx.systems import cubic_system
from unbraid import ConvergenceWarning, InvalidOptionError, Polynomial
from unbraid.narx import fit_polynomial_narx


@pytest.mark.parametrize("scales", [(1, 1), (1e6, 1e-6), (1e-6, 1e6)])
def test_identifies_polynomial_systems_exactly_at_any_scale(scales):
    u, y = cubic_system(scale_u=scales[0], scale_y=scales[1])
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    assert model.score(u, y).percent < 1e-8
    fresh = cubic_system(300, 5, *scales)
    assert model.score(*fresh).percent < 1e-8


def test_monomials_show_the_true_terms():
    model = fit_polynomial_narx(*cubic_system(), (0, 1), (1, 2), 3)
    shown = model.function.monomials()
    terms = {tuple(e): c for e, c in zip(shown.exponents, shown.coefficients[0], strict=True)}
    wanted = {
        (0, 0, 1, 0): 0.5,
        (0, 0, 0, 3): -0.1,
        (1, 0, 1, 0): 0.2,
        (0, 1, 0, 0): 1.0,
        (0,) * 4: 0.1,
    }
    for exponent, coefficient in terms.items():
        assert abs(coefficient - wanted.get(exponent, 0.0)) < 1e-8


def test_regression_is_least_squares_on_all_monomials():
    u, y = cubic_system(noise=0.05)
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 2)
    rows = model.regressors(u, y)
    columns = [np.ones(len(rows)), *rows.T]
    columns += [rows[:, i] * rows[:, j] for i in range(4) for j in range(i, 4)]
    design = np.stack(columns, axis=1)
    best = design @ np.linalg.lstsq(design, y[2:], rcond=None)[0]
    assert np.allclose(model.predict(u, y)[2:], best, atol=1e-10)


def test_ridge_shrinks_all_but_the_constant():
    u, y = cubic_system(noise=0.05)
    plain, damped = (fit_polynomial_narx(u, y, (0, 1), (1, 2), 3, ridge=k) for k in (0.0, 1e4))
    assert np.linalg.norm(damped.function.coefficients[:, 1:]) < 1e-3
    assert np.linalg.norm(plain.function.coefficients[:, 1:]) > 0.1
    assert abs(damped.predict(u, y)[5] - y[2:].mean()) < 1e-2


def test_records_are_pooled_in_the_regression():
    (u1, y1), (u2, y2) = cubic_system(200, 1), cubic_system(150, 2)
    model = fit_polynomial_narx([u1, u2], [y1, y2], (0, 1), (1, 2), 3)
    assert model.score([u1, u2], [y1, y2]).percent < 1e-8


def test_fits_decouples_and_refines_several_inputs_and_outputs():
    rng = np.random.default_rng(0)
    u, y = rng.uniform(-1, 1, (400, 2)), np.zeros((400, 2))
    for t in range(1, 400):
        a, b = y[t - 1]
        y[t] = [0.5 * a - 0.2 * b**2 + u[t, 0], 0.4 * b + 0.1 * a * b + u[t - 1, 1]]
    model = fit_polynomial_narx(u, y, (0, 1), (1,), 2)
    score = model.score(u, y)
    assert score.percent.shape == (2,)
    assert score.percent.max() < 1e-8
    small = model.decouple(6, basis=Polynomial(2), random_state=0, n_points=150)
    assert small.score(u, y).percent.max() < 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        tuned = small.refine(u, y, max_iterations=15, held_out=0.0)
    assert tuned.score(u, y).percent.max() <= small.score(u, y).percent.max()


@pytest.mark.slow
def test_regression_does_not_hold_all_terms_in_memory():
    import tracemalloc

    rng = np.random.default_rng(0)
    u, y = rng.standard_normal(70_000), rng.standard_normal(70_000)
    tracemalloc.start()
    model = fit_polynomial_narx(u, y, tuple(range(6)), tuple(range(1, 7)), 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.function.coefficients.shape == (1, 455)
    assert peak < 0.5 * 8 * 70_000 * 455


def test_oversampled_system_keeps_its_digits():
    """Lagged samples of a smooth signal are all but collinear."""
    rng = np.random.default_rng(0)
    poles = np.exp(0.02 * np.array([-0.1 + 1j, -0.1 - 1j, -0.2 + 2j, -0.2 - 2j]))
    a = np.real(np.poly(poles))
    u, y = rng.standard_normal(4000), np.zeros(4000)
    for t in range(4, 4000):
        y[t] = -a[1:] @ y[t - 4 : t][::-1] + 1e-6 * u[t - 1]
    model = fit_polynomial_narx(u, y, (1,), (1, 2, 3, 4), 1)
    assert model.score(u, y).percent < 1e-3


def test_monomials_equal_the_polynomial_of_collinear_inputs():
    u, y = cubic_system()
    model = fit_polynomial_narx(np.column_stack([u, 1000 * u]), y, (0, 1), (1, 2), 2)
    rows = model.regressors(np.column_stack([u, 1000 * u]), y)
    assert np.allclose(model.function.monomials()(rows), model.function(rows), atol=1e-6)


@pytest.mark.parametrize("names", [["a", "b"], ["a", "a"], []])
def test_rejects_names_that_do_not_fit_the_channels(names):
    u, y = np.random.default_rng(0).normal(size=(2, 50))
    with pytest.raises(InvalidOptionError, match="input_names"):
        fit_polynomial_narx(u, y, (0,), (1,), 1, input_names=names)
