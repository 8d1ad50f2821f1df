"""Products among blocks of directions."""

import numpy as np
import pytest

from unbraid.model._interactions import label_block

X = np.random.default_rng(0).uniform(-1.7, 1.7, (300, 3))
PAIR = np.array([[0.6, 0.8], [0.6, -0.8]])


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (X[:, 0] * X[:, 1] + 0.5 * X[:, 1], "product of payload and angle"),
        (X[:, 0] * np.sin(2 * X[:, 1]), "payload times a function of angle"),
        ((2 + X[:, 0]) * np.sin(2 * X[:, 1]), "payload times a function of angle"),
        ((2 - X[:, 0]) * np.sin(2 * X[:, 1]), "a function of angle, weaker with more payload"),
        (X[:, 1] * X[:, 0] ** 2, "angle times a function of payload"),
        (np.sin(3 * X[:, 1]) * np.cos(2 * X[:, 0]), "interaction of payload and angle"),
        (X[:, 0] ** 2 + np.tanh(X[:, 1]), "interaction of payload and angle"),
    ],
)
def test_names_products(values, label):
    assert label_block(values, PAIR, X[:, :2], ["payload", "angle"]) == label
    assert label_block(1e-9 * values, PAIR, X[:, :2], ["payload", "angle"]) == label


def test_factor_of_two_inputs():
    """q times a function of 0.8 T - 0.6 c."""
    inner = np.array([0.0, 0.8, -0.6])
    pair = np.array([[1.0, 0.8, -0.6], [1.0, -0.8, 0.6]]) / np.sqrt(2)
    values = X[:, 0] * np.tanh(2 * X @ inner)
    label = label_block(values, pair, X, ["q", "T", "c"])
    assert label == "q times a function of (0.80 T - 0.60 c)"


def test_few_points_give_no_product():
    values = X[:9, 0] * X[:9, 1]
    assert label_block(values, PAIR, X[:9, :2], ["a", "b"]) == "interaction of a and b"
