"""Numbers of parameters, by the rules of the paper and correct."""

import numpy as np
import pytest

import unbraid
from unbraid.reproduce import _published as published
from unbraid.reproduce._counts import (
    ParameterCount,
    count_monomials,
    count_narx,
    count_network,
    count_reduction,
)
from unbraid.reproduce._tables import TABLE2
from unbraid.reproduce.figures._counts import compute_ratio


def test_printed_counts_follow_from_rules_of_paper():
    counts = [*count_reduction(), *count_network(), *count_narx()]
    assert len(counts) == 6 + 10 + 2
    assert all(count.holds for count in counts)
    assert not ParameterCount("off by one", 12.7, 12.8, 12.8).holds


def test_counts_monomials():
    total = np.indices((7,) * 5).reshape(5, -1).sum(axis=0)
    assert count_monomials(5, 1, 5) == np.sum((total >= 1) & (total <= 5))
    assert count_monomials(5, 2, 6) == np.sum((total >= 2) & (total <= 6))


def test_correct_counts_match_functions():
    samples = TABLE2.samples(0)
    basis = TABLE2.basis
    d = unbraid.decouple(samples, n_branches=3, basis=basis, random_state=0)
    right = {count.quantity: count.correct for count in count_reduction()}
    assert d.n_parameters - d.offset.size == right["theta_D, r = 3"]
    assert unbraid.cases.random_network(random_state=0).n_parameters == published.NETWORK_PARAMETERS
    assert compute_ratio(5, 5, 3) == pytest.approx(right["theta_C"] / right["theta_D, r = 3"])
