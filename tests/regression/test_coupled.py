"""Estimators of the user as coupled models."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from unbraid import DecoupledRegressor, InvalidSamplesError

X = np.random.default_rng(4).uniform(-1, 1, (40, 2))
Y = X @ np.array([1.0, -2.0])


@pytest.mark.slow
def test_passes_weights_to_the_estimator():
    weights = np.where(X[:, 0] > 0, 1.0, 1e-9)
    bent = np.where(X[:, 0] > 0, Y, 100.0)
    found = DecoupledRegressor(estimator=Ridge(alpha=1e-9), n_branches=1, random_state=0)
    found.fit(X, bent, sample_weight=weights)
    right = X[:, 0] > 0
    np.testing.assert_allclose(found.predict(X[right]), Y[right], atol=1e-3)


class FussyRegressor(RegressorMixin, BaseEstimator):
    """Raises an error of unbraid."""

    def fit(self, X, y):
        raise InvalidSamplesError("the rows come from two machines")

    def predict(self, X):
        return np.zeros(len(X))


def test_does_not_translate_errors_of_unbraid_in_the_estimator():
    with pytest.raises(InvalidSamplesError, match=r"^the rows come from two machines$"):
        DecoupledRegressor(estimator=FussyRegressor()).fit(X, Y)


def test_constant_estimator_gives_a_linear_function():
    found = DecoupledRegressor(estimator=DummyRegressor()).fit(X, Y)
    np.testing.assert_allclose(found.predict(X), Y, atol=1e-9)
    assert found.cv_errors_ == {}
