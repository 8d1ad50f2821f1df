"""scikit-learn models: exact Jacobians where every part has a rule, else differences."""

import warnings

import numpy as np
import pytest

import unbraid
from sources.functions import check_against_differences, check_slopes, differences
from sources.networks import NETWORK, POINTS
from unbraid import FitWarning, InvalidOptionError, InvalidSamplesError, SamplingError

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.compose import ColumnTransformer, TransformedTargetRegressor  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor, VotingRegressor  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import (  # noqa: E402
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.kernel_ridge import KernelRidge  # noqa: E402
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.multioutput import MultiOutputRegressor  # noqa: E402
from sklearn.neural_network import MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import (  # noqa: E402
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVR, LinearSVR  # noqa: E402
from sklearn.tree import DecisionTreeRegressor  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (80, 3)) * [1.0, 3.0, 0.5] + [0.0, 5.0, 0.0]
ONE = np.sin(X[:, 0]) + 0.1 * X[:, 1] * X[:, 2]
TWO = np.column_stack([ONE, X[:, 0] ** 2 - X[:, 1]])


def process(kernel, target=ONE, **options):
    return GaussianProcessRegressor(kernel, alpha=1e-3, optimizer=None, **options).fit(X, target)


def network(activation, target=TWO):
    shape = {"hidden_layer_sizes": (7, 5), "activation": activation}
    model = MLPRegressor(**shape, solver="lbfgs", max_iter=40, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, target)


def columns():
    steps = [("a", StandardScaler(), [2, 0]), ("b", PolynomialFeatures(2), [1])]
    return make_pipeline(ColumnTransformer(steps, remainder="passthrough"), Ridge())


SMOOTH = {
    "linear": LinearRegression().fit(X, TWO),
    "lasso": Lasso(0.01).fit(X, ONE),
    "linear support vectors": LinearSVR(random_state=0, max_iter=100_000).fit(X, ONE),
    "scaled polynomial": make_pipeline(StandardScaler(), PolynomialFeatures(3), Ridge()).fit(
        X, TWO
    ),
    "min-max, robust": make_pipeline(MinMaxScaler(), RobustScaler(), Ridge()).fit(X, ONE),
    "max, principal": make_pipeline(MaxAbsScaler(), PCA(2, whiten=True), Ridge()).fit(X, ONE),
    "columns": columns().fit(X, ONE),
    "tanh network": network("tanh"),
    "logistic network": network("logistic", ONE),
    "linear network": network("identity"),
    "process": process(ConstantKernel(2.0) * RBF([1.0, 3.0, 0.5]) + WhiteKernel(0.1), TWO),
    "normalised process": process(RBF(2.0) + DotProduct(0.5), TWO, normalize_y=True),
    "rough processes": process(Matern(2.0, nu=1.5) * Matern([1.0, 4.0, 1.0], nu=2.5)),
    "rational process": process(RationalQuadratic(2.0, 0.7) ** 2),
    "kernel ridge": KernelRidge(alpha=0.1, kernel="rbf", gamma=0.2).fit(X, TWO),
    "kernel ridge, own width": KernelRidge(alpha=0.1, kernel="rbf").fit(X, ONE),
    "polynomial kernel": KernelRidge(alpha=0.1, kernel="poly", degree=2, coef0=0.5).fit(X, ONE),
    "support vectors": SVR(C=10.0).fit(X, ONE),
    "target": TransformedTargetRegressor(SVR(), transformer=StandardScaler()).fit(X, ONE),
    "target left alone": TransformedTargetRegressor(SVR()).fit(X, ONE),
    "both outputs": MultiOutputRegressor(SVR()).fit(X, TWO),
    "vote": VotingRegressor([("a", SVR()), ("b", Ridge())], weights=[1, 3]).fit(X, ONE),
    "search": GridSearchCV(make_pipeline(StandardScaler(), SVR()), {"svr__C": [1, 10]}).fit(X, ONE),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_jacobians_are_exact(name):
    model, points = SMOOTH[name], X[:20] + 0.01
    samples = unbraid.sample(model, points)
    expected = differences(model.predict, points)
    assert samples.source.startswith("exact")
    np.testing.assert_allclose(samples.values, np.reshape(model.predict(points), (20, -1)))
    np.testing.assert_allclose(samples.jacobians, expected, atol=1e-6 * np.abs(expected).max())


def test_differentiates_a_network_of_several_outputs():
    network = pytest.importorskip("sklearn.neural_network")
    model = network.MLPRegressor(
        hidden_layer_sizes=(6,), activation="tanh", solver="lbfgs", max_iter=20, random_state=0
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *a, **k: None)
        model.fit(POINTS, NETWORK(POINTS))
    check_against_differences(model, POINTS, model.predict)


def models_with_trivial_parts():
    pytest.importorskip("sklearn")
    from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Matern
    from sklearn.linear_model import LinearRegression
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    parts = [
        ("square", PolynomialFeatures(2), slice(0, 1)),
        ("same", "passthrough", [1]),
        ("gone", "drop", [0]),
        ("none", StandardScaler(), []),
    ]
    squares = PolynomialFeatures(2)
    models = {
        "columns": make_pipeline(ColumnTransformer(parts), LinearRegression()),
        "a step left out": make_pipeline("passthrough", squares, LinearRegression()),
        "smoothest Matern": GaussianProcessRegressor(Matern(0.8, nu=np.inf), optimizer=None),
        "target as it is": TransformedTargetRegressor(make_pipeline(squares, LinearRegression())),
        "network": MLPRegressor(
            hidden_layer_sizes=(3,), activation="tanh", solver="lbfgs", random_state=0, tol=1.0
        ),
    }
    y = POINTS[:, 0] ** 2 - POINTS[:, 1]
    return {name: model.fit(POINTS, y) for name, model in models.items()}


def test_differentiates_models_with_trivial_parts():
    for name, model in models_with_trivial_parts().items():
        samples = unbraid.sample(model, POINTS)
        assert samples.source.startswith("exact"), name
        check_slopes(samples, lambda p, model=model: model.predict(p)[:, None])


def test_batches_do_not_change_the_answer(monkeypatch):
    whole = unbraid.sample(SMOOTH["process"], X)
    monkeypatch.setattr("unbraid.sources._sklearn.ENTRIES_PER_ARRAY", 1000)
    parts = unbraid.sample(SMOOTH["process"], X)
    np.testing.assert_allclose(parts.jacobians, whole.jacobians, rtol=1e-12)


def test_uses_differences_for_other_kernels():
    kernel = ExpSineSquared(2.0, 3.0)
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X[:, :1], ONE)
    samples = unbraid.sample(model, X[:10, :1])
    assert samples.source == "by central differences"
    expected = differences(model.predict, X[:10, :1])
    np.testing.assert_allclose(samples.jacobians, expected, atol=1e-6)


def test_uses_differences_where_a_subclass_overrides_predict():
    class Clipped(Ridge):
        def predict(self, X):
            return np.tanh(super().predict(X))

    model = Clipped().fit(X, ONE)
    samples = unbraid.sample(model, X[:10])
    expected = differences(model.predict, X[:10])
    np.testing.assert_allclose(samples.jacobians, expected, atol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeRegressor(random_state=0),
        RandomForestRegressor(5, random_state=0),
        make_pipeline(StandardScaler(), DecisionTreeRegressor(random_state=0)),
    ],
)
def test_warns_of_piecewise_constant_models(model):
    with pytest.warns(FitWarning, match="piece"):
        samples = unbraid.sample(model.fit(X, ONE), X)
    assert np.mean(np.any(samples.jacobians != 0, axis=(1, 2))) > 0.5


