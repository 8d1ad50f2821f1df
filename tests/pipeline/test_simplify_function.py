"""Tests of ``simplify``."""

import numpy as np
import pytest

import unbraid
from direction_problems import draw_samples
from unbraid import BSpline, InvalidOptionError, InvalidSamplesError, simplify
from unbraid.cases import toy_samples
from unbraid.model._branch_fit import fit_branch
from unbraid.pipeline._pattern import group_directions

NOISY = draw_samples(300, noise=0.02)


@pytest.fixture(scope="module")
def dense():
    """Five branches: the true directions and linear terms, all a little off."""
    rng = np.random.default_rng(1)
    V = np.array([[0.6, 0.8, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0.6, 0.8, 0, 0]]).T
    V = V + 0.01 * rng.normal(size=V.shape)
    W = rng.normal(size=(2, 5))
    z = NOISY.points @ V
    branches = tuple(fit_branch(BSpline(10), column, column) for column in z.T)
    start = unbraid.DecoupledFunction(W, V, branches, np.zeros(2))
    d = unbraid.refine(start, NOISY, jacobian_weight=0.1, max_iterations=3)
    return d.named(["a", "b", "c", "d"], ["force", "heat"])


def test_finds_the_simple_function(dense):
    simple = simplify(dense, NOISY)
    assert len(set(group_directions(simple.V))) < 5
    assert np.count_nonzero(simple.V == 0) > np.count_nonzero(dense.V == 0)
    before, after = (
        np.mean(unbraid.relative_error(NOISY.values, d(NOISY.points))) for d in (dense, simple)
    )
    assert after < 1.15 * before
    assert simple.input_names == ("a", "b", "c", "d")
    assert "saturating" in str(simple.describe())


def test_the_result_can_be_saved_and_refined(dense, tmp_path):
    simple = simplify(dense, NOISY)
    simple.save(tmp_path / "d.json")
    loaded = unbraid.load(tmp_path / "d.json")
    assert np.array_equal(loaded.V == 0, simple.V == 0)
    refined = unbraid.refine(loaded, NOISY, max_iterations=2)
    assert np.count_nonzero(refined.V == 0) == np.count_nonzero(simple.V == 0)


def test_exact_functions_are_not_changed():
    samples = toy_samples(80, 1)
    d = unbraid.decouple(samples, n_branches=3, random_state=0)
    assert simplify(d, samples) is d


def test_rejects_what_it_cannot_use(dense):
    with pytest.raises(InvalidSamplesError, match="inputs"):
        simplify(dense, toy_samples(50, 1))
    with pytest.raises(InvalidSamplesError, match="points"):
        simplify(dense, NOISY.subset(slice(0, 8)))
    with pytest.raises(InvalidOptionError, match="max_increase"):
        simplify(dense, NOISY, max_increase=-1)
