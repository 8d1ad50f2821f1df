"""Tests of cpd."""

import numpy as np

from unbraid._util.linalg import khatri_rao
from unbraid.solvers._cpd import PolyadicState, assess_uniqueness


def polyadic_problem(r, n, m, seed=0):
    rng = np.random.default_rng(seed)
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    rows = rng.standard_normal((60, r)) @ khatri_rao(W, V).T
    return rows, PolyadicState(W, V, 0.0)


def test_starts_that_agree_are_probably_unique_where_kruskal_fails():
    rows, state = polyadic_problem(r=5, n=1, m=5)
    unique, words = assess_uniqueness(rows, [state, state])
    assert unique
    assert words.startswith("probably unique: 2 of 2 equally good starts agree, though Kruskal's")
    assert "fails" in words


def test_does_not_check_kruskal_for_many_branches():
    rows, state = polyadic_problem(r=15, n=4, m=5)
    assert assess_uniqueness(rows, [state]) == (
        False,
        "not shown to be unique: Kruskal's condition was not checked (too many branches)",
    )
