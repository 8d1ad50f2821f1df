"""Tests of description."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from branch_examples import polynomial_branch, sum_of_branches
from hardening.plain import P
from unbraid import BSpline, DecoupledFunction, InvalidOptionError, InvalidSamplesError, Polynomial
from unbraid.model._branch import Branch
from unbraid.model._branch_fit import fit_branch
from unbraid.model._curves import Nonparametric
from unbraid.sampling import uniform

Z = np.random.default_rng(0).uniform(-2, 3, 400)


@pytest.fixture(scope="module")
def samples():
    points = np.random.default_rng(3).uniform(-1, 1, (300, 3))
    return unbraid.sample(
        lambda p: np.stack([np.tanh(2 * p[:, 0] + 2 * p[:, 1]), p[:, 2] ** 2], 1), points
    )


@pytest.fixture(scope="module")
def two(samples):
    """A saturating branch of the first two inputs, a quadratic one of the third."""
    return unbraid.decouple(samples, n_branches=2, n_starts=2, random_state=0)


def test_shares_add_up_per_output(two):
    text = two.describe(names=["a", "b", "c"], outputs=["u", "v"])
    assert sum(branch.share for branch in text.branches) == pytest.approx(1.0, abs=1e-9)
    for branch in text.branches:
        assert max(branch.share_by_output) == pytest.approx(1.0, abs=1e-3)
    by_name = {branch.shape.name: branch for branch in text.branches}
    assert by_name["quadratic"].inputs[0][0] == "c"
    assert sorted(by_name["saturating"].direction.split(" + ")) == ["0.71 a", "0.71 b"]


@pytest.mark.slow
def test_two_runs_print_the_same(two, samples):
    again = unbraid.decouple(samples, n_branches=2, n_starts=2, random_state=1)
    assert str(again.describe()) == str(two.describe())


def test_shares_at_given_points(two, samples):
    still = np.column_stack([samples.points[:, :2], np.zeros(300)])
    shares = {branch.index: branch.share for branch in two.describe(still).branches}
    squared = int(np.argmax(np.abs(two.V[2])))
    assert shares[squared] == pytest.approx(0.0, abs=1e-9)
    assert shares[1 - squared] == pytest.approx(1.0)
    with pytest.raises(InvalidSamplesError, match="2 columns"):
        two.describe(still[:, :2])


def test_latex_escapes_names(two):
    text = two.describe(names=["50%_of", "x_1", "p3"]).latex
    assert r"\text{50\%\_of}" in text
    assert "p_{3}" in text
    assert text.count("\\begin{aligned}") == text.count("\\end{aligned}") == 1


@pytest.mark.parametrize("names", [["a"], "abc", ["a", "b", "c", "d"]])
def test_rejects_names_that_do_not_fit(two, names):
    with pytest.raises(InvalidOptionError, match="names is"):
        two.describe(names=names)
    with pytest.raises(InvalidOptionError, match="names is"):
        two.plot(names=names)


def test_branches_without_an_estimate_need_points():
    branch = fit_branch(BSpline(5), Z, Z**2)
    bare = Branch(branch.curve)
    d = DecoupledFunction(np.eye(1), np.eye(1), (bare,), np.zeros(1))
    with pytest.raises(InvalidOptionError, match="points"):
        d.describe()
    assert d.describe(Z[:, None]).branches[0].shape.name == "quadratic"


def test_first_of_two_equal_entries_is_positive():
    points = np.random.default_rng(5).uniform(-1, 1, (60, 2))
    for seed in range(4):
        d = unbraid.decouple(
            lambda p: (p[:, :1] - p[:, 1:]) ** 3,
            points,
            n_branches=1,
            basis=unbraid.Polynomial(3),
            n_starts=1,
            random_state=seed,
        )
        assert d.V[0, 0] > 0


def test_inputs_are_ordered_by_their_effect(tmp_path):
    points = np.random.default_rng(6).uniform(-1, 1, (200, 3)) * [1000, 1, 1]
    d = unbraid.decouple(
        lambda p: np.tanh(p[:, :1] / 1000 + p[:, 1:2]),
        points,
        n_branches=1,
        basis=unbraid.Polynomial(7),
        n_starts=1,
        random_state=0,
    )
    assert d.describe().branches[0].direction == "0.001 p1 + p2"
    d.save(tmp_path / "d.json")
    assert str(unbraid.load(tmp_path / "d.json").describe()) == str(d.describe())
    assert d.describe(points).branches[0].direction == "0.001 p1 + p2"
    with pytest.raises(InvalidSamplesError, match="2 points"):
        d.describe(points[:2])


def test_explains_shares_outside_0_to_100_percent():
    z = np.linspace(-1, 1, 101)
    near = fit_branch(unbraid.Polynomial(1), z, 10 * z, estimate=10 * z)
    against = fit_branch(unbraid.Polynomial(1), z, -9 * z, estimate=-9 * z)
    d = DecoupledFunction(np.ones((1, 2)), np.ones((1, 2)), (near, against), np.zeros(1))
    found = d.describe()
    assert found.cancelling
    assert [branch.share for branch in found.branches] == pytest.approx([10, -9])
    assert "large parts of these cancel" in found.words


def test_names_constant_outputs():
    points = unbraid.sampling.uniform(80, [-1, -1], [1, 1], random_state=0)
    f = lambda p: np.column_stack([np.tanh(3 * p[:, 0]), np.full(len(p), 2.0)])  # noqa: E731
    d = unbraid.decouple(f, points, n_branches=1, random_state=0)
    words = d.describe(outputs=["force", "rest"]).words
    assert words.startswith("force is a constant plus 1 term: ")
    assert words.endswith("; rest is constant")
    assert not d.describe().cancelling


Z = np.linspace(-1, 1, 41)


def test_shares_of_constant_outputs_are_nan():
    told = sum_of_branches(polynomial_branch(0.0, 0.0)).describe(P)
    assert [branch.share for branch in told.branches] == [0.0]


def test_names_a_curve_without_a_simple_shape():
    wild = Nonparametric(Z, np.random.default_rng(0).standard_normal(Z.size), np.zeros(Z.size))
    told = str(sum_of_branches(Branch(wild)).describe(np.stack([Z, Z], axis=1)))
    assert "a curve of no simple shape along" in told


def test_describes_at_identical_points(smooth):
    assert "z from" in str(smooth.describe(np.full((60, 2), 1e99)))


def test_rejects_names_passed_as_points(smooth):
    with pytest.raises(InvalidOptionError, match="names="):
        smooth.describe(["left", "right"], ["f", "g"])


def test_names_inputs_with_a_small_weight():
    def f(p):
        return np.tanh(p[:, 0] + 0.01 * p[:, 1] + 1e-9 * p[:, 2])

    points = uniform(200, [-1] * 3, [1] * 3, random_state=0)
    d = unbraid.decouple(f, points, n_branches=1, basis=Polynomial(5), n_starts=1, random_state=0)
    d = d.named(["y", "u", "w"])
    assert d.describe().branches[0].direction == "y and, faintly, u"
