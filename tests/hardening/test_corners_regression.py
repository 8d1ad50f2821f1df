"""Corners of the regressor: estimators that see nothing, folds that are flat, weights."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from unbraid import DecoupledRegressor, DegenerateBranch, InvalidSamples, Polynomial, Samples
from unbraid.regression import _growth as growth
from unbraid.regression._growth import Fold, decouplings, judged
from unbraid.regression._rows import Rows, constant_error, first_as_good
from unbraid.regression._sklearn_errors import told

RNG = np.random.default_rng(4)
X = RNG.uniform(-1, 1, (40, 2))
Y = X @ np.array([1.0, -2.0])
ROWS = Rows(X, Y[:, None], np.ones(40))
COUPLED = Samples(X, Y[:, None], np.broadcast_to([[1.0, -2.0]], (40, 1, 2)))


@pytest.mark.slow
def test_weights_reach_an_estimator_that_takes_them():
    weights = np.where(X[:, 0] > 0, 1.0, 1e-9)
    bent = np.where(X[:, 0] > 0, Y, 100.0)
    found = DecoupledRegressor(estimator=Ridge(alpha=1e-9), n_branches=1, random_state=0)
    found.fit(X, bent, sample_weight=weights)
    right = X[:, 0] > 0
    np.testing.assert_allclose(found.predict(X[right]), Y[right], atol=1e-3)


class Fussy(RegressorMixin, BaseEstimator):
    """Refuses in our words."""

    def fit(self, X, y):
        raise InvalidSamples("the rows come from two machines")

    def predict(self, X):
        return np.zeros(len(X))


def test_what_an_estimator_refuses_in_our_words_is_passed_on():
    with pytest.raises(InvalidSamples, match=r"^the rows come from two machines$"):
        DecoupledRegressor(estimator=Fussy()).fit(X, Y)
    with pytest.raises(DegenerateBranch), told():
        raise DegenerateBranch("as it was said")


def test_an_estimator_that_sees_nothing_leaves_a_straight_function():
    found = DecoupledRegressor(estimator=DummyRegressor()).fit(X, Y)
    np.testing.assert_allclose(found.predict(X), Y, atol=1e-9)
    assert found.cv_errors_ == {}


def test_branches_end_where_no_more_can_be_had(monkeypatch):
    real, most = growth.decouple, 1

    def decouple(*arguments, n_branches, **options):
        if n_branches > most:
            raise DegenerateBranch("no start survived")
        return real(*arguments, n_branches=n_branches, **options)

    monkeypatch.setattr(growth, "decouple", decouple)
    found = list(decouplings(COUPLED, [1, 2, 3], Polynomial(1), 0))
    assert [d.n_branches for d in found] == [1]
    most = 0
    with pytest.raises(DegenerateBranch):
        next(decouplings(COUPLED, [1, 2, 3], Polynomial(1), 0))


def test_a_fold_on_which_the_coupled_model_is_flat_is_judged_by_a_constant():
    d = next(decouplings(COUPLED, [1], Polynomial(1), 0))
    flat = Samples(X, np.ones((40, 1)), np.zeros((40, 1, 2)))
    scale = Y.std(keepdims=True)
    folds = [Fold(ROWS, coupled, ROWS, 0.0) for coupled in (COUPLED, flat)]
    errors = judged(d, folds, scale, Polynomial(1), (None, 0.1))
    for table in errors.values():
        assert table[0] < 1e-6
        assert table[1] == constant_error(ROWS, ROWS, scale) == pytest.approx(1)


def test_some_rows_in_their_order():
    some = ROWS.some(7, random_state=1)
    places = [int(np.flatnonzero(np.all(row == X, axis=1))[0]) for row in some.X]
    assert len(places) == 7
    assert places == sorted(set(places))
    assert ROWS.some(40) is ROWS


def test_the_first_choice_where_no_error_is_known():
    assert first_as_good([np.full(3, np.nan), np.full(3, np.nan)]) == 0
