"""LMG shares."""

from itertools import permutations

import numpy as np
import pytest

from unbraid.model._shares import MAX_PLAYERS, lmg_shares


def explained(columns, target):
    if columns.shape[1] == 0:
        return 0.0
    fit = columns @ np.linalg.lstsq(columns, target, rcond=None)[0]
    return float(fit @ fit) / float(target @ target)


def brute_force(terms):
    """Mean gain of every term over all orders."""
    terms = terms - terms.mean(axis=0)
    total, k = terms.sum(axis=1), terms.shape[1]
    shares = np.zeros(k)
    orders = list(permutations(range(k)))
    for order in orders:
        for place, term in enumerate(order):
            before = explained(terms[:, list(order[:place])], total)
            shares[term] += explained(terms[:, list(order[: place + 1])], total) - before
    return shares / len(orders)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_all_orders(seed):
    rng = np.random.default_rng(seed)
    terms = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4))
    np.testing.assert_allclose(lmg_shares(terms), brute_force(terms), atol=1e-10)


@pytest.mark.parametrize("k", [1, 3, MAX_PLAYERS + 5, 40])
def test_shares_are_positive_and_add_up(k):
    terms = np.random.default_rng(k).normal(size=(60, k))
    shares = lmg_shares(terms - 5 * terms[:, :1])
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)


def test_independent_terms_have_their_variances():
    x = np.random.default_rng(0).choice([-1.0, 1.0], (4000, 2))
    np.testing.assert_allclose(lmg_shares(x * [3, 1]), [0.9, 0.1], atol=0.02)


def test_tiny_terms_do_not_gain_by_chance():
    x = np.random.default_rng(0).normal(size=(12, 3))
    shares = lmg_shares(x * [1, 1e-6, 1e-6])
    assert shares[1:].max() < 1e-9


def test_repeated_and_cancelling_terms():
    x = np.random.default_rng(1).normal(size=(50, 1))
    np.testing.assert_allclose(lmg_shares(np.hstack([x, x])), [0.5, 0.5])
    np.testing.assert_allclose(lmg_shares(np.hstack([10 * x, -9 * x])), [0.5, 0.5])


def test_no_variation_gives_no_shares():
    assert lmg_shares(np.ones((5, 2))).tolist() == [0, 0]