def test_rejects_a_model_that_is_not_fitted():
    with pytest.raises(SamplingError, match="fit"):
        unbraid.sample(Ridge(), X)
    with pytest.raises(SamplingError, match="fit"):
        unbraid.sample(GaussianProcessRegressor(), X)


def test_models_fitted_with_names_accept_tables_in_any_order():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["a", "b", "c"])
    steps = [("s", StandardScaler(), ["c", "a"])]
    by_name = make_pipeline(ColumnTransformer(steps, remainder="passthrough"), SVR())
    by_name.fit(table, ONE)
    expected = by_name.predict(table)
    for points in (table, table[["c", "a", "b"]], X):
        samples = unbraid.sample(by_name, points)
        assert samples.source.startswith("exact")
        np.testing.assert_allclose(samples.values[:, 0], expected)
    slopes = differences(lambda p: by_name.predict(pandas.DataFrame(p, columns=list("abc"))), X)
    np.testing.assert_allclose(samples.jacobians, slopes, atol=1e-6 * np.abs(slopes).max())
    # the whole message, as an example of good wording
    message = (
        "^points has no column 'a': its columns are 'z', 'b', 'c'; rename them, or pass a plain "
        "array with the columns in the order 'a', 'b', 'c'$"
    )
    with pytest.raises(InvalidSamplesError, match=message):
        unbraid.sample(by_name, table.rename(columns={"a": "z"}))


def test_rejects_models_other_than_regression():
    labels = (ONE > 0).astype(int)
    for model in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
        with pytest.raises(InvalidOptionError, match="predict_proba"):
            unbraid.sample(model.fit(X, labels), X)
    with pytest.raises(InvalidSamplesError, match="2 columns"):
        unbraid.sample(Ridge().fit(X, ONE), X[:, :2])


def test_uses_differences_for_a_target_with_a_function():
    model = TransformedTargetRegressor(Ridge(), func=np.sinh, inverse_func=np.arcsinh).fit(X, ONE)
    samples = unbraid.sample(model, X[:10])
    assert samples.source == "by central differences"
    expected = differences(model.predict, X[:10])
    np.testing.assert_allclose(samples.jacobians, expected, atol=1e-6)


def test_does_not_warn_of_bags_of_smooth_models():
    model = BaggingRegressor(SVR(), 3, random_state=0).fit(X, ONE)
    assert unbraid.sample(model, X[:10]).source == "by central differences"


def test_uses_differences_for_kernels_that_are_functions():
    model = SVR(kernel=lambda a, b: (a @ b.T) ** 2).fit(X, ONE)
    assert unbraid.sample(model, X[:10]).source == "by central differences"


def test_clipping_scaler_has_no_slope_outside_its_range():
    X = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    model = make_pipeline(MinMaxScaler(clip=True), Ridge()).fit(X, X[:, 0] + X[:, 1])
    samples = unbraid.sample(model, np.array([[0.0, 0.1], [5.0, 0.1]]))
    assert not samples.source.startswith("exact")
    assert samples.jacobians[1, 0, 0] == pytest.approx(0, abs=1e-9)
    assert samples.jacobians[0, 0, 0] > 0.5
