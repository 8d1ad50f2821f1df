"""The regressor as a user and as scikit-learn see it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import unbraid
from unbraid import BSpline, ConvergenceWarning, FitWarning, InvalidOptionError, Polynomial
from unbraid.model._fit_record import FitRecord
from unbraid.solvers._status import Status

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from unbraid import DecoupledRegressor
from unbraid.regression._warnings import warn_if_unreliable

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (150, 3))
Y = np.sin(3 * X[:, 0] + X[:, 1]) + 0.3 * (X[:, 2] - X[:, 1]) ** 2
NOISY = Y + 0.1 * RNG.normal(size=150)
QUICK = {"n_branches": 2, "n_folds": 2, "basis": BSpline(8), "random_state": 0}


@pytest.mark.slow
@parametrize_with_checks([DecoupledRegressor(n_branches=1, n_folds=2)])
@pytest.mark.filterwarnings("ignore")
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def fitted():
    return DecoupledRegressor(random_state=0, max_branches=3, n_folds=2).fit(X, NOISY)


@pytest.fixture(scope="module")
def expected():
    return DecoupledRegressor(**QUICK).fit(X, NOISY).predict(X)


def test_finds_two_ridges_in_noise(fitted):
    assert fitted.n_branches_ == 2
    directions = np.array([[3, 1, 0], [0, -1, 1]]) / np.sqrt([[10], [2]])
    cosines = np.abs(directions @ fitted.V_).max(axis=1)
    assert np.all(cosines > 0.995)
    fresh = np.random.default_rng(1).uniform(-1, 1, (500, 3))
    truth = np.sin(3 * fresh[:, 0] + fresh[:, 1]) + 0.3 * (fresh[:, 2] - fresh[:, 1]) ** 2
    assert np.std(fitted.predict(fresh) - truth) < 0.06
    assert fitted.cv_errors_[2] < 0.6 * fitted.cv_errors_[1]


@pytest.mark.slow
def test_is_as_accurate_as_the_coupled_model():
    inputs, target = make_friedman1(300, noise=1.0, random_state=1)
    fresh, truth = make_friedman1(1000, noise=0.0, random_state=2)
    model = DecoupledRegressor(random_state=0, max_branches=5).fit(inputs, target)
    assert model.n_branches_ >= 4
    assert model.score(fresh, truth) > 0.97
    assert model.score(fresh, truth) > model.coupled_.score(fresh, truth) - 0.005
    assert model.decoupled_.n_parameters < 130


def test_attributes_are_those_of_the_function(fitted):
    d = fitted.decoupled_
    assert fitted.W_ is d.W
    assert fitted.V_ is d.V
    assert fitted.branches_ == d.branches
    np.testing.assert_array_equal(fitted.transform(X), X @ fitted.V_)
    np.testing.assert_array_equal(fitted.predict(X), d(X)[:, 0])
    assert isinstance(fitted.coupled_, GaussianProcessRegressor)
    names = fitted.get_feature_names_out().tolist()
    assert names == ["decoupledregressor0", "decoupledregressor1"]


def test_plots_and_describes(fitted, tmp_path):
    fitted.plot(tmp_path / "branches.png")
    assert (tmp_path / "branches.png").stat().st_size > 10_000
    text = str(fitted.describe())
    assert "quadratic" in text
    assert "the error is that of the noise" in text
    assert "Read this with care" not in text


def test_says_that_one_branch_is_worse_than_the_noise():
    model = DecoupledRegressor(**QUICK | {"n_branches": 1}).fit(X, NOISY)
    assert "is above the noise" in str(model.describe())
    assert model.noise_ < 0.5 * np.std(NOISY - model.predict(X))


def test_predicts_standard_errors_and_has_bands(fitted):
    values, errors = fitted.predict(X, return_std=True)
    np.testing.assert_array_equal(values, fitted.predict(X))
    assert errors.shape == (150,)
    assert np.mean(np.abs(values - Y) <= 2 * errors) > 0.85
    assert fitted.noise_ == pytest.approx(0.1, rel=0.2)
    assert fitted.predict(5 * X, return_std=True)[1].mean() > 5 * errors.mean()
    assert all(branch.band is not None for branch in fitted.branches_)


@pytest.mark.slow
def test_bands_contain_the_truth_in_95_of_100_rows():
    shares = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        inputs = rng.uniform(-1, 1, (250, 3))
        truth = np.tanh(3 * inputs[:, 0] + inputs[:, 1]) + 0.5 * inputs[:, 2] ** 2
        model = DecoupledRegressor(max_branches=3, n_folds=3, random_state=seed)
        model.fit(inputs, truth + 0.2 * rng.normal(size=250))
        values, errors = model.predict(inputs, return_std=True)
        shares.append(np.mean(np.abs(values - truth) <= 1.96 * errors))
    assert 0.91 <= np.mean(shares) <= 0.985


@pytest.mark.filterwarnings("ignore:.* rows are few")
def test_too_many_outputs_have_no_standard_errors(monkeypatch):
    monkeypatch.setattr("unbraid.regression._posterior.MAX_POSTERIOR_PARAMETERS", 2)
    model = DecoupledRegressor().fit(X[:8], NOISY[:8])
    assert model.noise_ < 1
    with pytest.raises(InvalidOptionError, match="too many for standard errors"):
        model.predict(X, return_std=True)


@pytest.mark.filterwarnings("ignore:8 rows are few")
def test_uses_names_of_columns():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X[:60], columns=["speed", "load", "angle"])
    model = DecoupledRegressor(**{**QUICK, "n_branches": 1}).fit(table, NOISY[:60])
    assert "speed" in model.describe(["force"]).words
    assert model.describe(["force"]).sentences[0].startswith("force is")
    series = DecoupledRegressor(**QUICK).fit(X[:8], pandas.Series(Y[:8], name="force"))
    assert series.decoupled_.output_names == ("force",)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["load", "speed", "angle"]])


@pytest.mark.slow
def test_result_depends_on_the_seed_and_not_on_the_order_of_rows(expected):
    again = DecoupledRegressor(**QUICK).fit(X, NOISY)
    np.testing.assert_array_equal(expected, again.predict(X))
    order = np.random.default_rng(3).permutation(len(X))
    shuffled = DecoupledRegressor(**QUICK).fit(X[order], NOISY[order])
    np.testing.assert_array_equal(expected, shuffled.predict(X))


@pytest.mark.slow
def test_weights_are_equivalent_to_repetitions():
    counts = np.random.default_rng(4).integers(0, 3, len(X))
    weighted = DecoupledRegressor(**QUICK).fit(X, NOISY, sample_weight=counts)
    repeated = DecoupledRegressor(**QUICK).fit(np.repeat(X, counts, 0), np.repeat(NOISY, counts))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


@pytest.mark.slow
def test_rows_of_small_weight_hardly_count():
    bent = np.where(X[:, 2] > 0, NOISY, NOISY + 5)
    weights = np.where(X[:, 2] > 0, 1.0, 1e-6)
    model = DecoupledRegressor(**QUICK).fit(X, bent, sample_weight=weights)
    upper = X[:, 2] > 0
    assert np.std((model.predict(X) - Y)[upper]) < 0.1


@pytest.mark.slow
def test_fits_several_outputs():
    both = np.column_stack([Y, 100 * np.sin(3 * X[:, 0] + X[:, 1])])
    model = DecoupledRegressor(**QUICK).fit(X, both)
    assert model.predict(X).shape == (150, 2)
    assert model.predict(X, return_std=True)[1].shape == (150, 2)
    assert model.noise_.shape == (2,)
    assert model.score(X, both) > 0.999
    assert model.W_.shape == (2, 2)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_units_do_not_matter(factor, expected):
    scale = np.array([1.0, factor, 1.0])
    scaled = DecoupledRegressor(**QUICK).fit(X * scale, NOISY * factor).predict(X * scale)
    np.testing.assert_allclose(scaled / factor, expected, atol=1e-3)


def test_clones_and_pickles_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), DecoupledRegressor(**{**QUICK, "n_branches": 1}))
    fitted = clone(pipeline).fit(X[:60], NOISY[:60])
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert again[-1].get_params()["n_folds"] == QUICK["n_folds"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.* rows are few")
def test_works_in_searches_and_cross_validation():
    inputs, target = X[:80], NOISY[:80]
    pipeline = make_pipeline(StandardScaler(), DecoupledRegressor(**QUICK))
    grid = {"decoupledregressor__n_branches": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(inputs, target)
    assert search.best_params_["decoupledregressor__n_branches"] == 2
    assert np.mean(cross_val_score(clone(search.best_estimator_), inputs, target, cv=2)) > 0.9
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_accepts_an_estimator():
    cubic = make_pipeline(StandardScaler(), PolynomialFeatures(3), Ridge(0.01))
    model = DecoupledRegressor(estimator=cubic, **{**QUICK, "basis": Polynomial(3)}).fit(X, Y)
    assert model.coupled_ is not cubic
    assert model.score(X, Y) > 0.97  # a cubic can do no better
    with pytest.raises(InvalidOptionError, match="sample_weight"):
        DecoupledRegressor(estimator=GaussianProcessRegressor(), **QUICK).fit(X, Y, Y**2)


def test_few_rows_give_a_linear_function():
    model = DecoupledRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    np.testing.assert_allclose(model.predict([[5.0]]), [11.0])
    assert "linear function" in model.describe().words


@pytest.mark.parametrize(
    ("inputs", "target", "expected"),
    [(X, np.full(150, 3.0), 3.0), (np.ones((20, 2)), np.arange(20.0), 9.5)],
)
def test_constant_data_give_a_constant(inputs, target, expected):
    model = DecoupledRegressor().fit(inputs, target)
    np.testing.assert_allclose(model.predict(inputs), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{"n_branches": 0}, {"n_branches": 1.5}, {"basis": "spline"}, {"n_folds": 1}],
)
def test_rejects_bad_options(options):
    with pytest.raises(InvalidOptionError):
        DecoupledRegressor(**options).fit(X, Y)


def test_rejects_weights_that_are_all_zero():
    with pytest.raises(ValueError, match=r"zero|weight 0"):
        DecoupledRegressor(**QUICK).fit(X, Y, np.zeros(150))


def test_import_of_unbraid_imports_no_optional_package():
    import subprocess
    import sys

    code = "import unbraid, sys; print({'sklearn', 'torch', 'jax', 'onnx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    assert "DecoupledRegressor" in unbraid.__all__
    assert isinstance(unbraid.DecoupledRegressor(basis=BSpline(8)), DecoupledRegressor)


@pytest.mark.slow
def test_noise_gives_a_constant():
    flat = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        inputs, target = rng.normal(size=(60, 5)), rng.normal(size=60)
        model = DecoupledRegressor(random_state=0, max_branches=1).fit(inputs, target)
        flat += np.ptp(model.predict(inputs)) < 1e-9
    assert flat >= 7


def test_rejects_an_estimator_without_fit():
    with pytest.raises(InvalidOptionError, match="estimator is 'rf'"):
        DecoupledRegressor(estimator="rf").fit(X, Y)


@pytest.mark.slow
def test_branches_do_not_cancel():
    inputs, target = make_friedman1(200, noise=1.0, random_state=3)
    model = DecoupledRegressor(n_branches=5, n_folds=2, random_state=0).fit(inputs, target)
    z = model.transform(inputs)
    sizes = [np.var(g(column)) for g, column in zip(model.branches_, z.T, strict=True)]
    assert sum(sizes) < 3 * np.var(model.predict(inputs))


@pytest.mark.slow
def test_shows_progress_on_request(capsys):
    inputs, target, one = X[:60], NOISY[:60], {**QUICK, "n_branches": 1}
    DecoupledRegressor(**one, progress=True).fit(inputs, target)
    shown = capsys.readouterr().err
    assert "Fitting: coupled model, 0 s" in shown
    with pytest.raises(InvalidOptionError, match="progress is 'yes'"):
        DecoupledRegressor(**one, progress="yes").fit(inputs, target)
    DecoupledRegressor(**one).fit(inputs, target)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("seed", range(3))
def test_too_few_rows_are_said_first(seed):
    rng = np.random.default_rng(seed)
    few = rng.uniform(-1.5, 1.5, (5, 5))
    y = np.tanh(1.5 * few[:, 0] + few[:, 1]) + 0.3 * few[:, 2] ** 2
    with pytest.warns(FitWarning, match="5 rows are few for this function"):
        model = DecoupledRegressor(random_state=0).fit(few, y)
    found = model.describe()
    assert found.words.startswith("This description must not be read")
    assert "noise" not in str(found)
    assert model.decoupled_.held_out_error[0] > 30


def test_few_rows_of_a_line_are_enough():
    line = X[:9] @ [1.0, 2.0, 3.0]
    model = DecoupledRegressor(random_state=0).fit(X[:9], line)
    assert model.decoupled_.held_out_error[0] < 1e-6
    assert model.describe().caveat == ""


def test_warns_where_a_poor_fit_has_not_converged():
    d = DecoupledRegressor(random_state=0).fit(X[:9], X[:9] @ [1.0, 2.0, 3.0]).decoupled_
    d = replace(d, fit=FitRecord("varpro", Status.MAX_ITERATIONS))
    warn_if_unreliable(d, 9)  # it meets the data: no warning
    poor = replace(d, fitted_error=np.array([40.0]), held_out_error=np.array([45.0]))
    with pytest.warns(ConvergenceWarning, match="still improving"):
        warn_if_unreliable(poor, 9)
