"""Branches in words: shapes, shares, names, LaTeX."""

import numpy as np
import pytest

import unbraid
from unbraid import BSpline, DecoupledFunction, InvalidOption, InvalidSamples
from unbraid.model._branch import Branch, fit_branch
from unbraid.model._shapes import nearest_shape

Z = np.random.default_rng(0).uniform(-2, 3, 400)
SHAPES = {
    "linear": lambda z: 3 * z + 1,
    "quadratic": lambda z: z**2 - z,
    "cubic": lambda z: z**3 - 2 * z,
    "exponential": lambda z: 2 * np.exp(-1.5 * z) + 1,
    "saturating": lambda z: 3 * np.tanh(2 * (z - 0.5)) + 1,
    "a bump": lambda z: np.exp(-2 * z**2),
    "a kink": lambda z: np.abs(z - 0.2),
    "periodic": lambda z: np.sin(4 * z + 1),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_shapes_are_recognised_in_any_units(name, scale):
    shape = nearest_shape(Z * scale, 10 * SHAPES[name](Z) * scale)
    assert shape.name == shape.words == name
    assert shape.r2 > 0.9999


@pytest.mark.parametrize("name", SHAPES)
def test_the_formula_is_the_curve(name):
    sympy = pytest.importorskip("sympy")
    from sympy.parsing import sympy_parser as parser

    g = SHAPES[name](Z)
    text = nearest_shape(Z, g).formula.replace("^", "**")
    rules = (*parser.standard_transformations, parser.implicit_multiplication)
    formula = parser.parse_expr(text, {"max": sympy.Max}, transformations=rules)
    value = sympy.lambdify("z", formula, "numpy")(Z)
    np.testing.assert_allclose(value, g, atol=0.03 * np.ptp(g))


def test_noise_has_no_simple_shape():
    shape = nearest_shape(Z, np.random.default_rng(1).normal(size=Z.size))
    assert shape.words == "no simple shape"


def test_something_near_is_called_so():
    noise = np.random.default_rng(2).normal(size=Z.size)
    assert nearest_shape(Z, Z + 0.3 * noise).words.startswith("roughly")


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_a_constant_is_linear(value):
    assert nearest_shape(Z, np.full(Z.size, value)).formula == f"{value:g}"


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


def test_shares_add_up_and_belong_to_their_outputs(two):
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


def test_shares_at_points_of_the_user_s(two, samples):
    still = np.column_stack([samples.points[:, :2], np.zeros(300)])
    shares = {branch.index: branch.share for branch in two.describe(still).branches}
    squared = int(np.argmax(np.abs(two.V[2])))
    assert shares[squared] == pytest.approx(0.0, abs=1e-9)
    assert shares[1 - squared] == pytest.approx(1.0)
    with pytest.raises(InvalidSamples, match="2 columns"):
        two.describe(still[:, :2])


def test_latex_escapes_names(two):
    text = two.describe(names=["50%_of", "x_1", "p3"]).latex
    assert r"\text{50\%\_of}" in text
    assert "p_{3}" in text
    assert text.count("\\begin{aligned}") == text.count("\\end{aligned}") == 1


@pytest.mark.parametrize("names", [["a"], "abc", ["a", "b", "c", "d"]])
def test_names_that_do_not_fit_are_refused(two, names):
    with pytest.raises(InvalidOption, match="names is"):
        two.describe(names=names)
    with pytest.raises(InvalidOption, match="names is"):
        two.plot(names=names)


def test_branches_without_points_need_some():
    branch = fit_branch(BSpline(5), Z, Z**2)
    bare = Branch(branch.curve)
    d = DecoupledFunction(np.eye(1), np.eye(1), (bare,), np.zeros(1))
    with pytest.raises(InvalidOption, match="points"):
        d.describe()
    assert d.describe(Z[:, None]).branches[0].shape.name == "quadratic"


def test_a_pair_of_equal_entries_has_a_positive_first_one():
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


def test_an_input_counts_by_what_it_moves(tmp_path):
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
    with pytest.raises(InvalidSamples, match="2 points"):
        d.describe(points[:2])


def test_shares_that_leave_their_range_are_explained():
    z = np.linspace(-1, 1, 101)
    near = fit_branch(unbraid.Polynomial(1), z, 10 * z, estimate=10 * z)
    against = fit_branch(unbraid.Polynomial(1), z, -9 * z, estimate=-9 * z)
    d = DecoupledFunction(np.ones((1, 2)), np.ones((1, 2)), (near, against), np.zeros(1))
    found = d.describe()
    assert found.cancelling
    assert [branch.share for branch in found.branches] == pytest.approx([10, -9])
    assert "large parts of these cancel" in found.words


def test_outputs_that_stand_still_are_said_to():
    points = unbraid.sampling.uniform(80, [-1, -1], [1, 1], random_state=0)
    f = lambda p: np.column_stack([np.tanh(3 * p[:, 0]), np.full(len(p), 2.0)])  # noqa: E731
    d = unbraid.decouple(f, points, n_branches=1, random_state=0)
    words = d.describe(outputs=["force", "rest"]).words
    assert words.startswith("force is a constant plus 1 term: ")
    assert words.endswith("; rest is constant")
    assert not d.describe().cancelling


def test_names_go_with_the_function(samples, tmp_path):
    cubic = unbraid.Polynomial(3)
    d = unbraid.decouple(samples, n_branches=1, basis=cubic, n_starts=1, random_state=0)
    named = d.named([f"in{k}" for k in range(d.n_inputs)])
    assert d.input_names is None
    assert "in0" in named.describe().words
    kept = unbraid.load(named.save(tmp_path / "named.json"))
    assert kept.input_names == named.input_names
    assert kept.output_names is None
    assert unbraid.refine(named, samples).input_names == named.input_names
    with pytest.raises(InvalidOption, match="different names"):
        d.named(["a"] * d.n_inputs)
    broken = (tmp_path / "named.json").read_text().replace('"in0"', '"in1"', 1)
    (tmp_path / "broken.json").write_text(broken)
    with pytest.raises(unbraid.InvalidFile, match="changed"):
        unbraid.load(tmp_path / "broken.json")
    lines = [line for line in broken.splitlines() if '"checksum"' not in line]
    (tmp_path / "broken.json").write_text("\n".join(lines))
    with pytest.raises(unbraid.InvalidFile, match="damaged"):
        unbraid.load(tmp_path / "broken.json")


def test_columns_of_a_table_are_names():
    pandas = pytest.importorskip("pandas")
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    table = pandas.DataFrame(points, columns=["speed", "load"])
    f = lambda p: np.asarray(p)[:, 0] ** 3  # noqa: E731
    d = unbraid.decouple(f, table, 1, basis=unbraid.Polynomial(3), n_starts=1, random_state=0)
    assert d.input_names == ("speed", "load")
