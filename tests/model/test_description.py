"""Descriptions: shares, labels, words, and what they say of bad data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from branch_examples import polynomial_branch, sum_of_branches
from unbraid import DecoupledFunction, InvalidOptionError, InvalidSamplesError, Polynomial
from unbraid.model._branch import Branch
from unbraid.model._branch_fit import fit_branch
from unbraid.model._curves import Nonparametric
from unbraid.sampling import uniform

POINTS = uniform(400, [-2, -2, -2], [2, 2, 2], random_state=0)
NAMES = ["speed", "load", "angle"]
SQUARE = polynomial_branch(0.0, 1.0, extrapolate="basis")


def two_terms(p):
    return np.stack([np.tanh(p[:, 0] + 0.5 * p[:, 1]) + 0.3 * p[:, 2] ** 2, p[:, 1]], axis=1)


@pytest.fixture(scope="module")
def two():
    """A ridge and a parabola in the first output, a line in the second."""
    d = unbraid.decouple(two_terms, POINTS, n_branches=3, n_starts=4, random_state=0)
    return d.named(NAMES, ["force", "heat"])


@pytest.fixture(scope="module")
def found(two):
    return two.describe()


def total_share(found, output):
    directions = sum(direction.shares[output] for direction in found.directions)
    return directions + found.linear_shares[output] + found.remainder[output]


def test_form_is_the_function(two, found):
    np.testing.assert_allclose(found.form(POINTS), two(POINTS), atol=1e-10)
    assert found.offset.shape == (2,)
    assert found.linear.shape == (2, 3)
    assert found.linear[1].round(4).tolist() == [0, 1, 0]


def test_shares_are_those_of_the_terms(found):
    ridge, parabola = found.directions[:2]
    parts = [np.tanh(POINTS[:, 0] + 0.5 * POINTS[:, 1]), 0.3 * POINTS[:, 2] ** 2]
    share = np.var(parts[0]) / (np.var(parts[0]) + np.var(parts[1]))
    assert ridge.shares["force"] == pytest.approx(share, abs=0.03)
    assert parabola.shares["force"] == pytest.approx(1 - share, abs=0.03)
    assert ridge.labels["force"] == "saturating"
    assert ridge.labels["force"].r2 > 0.999
    assert "tanh" in ridge.labels["force"].formula
    assert list(ridge.weights)[:2] == ["speed", "load"]
    assert parabola.weights["angle"] == pytest.approx(1)


@pytest.mark.parametrize("output", ["force", "heat"])
def test_shares_add_up(found, output):
    assert total_share(found, output) == pytest.approx(1)
    assert all(0 <= direction.shares[output] <= 1 for direction in found.directions)


def test_curves_are_kept_where_they_matter(found):
    assert "heat" not in found.directions[0].curves
    z = np.linspace(-1, 1, 5)
    assert found.directions[0].curves["force"](z).shape == (5,)
    assert found.directions[0].curves["force"].derivative(z).shape == (5,)


def test_one_sentence_per_output_with_few_terms(found):
    first, second = found.words.splitlines()
    assert first.startswith("force is ")
    assert "a saturating function of 0.9" in first
    assert "a quadratic function of angle" in first
    assert second == "heat is a linear function of load (100 %)."
    assert "faintly" not in str(found)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_other_units_give_the_same_words(two, found, factor):
    scale = np.array([factor, 1 / factor, factor])
    other = replace(
        two,
        V=two.V / scale[:, None],
        W=two.W * [[factor], [1 / factor]],
        offset=two.offset * [factor, 1 / factor],
    ).describe(two.points * scale)
    assert other.words == found.words
    assert other.notes == found.notes
    for one, same in zip(other.directions, found.directions, strict=True):
        assert list(one.weights) == list(same.weights)
        np.testing.assert_allclose(list(one.weights.values()), list(same.weights.values()), 1e-6)
        assert one.shares == pytest.approx(same.shares, abs=1e-6)


def test_error_is_the_remainder(two):
    found = replace(two, held_out_error=np.array([20.0, 0.0])).describe()
    assert found.remainder == pytest.approx({"force": 0.04, "heat": 0.0})
    assert total_share(found, "force") == pytest.approx(1)
    assert "; 4 % unexplained." in found.words
    hopeless = replace(two, held_out_error=np.array([300.0, np.nan])).describe()
    assert hopeless.remainder == {"force": 1.0, "heat": 0.0}


def test_poor_functions_are_announced_first(two):
    assert two.describe().caveat == ""
    rough = replace(two, held_out_error=np.array([15.0, 15.0])).describe()
    assert "care" in str(rough).splitlines()[0]
    poor = replace(two, held_out_error=np.array([60.0, 60.0])).describe()
    assert "must not be read" in str(poor).splitlines()[0]
    assert "must not be read" in poor._repr_html_()


def test_files_keep_the_description(two, found, tmp_path):
    again = unbraid.load(two.save(tmp_path / "d.json"))
    assert str(again.describe()) == str(found)


@pytest.mark.slow
def test_two_runs_print_the_same(two, found):
    again = unbraid.decouple(two_terms, POINTS, n_branches=3, n_starts=4, random_state=1)
    assert again.named(NAMES, ["force", "heat"]).describe().words == found.words


def test_product_is_recognised():
    d = sum_of_branches(SQUARE, SQUARE)
    d = replace(d, W=np.array([[1.0, -1.0]]), V=np.array([[0.6, 0.6], [0.8, -0.8]]))
    found = d.describe(POINTS[:, :2], names=["payload", "angle"], outputs=["force"])
    (block,) = found.interactions
    assert block.labels == {"force": "product of payload and angle"}
    assert block.shares["force"] == pytest.approx(1)
    assert found.words == "force is the product of payload and angle (100 %)."
    assert block.directions == (0, 1)


def test_constant_outputs_have_no_shares():
    square = polynomial_branch(0.0, 1.0)
    d = DecoupledFunction(np.array([[1.0], [0.0]]), np.eye(2)[:, :1], (square,), [0.0, 2.0])
    found = d.describe(POINTS[:, :2], outputs=["force", "rest"])
    assert list(found.remainder) == ["force"]
    assert "rest" not in found.directions[0].shares
    assert found.words.endswith("rest is constant.")
    nothing = sum_of_branches(polynomial_branch(0.0, 0.0)).describe(POINTS[:, :2])
    assert nothing.words == "f is constant."
    assert nothing.directions == ()


def test_identical_points_say_nothing(smooth):
    found = smooth.describe(np.full((60, 2), 1e99))
    assert found.directions == ()
    assert "constant" in str(found)


def test_constant_and_repeated_inputs_are_noted():
    d = sum_of_branches(SQUARE, SQUARE)
    x = np.linspace(-1, 1, 40)
    still = d.describe(np.column_stack([x, np.full(40, 0.3)]), names=["a", "b"])
    assert "b" in still.notes[0]
    assert list(still.directions[0].weights) == ["a"]
    twice = d.describe(np.column_stack([x, x]), names=["a", "b"])
    assert "correlated" in twice.notes[0]
    assert total_share(twice, "f") == pytest.approx(1)


def test_few_points(two):
    with pytest.raises(InvalidSamplesError, match="2 points"):
        two.describe(POINTS[:2])
    found = two.describe(POINTS[:6])
    assert total_share(found, "force") == pytest.approx(1)
    assert replace(two, points=POINTS[:1]).describe().words.count("is constant") == 2


def test_functions_without_points_need_some():
    branch = fit_branch(Polynomial(2), POINTS[:, 0], POINTS[:, 0] ** 2)
    d = DecoupledFunction(np.eye(1), np.eye(1), (Branch(branch.curve),), np.zeros(1))
    with pytest.raises(InvalidOptionError, match="points"):
        d.describe()
    assert d.describe(POINTS[:, :1]).directions[0].labels["f"] == "quadratic"


def test_points_outside_the_branches_are_left_out():
    d = sum_of_branches(polynomial_branch(0.0, 1.0, extrapolate="nan"))
    assert d.describe(POINTS[:, :2]).directions[0].z.size < len(POINTS)
    with pytest.raises(InvalidSamplesError, match="inside the range"):
        d.describe(POINTS[:, :2] + 100)


@pytest.mark.parametrize("names", [["a"], "abc", ["a", "b", "b"], ["a", "b", "c", "d"]])
def test_rejects_names_that_do_not_fit(two, names):
    with pytest.raises(InvalidOptionError, match="names is"):
        two.describe(names=names)
    with pytest.raises(InvalidOptionError, match="names is"):
        two.plot(names=names)


def test_rejects_points_that_do_not_fit(two):
    with pytest.raises(InvalidSamplesError, match="2 columns"):
        two.describe(POINTS[:, :2])
    with pytest.raises(InvalidOptionError, match="names="):
        two.describe(["left", "right"], ["f", "g"])


def test_curve_without_a_simple_shape_has_no_formula():
    z = np.linspace(-1, 1, 41)
    wild = Nonparametric(z, np.random.default_rng(0).standard_normal(z.size), np.zeros(z.size))
    d = sum_of_branches(Branch(wild))
    found = d.describe(np.random.default_rng(1).uniform(-1, 1, (300, 2)))
    assert found.directions[0].labels["f"] == "curve"
    assert found.directions[0].labels["f"].formula is None
    assert "a nonlinear function of p1" in found.words


def test_many_terms_leave_three_in_the_sentence():
    r = 14
    points = np.random.default_rng(0).uniform(-1, 1, (500, r))
    d = DecoupledFunction(
        np.linspace(1, 2, r)[None], np.eye(r), (SQUARE,) * r, np.zeros(1), points=points
    )
    found = d.describe()
    assert found.words.count("quadratic") <= 3
    assert "in smaller terms" in found.words
    assert total_share(found, "f") == pytest.approx(1)
    assert len(found.directions) == r
    assert [d.largest_share for d in found.directions] == sorted(
        (d.largest_share for d in found.directions), reverse=True
    )


def test_latex_and_html_escape_names(two):
    found = two.describe(names=["50%_of", "x_1", "<b>"])
    text = found.to_latex()
    assert r"\text{50\%\_of}" in text
    assert text.count("\\begin{aligned}") == text.count("\\end{aligned}") == 1
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<table>" in found._repr_html_()


def test_latex_has_the_constant_of_the_function():
    """Constant, linear term and formula add up to the function."""
    x = POINTS[:, :2] + [3.0, 5.0]
    square = fit_branch(Polynomial(2), x[:, 0], x[:, 0] ** 2)
    line = fit_branch(Polynomial(1), x[:, 1], 2 * x[:, 1])
    d = DecoupledFunction(np.ones((1, 2)), np.eye(2), (square, line), np.zeros(1), points=x)
    text = d.describe().to_latex()
    assert r"+ 2\, p_{2}" in text
    assert "z_{1}" in text
