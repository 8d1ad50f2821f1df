"""Rows, and the choice between errors by fold."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import unbraid
from unbraid import InvalidOptionError
from unbraid.regression._rows import Rows, choose_first_equivalent, skip_chance_gains


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


@pytest.mark.parametrize(
    ("gains", "chosen"),
    [
        ([0.05, -0.02, 0.06, 0.02, 0.0], 0),  # 2 %, but not in every fold
        ([0.03, 0.03, 0.031, 0.029, 0.03], 1),  # 3 % in every fold
        ([0.3, -0.05, 0.2, 0.05, 0.0], 1),  # 10 %
    ],
)
def test_small_gains_by_chance_are_not_worth_a_branch(gains, chosen):
    simple = np.ones(5)
    assert skip_chance_gains([simple, simple - gains], 1) == chosen


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 19])
def test_one_noisy_saturation_is_one_branch(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (300, 4))
    y = np.tanh(1.5 * X[:, 0] + X[:, 1]) + 0.1 * rng.normal(size=300)
    model = unbraid.DecoupledRegressor(random_state=seed).fit(X, y)
    assert model.n_branches_ == 1
    assert "saturating function of 0.8" in model.describe().words
