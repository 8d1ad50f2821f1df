"""Fits without each fold."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid import BSpline, Polynomial, Samples
from unbraid.regression._cross_validation import Fold, fit_folds, with_slope_weights
from unbraid.regression._growth import decouple_in_turn
from unbraid.regression._refits import refine_on_coupled, refine_on_data
from unbraid.regression._rows import Rows

X = np.random.default_rng(4).uniform(-1, 1, (40, 2))
Y = X @ np.array([1.0, -2.0])
ROWS = Rows(X, Y[:, None], np.ones(40))
COUPLED = Samples(X, Y[:, None], np.broadcast_to([[1.0, -2.0]], (40, 1, 2)))
SCALE = Y.std(keepdims=True)


def decoupled():
    return next(decouple_in_turn(COUPLED, [1], Polynomial(1), 0))


def test_constant_coupled_model_has_the_error_of_the_mean():
    constant = Samples(X, np.ones((40, 1)), np.zeros((40, 1, 2)))
    folds = [Fold(ROWS, coupled, ROWS, SCALE) for coupled in (COUPLED, constant)]
    found = fit_folds([decoupled()] * 2, folds, Polynomial(1), (None, 0.1))
    assert found.starts[1] is None
    for table in found.errors.values():
        assert table[0] < 1e-6
        assert table[1] == folds[1].constant_error == pytest.approx(1)


def test_adds_only_the_slope_weights_that_are_missing():
    folds = [Fold(ROWS, COUPLED, ROWS, SCALE)]
    few = fit_folds([decoupled()], folds, Polynomial(1), (0.1,))
    more = with_slope_weights(few, folds, (None, 0.1))
    assert list(more.errors) == [None, 0.1]
    assert more.fits[0.1] is few.fits[0.1]


def test_refits_have_the_basis_asked_for_and_fit_what_they_are_given():
    parabola = Samples(X, X[:, :1] ** 2, np.stack([2 * X[:, :1], 0 * X[:, :1]], axis=2))
    found = refine_on_coupled([decoupled()], [parabola], BSpline(6))[0]
    assert found.branches[0].curve.basis.n_coefficients == 6
    assert np.abs(found(X) - parabola.values).max() < 1e-3
    shifted = Rows(X, parabola.values + 3, np.ones(40))
    for slope_weight in (None, 0.1):
        again = refine_on_data([found], [(shifted, parabola)], slope_weight)[0]
        assert np.abs(again(X) - shifted.Y).max() < 1e-3
