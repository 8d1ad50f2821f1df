"""Products among blocks of directions."""

import numpy as np
import pytest

from unbraid.model._interactions import find_product, label_block
from unbraid.model._product_formulas import write_product

X = np.random.default_rng(0).uniform(-1.7, 1.7, (300, 3))
PAIR = np.array([[0.6, 0.8], [0.6, -0.8]])


def label(values, directions, x, names):
    return label_block(find_product(values, directions, x), values, x, names)


@pytest.mark.parametrize(
    ("values", "text"),
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
def test_names_products(values, text):
    assert label(values, PAIR, X[:, :2], ["payload", "angle"]) == text
    assert label(1e-9 * values, PAIR, X[:, :2], ["payload", "angle"]) == text


def test_factor_of_two_inputs():
    """q times a function of 0.8 T - 0.6 c."""
    inner = np.array([0.0, 0.8, -0.6])
    pair = np.array([[1.0, 0.8, -0.6], [1.0, -0.8, 0.6]]) / np.sqrt(2)
    values = X[:, 0] * np.tanh(2 * X @ inner)
    assert label(values, pair, X, ["q", "T", "c"]) == "q times a function of (0.80 T - 0.60 c)"


def test_few_points_give_no_product():
    values = X[:9, 0] * X[:9, 1]
    assert label(values, PAIR, X[:9, :2], ["a", "b"]) == "interaction of a and b"


POINTS = [1.0, -0.5] + X[:, :2] * [2.0, 0.5]  # in other units than X


@pytest.mark.parametrize(
    ("values", "formula"),
    [
        (1.9 * POINTS[:, 0] * POINTS[:, 1], "1.9 load slip"),
        (POINTS[:, 0] * POINTS[:, 1] + POINTS[:, 0] - 7, "load slip + load - 7"),
        (POINTS[:, 0] * (POINTS[:, 1] + 0.5) ** 2, "load h(slip), h = slip^2 + slip + 0.25"),
        ((POINTS[:, 0] - 4) * POINTS[:, 1] ** 2, "(load - 4) h(slip), h = slip^2"),
        (
            POINTS[:, 0] * POINTS[:, 1] ** 2 + POINTS[:, 1] ** 4,
            "load h(slip) + r(slip), h = slip^2",
        ),
    ],
)
def test_formulas_are_in_the_units_of_the_inputs(values, formula):
    product = find_product(values, PAIR, X[:, :2])
    assert write_product(product, values, POINTS, ["load", "slip"]) == formula


def test_only_products_of_inputs_have_formulas():
    pair = np.array([[1.0, 0.8, -0.6], [1.0, -0.8, 0.6]]) / np.sqrt(2)
    values = X[:, 0] * np.tanh(2 * X @ [0.0, 0.8, -0.6])
    assert write_product(find_product(values, pair, X), values, X, ["q", "T", "c"]) == ""
    assert write_product(None, values, X, ["q", "T", "c"]) == ""
