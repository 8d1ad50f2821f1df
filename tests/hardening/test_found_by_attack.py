"""What hostile testers found: answers that looked better than they were, and words that misled."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import unbraid
from unbraid import RBF, BSpline, Fourier, InvalidFile, InvalidOption, Polynomial, SamplingError
from unbraid.data._splitting import split
from unbraid.model._error_summary import missed
from unbraid.sampling import uniform

CUBE = uniform(200, [-1] * 4, [1] * 4, random_state=1)
PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def product(p):
    return np.prod(p, axis=1)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.fixture(scope="module")
def smooth():
    """A small function of two branches; how good it is does not matter."""
    return unbraid.decouple(
        bent, PLANE, n_branches=2, basis=Polynomial(5), n_starts=2, random_state=0
    )


def two_waves(p):
    left = np.tanh(2 * p[:, 0] + p[:, 1]) + 0.5 * (p[:, 1] - p[:, 2]) ** 2
    return np.stack([left, np.sin(p.sum(axis=1))], axis=1)


# Errors on points held out -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("shaken", [0.0, 1e-6])
def test_copies_of_a_point_are_held_out_together(shaken):
    rng = np.random.default_rng(3)
    places = np.repeat(np.arange(30), 5)
    points = uniform(30, [-1] * 4, [1] * 4, random_state=0)[places]
    points = points + shaken * rng.standard_normal(points.shape)
    fitted, held = split(unbraid.sample(product, points), 0.2)
    assert len(fitted) + len(held) == 150
    away = np.linalg.norm(held.points[:, None] - fitted.points[None], axis=2)
    assert np.mean(away.min(axis=1) < 1e-3) < 0.1
    how = {"n_branches": 4, "basis": Polynomial(3), "n_starts": 1, "random_state": 0}
    d = unbraid.decouple(product, points, **how)
    assert d.fitted_error[0] < 20  # as a copy held out alone would have looked
    assert d.held_out_error[0] > 40
    assert d.solution.diagnosis.startswith("poor")


def test_few_places_are_not_many_points():
    points = np.repeat(uniform(12, [-1] * 4, [1] * 4, random_state=0), 20, axis=0)
    how = {"n_branches": 2, "basis": Polynomial(3), "n_starts": 2, "random_state": 0}
    d = unbraid.decouple(product, points, **how)
    assert d.held_out_error is None
    assert "no points were held out" in d.solution.diagnosis
    plenty = unbraid.decouple(product, CUBE, **how)
    assert "no points were held out" not in plenty.solution.diagnosis


def test_the_points_held_out_are_the_same_in_any_order_and_unit():
    samples = unbraid.sample(bent, PLANE)
    _, held = split(samples, 0.2)
    turned = unbraid.sample(lambda p: bent(p / 1e6), 1e6 * PLANE[::-1])
    _, again = split(turned, 0.2)
    np.testing.assert_allclose(again.points / 1e6, held.points, rtol=1e-12)


def test_one_hopeless_output_among_many_is_said():
    def f(p):
        lines = [k * (p @ np.arange(1.0, 5)) for k in range(1, 16)]
        return np.column_stack([*lines, product(p)])

    d = unbraid.decouple(f, CUBE, n_branches=1, basis=Polynomial(3), n_starts=1, random_state=0)
    assert d.solution.diagnosis.startswith("poor, f16 is 100 % off")
    assert "at most 99.8 %" in repr(d)
    assert "misses f16 by 100 % of its spread" in str(d.describe())


def test_outputs_that_never_vary_do_not_make_an_error_small(tmp_path):
    def f(p):
        return np.column_stack([*(np.full(len(p), k) for k in range(12)), product(p)])

    d = unbraid.decouple(f, CUBE, n_branches=1, basis=Polynomial(3), n_starts=1, random_state=0)
    assert d.held_out_error[-1] > 50
    assert d.solution.diagnosis.startswith("poor, ")
    page = unbraid.report(d, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "This is a poor approximation" in page


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cpd", "implicit", "explicit"])
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning", "ignore::unbraid.FitWarning")
def test_the_papers_methods_say_that_they_are_poor(method):
    how = {"n_starts": 1, "max_iterations": 10, "held_out": 0.2, "random_state": 0}
    d = unbraid.decouple(product, CUBE[:100], n_branches=2, method=method, **how)
    assert d.solution.diagnosis.startswith("poor, ")


def test_what_is_missed():
    assert missed(np.array([1.0, 2.0])) is None
    assert missed(np.array([0.0, np.inf])) == ("the outputs", np.inf)
    assert missed(np.array([1.0, 40.0, 1.0, 1.0, 1.0, 1.0, 1.0])) == ("f2", 40.0)


# Kinks -------------------------------------------------------------------------------------------


def kinked(p):
    return np.sign(p[:, 0]) * np.maximum(np.abs(p[:, 0]) - 0.3, 0) + p[:, 1] ** 2


QUICK_AND_DEFAULT = [
    *((seed, {"basis": Polynomial(5), "n_starts": 1}) for seed in range(2)),
    *(pytest.param(seed, {}, marks=pytest.mark.slow) for seed in range(2, 4)),
]


@pytest.mark.parametrize(("seed", "options"), QUICK_AND_DEFAULT)
def test_a_dead_zone_is_said_to_have_a_kink(seed, options):
    points = uniform(300, [-1, -1], [1, 1], random_state=seed)
    with pytest.warns(unbraid.FitWarning, match="kinks"):
        unbraid.decouple(kinked, points, n_branches=2, random_state=0, **options)


@pytest.mark.parametrize(("seed", "options"), QUICK_AND_DEFAULT)
def test_what_is_steep_or_hard_is_not_called_kinked(seed, options):
    def steep(p):
        return np.logaddexp(0, 15 * (p[:, 0] - p[:, 1])) / 15 + p[:, 0] * p[:, 1] ** 2

    points = uniform(300, [-1, -1], [1, 1], random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error", unbraid.FitWarning)
        d = unbraid.decouple(steep, points, n_branches=2, random_state=0, **options)
    assert d.held_out_error[0] > 0.1  # it was not exact, so a kink was looked for


def test_points_of_a_grid_are_no_levels():
    axis = np.linspace(-1, 1, 30)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", unbraid.FitWarning)
        d = unbraid.decouple(
            product, grid, n_branches=1, basis=Polynomial(3), n_starts=1, random_state=0
        )
    assert d.held_out_error[0] > 10  # so that a kink was looked for


# Far from the origin -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "real", [lambda p: p, lambda p: p.real], ids=["complex step", "differences"]
)
@pytest.mark.parametrize("far", [0.0, 1e3, 1.7e9])
def test_slopes_over_an_input_far_from_zero(far, real):
    def f(p):
        return np.sin(3 * (real(p)[:, :1] - far)) + real(p)[:, 1:] ** 2

    points = PLANE + np.array([far, 0.0])
    slope = 3 * np.cos(3 * (points[:, 0] - far))
    samples = unbraid.sample(f, points)
    assert np.abs(samples.jacobians[:, 0, 0] - slope).max() < max(1e-8, 1e-4 * far / 1e9)


@pytest.mark.parametrize("basis", [Polynomial(5), Fourier(2), RBF(6), BSpline(6)])
@pytest.mark.parametrize("far", [10.0, 1e6])
def test_formulas_far_from_the_origin(basis, far):
    sympy = pytest.importorskip("sympy", reason="SymPy is an extra")
    d = unbraid.decouple(
        lambda p: bent(p - far), PLANE + far, n_branches=2, basis=basis, n_starts=1, random_state=0
    )
    f = sympy.lambdify(sympy.symbols("p1 p2"), unbraid.export.to_sympy(d), "numpy")
    found = np.array([f(*point) for point in PLANE[:20] + far])
    np.testing.assert_allclose(found, d(PLANE[:20] + far), atol=1e-14 * far)


@pytest.mark.parametrize("far", [1e4, 1e6])
def test_latex_far_from_the_origin_has_the_digits_that_it_needs(far):
    d = unbraid.decouple(
        lambda p: np.tanh(p[:, :1] - far),
        uniform(60, [far - 1], [far + 1], random_state=0),
        n_branches=1,
        basis=Polynomial(5),
        extrapolate="basis",
        random_state=0,
    )
    text = unbraid.export.to_latex(d)
    assert f"z_{{1}} - {far:.0f}" in text.replace(".0)", ")")
    assert "10^{" not in text.partition("g_{1}(z_{1}) &=")[2].replace("10^{-", "")


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [9, 12])
def test_units_further_apart_than_rounding(exponent):
    units = np.array([10.0**-exponent, 10.0**exponent, 1.0])
    points = uniform(100, [-1] * 3, [1] * 3, random_state=1)
    how = {"n_branches": 3, "basis": Polynomial(5), "n_starts": 1, "random_state": 0}
    plain = unbraid.decouple(two_waves, points, **how).held_out_error
    inputs = unbraid.decouple(lambda p: two_waves(p / units), points * units, **how)
    outputs = unbraid.decouple(lambda p: two_waves(p) * units[:2], points, **how)
    np.testing.assert_allclose(inputs.held_out_error, plain, rtol=1e-3)
    np.testing.assert_allclose(outputs.held_out_error, plain, rtol=1e-3)


# What f returns ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "off"), [("f4", 1e-3), (">f4", 1e-3), ("f2", 0.1)])
def test_the_steps_suit_the_precision_of_f(kind, off):
    samples = unbraid.sample(lambda p: bent(p).astype(kind), PLANE)
    assert np.abs(samples.jacobians - unbraid.sample(bent, PLANE).jacobians).max() < off
    assert samples.accuracy < off


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda p: bent(p).astype(object), "type object"),
        (lambda p: (p[:, 0], p[:, 1]), "(2, 150)"),
        (lambda p: bent(p) - p[:, :1].mean(), "other values"),
    ],
)
def test_why_f_maps_no_table_is_said(f, reason):
    with pytest.raises(SamplingError) as caught:
        unbraid.sample(f, PLANE)
    assert reason in str(caught.value)


# A user's settings and slips ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("basis", ["auto", Polynomial(9), unbraid.PiecewiseLinear(6), RBF(6)])
def test_a_user_who_lets_numpy_raise_everything(basis, tmp_path):
    with np.errstate(all="raise"):
        d = unbraid.decouple(bent, PLANE, n_branches=2, basis=basis, n_starts=1, random_state=0)
        d.describe()
        unbraid.report(d, tmp_path / "page.html")
        assert np.all(np.isfinite(d(5 * PLANE)))


def test_a_user_who_lets_numpy_raise_everything_has_a_regression():
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    with np.errstate(all="raise"):
        model = unbraid.DecoupledRegressor(
            n_branches=1, basis=Polynomial(3), n_folds=2, random_state=0
        )
        assert np.all(np.isfinite(model.fit(PLANE, bent(PLANE)[:, 0]).predict(PLANE)))


@pytest.mark.parametrize(
    "call",
    [
        lambda d: unbraid.load_scan(None),
        lambda d: unbraid.read_samples(3),
        lambda d: unbraid.scan(bent, PLANE, n_branches=1, store=5),
        lambda d: unbraid.export.to_c(d, 3),
        lambda d: unbraid.export.to_matlab(d, 5),
        lambda d: unbraid.export.to_onnx(d, []),
    ],
)
def test_what_is_no_path(smooth, call):
    for package in ("joblib", "onnx"):
        pytest.importorskip(package, reason="needed by one of these")
    with pytest.raises(InvalidFile, match="no path"):
        call(smooth)


@pytest.mark.parametrize("make", [lambda e: Polynomial(3, low=e), lambda e: Fourier(3, e, 1)])
def test_ends_of_a_basis_are_numbers(make):
    with pytest.raises(InvalidOption):
        make(np.zeros(2))


def test_points_that_are_all_the_same_are_described(smooth):
    assert "z from" in str(smooth.describe(np.full((60, 2), 1e99)))


def test_names_are_no_points(smooth):
    with pytest.raises(InvalidOption, match="names="):
        smooth.describe(["left", "right"], ["f", "g"])


def test_inputs_with_a_small_part_are_named():
    def f(p):
        return np.tanh(p[:, 0] + 0.01 * p[:, 1] + 1e-9 * p[:, 2])

    points = uniform(200, [-1] * 3, [1] * 3, random_state=0)
    d = unbraid.decouple(f, points, n_branches=1, basis=Polynomial(5), n_starts=1, random_state=0)
    d = d.named(["y", "u", "w"])
    assert d.describe().branches[0].direction == "y and, faintly, u"


# At the command line -----------------------------------------------------------------------------


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    pytest.importorskip("click", reason="the command line is an extra")
    from unbraid.cli import main

    monkeypatch.chdir(tmp_path)

    def run(line):
        code = main(line.split())
        return code, "".join(capsys.readouterr())

    return run


@pytest.mark.parametrize("columns", ["--u y --y y", "--u u,u --y y"])
def test_a_signal_is_named_once(said, tmp_path, columns):
    rows = "\n".join(f"{np.sin(t)},{np.cos(t)}" for t in range(50))
    (tmp_path / "record.csv").write_text(f"u,y\n{rows}\n", encoding="utf-8")
    code, text = said(f"narx record.csv {columns}")
    assert code == 2
    assert "twice" in text


@pytest.mark.parametrize("names", ["E,x", "x,pi", "beta,x"])
def test_names_that_sympy_has_taken(smooth, said, tmp_path, names):
    pytest.importorskip("sympy", reason="SymPy is an extra")
    smooth.save(tmp_path / "d.json")
    code, text = said(f"export d.json --to sympy --names {names}")
    assert code == 2
    assert "stand for" in text


def test_a_cross_validated_error_is_kept(said, tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (50, 2))
    y = np.tanh(X[:, 0] + X[:, 1]) + 0.05 * rng.standard_normal(50)
    rows = "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X, y, strict=True))
    (tmp_path / "data.csv").write_text(f"a,b,c\n{rows}\n", encoding="utf-8")
    code, text = said("decouple data.csv --target c -r 1 --basis poly:3 -o d.json")
    assert code == 0
    assert "cross-validated" in text
    assert unbraid.load("d.json").held_out_error[0] > unbraid.load("d.json").fitted_error[0]
    code, text = said("show d.json")
    assert "on points held out" in text
