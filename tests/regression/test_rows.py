"""Rows, and the choice between errors by fold."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import unbraid
from unbraid import InvalidOptionError
from unbraid.regression._rows import Rows, choose_first_equivalent


def test_draws_rows_in_their_order():
    X = np.random.default_rng(4).uniform(-1, 1, (40, 2))
    rows = Rows(X, X[:, :1], np.ones(40))
    drawn = rows.draw(7, random_state=1)
    places = [int(np.flatnonzero(np.all(row == X, axis=1))[0]) for row in drawn.X]
    assert len(places) == 7
    assert places == sorted(set(places))
    assert rows.draw(40) is rows


def test_takes_the_first_choice_if_all_errors_are_nan():
    assert choose_first_equivalent([np.full(3, np.nan), np.full(3, np.nan)]) == 0


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


@pytest.mark.slow
def test_repeated_rows_are_weighted():
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    X[1] = X[0]
    estimator = make_pipeline(StandardScaler(), GaussianProcessRegressor(alpha=1e-6))
    model = unbraid.DecoupledRegressor(1, estimator=estimator, random_state=0).fit(X, bent(X))
    assert model.score(X, bent(X)) > 0.99
    uneven = np.linspace(1, 2, 60)
    with pytest.raises(InvalidOptionError, match="sample_weight"):
        model.fit(X, bent(X), sample_weight=uneven)
