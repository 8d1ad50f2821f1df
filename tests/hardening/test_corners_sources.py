"""Models and files off the beaten track: callables, torch, JAX, scikit-learn, SymPy, tables."""

from __future__ import annotations

import io
import math
import struct
import sys
import warnings

import numpy as np
import pytest

from unbraid import InvalidFile, InvalidOption, InvalidSamples, SamplingError, read_samples, sample
from unbraid._util.archives import Unreadable
from unbraid.sources import as_function
from unbraid.sources._hermite import HermitePolynomial, HermiteTerms
from unbraid.sources._mat import mat_content
from unbraid.sources._parameter_count import parameter_count

POINTS = np.random.default_rng(5).uniform(-1, 1, (14, 2))


def check_slopes(samples, f, atol=1e-6, h=1e-6):
    """Values and slopes are those of f, by differences."""
    np.testing.assert_allclose(samples.values, f(POINTS), atol=1e-7)
    for l, e in enumerate(np.eye(2)):
        slope = (f(POINTS + h * e) - f(POINTS - h * e)) / (2 * h)
        np.testing.assert_allclose(samples.jacobians[:, :, l], slope, atol=atol)


# Callables -------------------------------------------------------------------------------------


def test_what_f_refuses_in_our_words_is_passed_on():
    def fenced(p):
        if np.any(np.real(p) > POINTS.max()):
            raise InvalidSamples("a point lies beyond the fence")
        return np.abs(p).astype(float)

    with pytest.raises(InvalidSamples, match=r"^a point lies beyond the fence$"):
        sample(fenced, POINTS)


def test_a_table_that_is_not_taken_row_by_row_is_taken_point_by_point():
    samples = sample(lambda p: p - p.mean(axis=0), POINTS)
    check_slopes(samples, lambda p: p - p.mean(axis=1, keepdims=True))


def test_a_function_of_a_point_that_also_takes_one_row():
    samples = sample(lambda p: [math.hypot(*np.ravel(p))], POINTS)
    check_slopes(samples, lambda p: np.hypot(*p.T)[:, None])


def test_a_complex_step_that_changes_the_values_is_not_believed():
    def coarse(p):
        return np.sin(p.astype(np.complex64) if np.iscomplexobj(p) else p)

    samples = sample(coarse, POINTS)
    assert samples.source == "by central differences"
    check_slopes(samples, np.sin)


def test_nothing_fixed_is_no_input_fixed():
    samples = sample(lambda p: p[:, :1] ** 2 + p[:, 1:], POINTS, inputs=[1, 0], fixed={})
    check_slopes(samples, lambda p: p[:, 1:] ** 2 + p[:, :1])


def test_points_of_another_width_for_a_polynomial():
    f = HermitePolynomial(np.array([[0.0, 1.0]]), HermiteTerms(1, 1), np.zeros(1), np.eye(1))
    with pytest.raises(InvalidSamples, match=r"\(14, 2\)"):
        f(POINTS)
    with pytest.raises(InvalidSamples, match="1 inputs"):
        f.jacobian(np.zeros(3))


# torch -----------------------------------------------------------------------------------------


def test_a_scripted_function_of_torch():
    torch = pytest.importorskip("torch")

    def bowl(p):
        return (p**2).sum(dim=1, keepdim=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch would rather have it exported
        scripted = torch.jit.script(bowl)
    samples = sample(scripted, POINTS)
    assert samples.source == "exact, by torch"
    np.testing.assert_allclose(samples.jacobians[:, 0], 2 * POINTS, rtol=1e-15)


def test_tensors_without_a_column_are_refused():
    pytest.importorskip("torch")
    with pytest.raises(SamplingError, match="no outputs"):
        sample(lambda p: p.clone()[:, :0], POINTS)


def test_torch_and_jax_are_not_asked_for_where_nobody_imported_them(monkeypatch):
    from unbraid.sources._jax import jax_callable
    from unbraid.sources._torch import torch_callable

    for name in ("torch", "jax"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert torch_callable(np.sin, POINTS, takes_arrays=True) is None
    assert jax_callable(np.sin, POINTS) is None
    assert not {"torch", "jax"} & set(sys.modules)


# JAX -------------------------------------------------------------------------------------------


def test_a_function_that_jax_cannot_trace_gets_differences(monkeypatch):
    jax = pytest.importorskip("jax")
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # which would be tried next

    def opaque(p):
        return jax.numpy.asarray(np.sin(np.asarray(p)))

    samples = sample(opaque, POINTS)
    assert not samples.source.startswith("exact")
    assert np.abs(samples.jacobians - np.cos(POINTS)[:, :, None] * np.eye(2)).max() < 1e-2


def test_double_precision_in_versions_of_jax_that_have_the_switch_elsewhere(monkeypatch):
    jax = pytest.importorskip("jax")
    elsewhere = pytest.importorskip("jax.experimental")
    switch = jax.enable_x64 if hasattr(jax, "enable_x64") else elsewhere.enable_x64
    monkeypatch.delattr(jax, "enable_x64", raising=False)
    monkeypatch.setattr(elsewhere, "enable_x64", switch, raising=False)
    samples = sample(lambda p: jax.numpy.sin(p), POINTS)
    assert samples.source == "exact, by jax"
    np.testing.assert_allclose(samples.values, np.sin(POINTS), rtol=1e-15)


# scikit-learn ----------------------------------------------------------------------------------


def sklearn_models():
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


def test_parts_of_scikit_learn_that_do_little():
    for name, model in sklearn_models().items():
        samples = sample(model, POINTS)
        assert samples.source.startswith("exact"), name
        check_slopes(samples, lambda p, model=model: model.predict(p)[:, None])


def test_the_numbers_of_models_are_counted():
    torch = pytest.importorskip("torch")
    models = sklearn_models()
    assert parameter_count(torch.nn.Linear(3, 2)) == 3 * 2 + 2
    assert parameter_count(models["network"]) == 2 * 3 + 3 + 3 + 1
    assert parameter_count(models["a step left out"]) == 6 + 1
    assert parameter_count(models["smoothest Matern"]) is None


# SymPy -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbols", "says"),
    [
        ("xy", "symbols is 'xy'"),
        (3, "symbols is 3"),
        (["x", "x", "y"], "twice"),
        (["x", 7], "7 is"),
    ],
)
def test_symbols_that_are_none(symbols, says):
    sympy = pytest.importorskip("sympy")
    from unbraid.sources._sympy import SymbolicFunction

    x, y = sympy.symbols("x y")
    with pytest.raises(InvalidOption, match=says):
        SymbolicFunction([x * y], symbols)


# Files -----------------------------------------------------------------------------------------

LONG = "9" * 140_000  # more than Python's reader of tables takes for a cell


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'p1,p2,"{LONG}"\n1,2,3\n', "begin"),
        (f'p1,f1,J11\n1,2,3\n1,2,"{LONG}\n', "quote"),
    ],
)
def test_cells_beyond_all_measure(tmp_path, text, says):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(InvalidFile, match=says):
        read_samples(path)


def test_columns_called_by_their_numbers_are_names(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("0,1,2\n1,2,3\n4,5,6\n")
    samples = read_samples(path, points=["0"], values=["1"], jacobians=["2"])
    np.testing.assert_array_equal(samples.points, [[1], [4]])
    np.testing.assert_array_equal(samples.jacobians, [[[3]], [[6]]])


def test_jacobians_of_four_axes(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, P=POINTS, F=POINTS[:, :1], J=np.ones((14, 1, 2, 1)))
    with pytest.raises(InvalidFile, match=r"\(14, 1, 2, 1\)"):
        read_samples(path)


def mat_file(**arrays):
    io_of = pytest.importorskip("scipy.io")
    buffer = io.BytesIO()
    io_of.savemat(buffer, arrays)
    return buffer.getvalue()


def test_a_variable_that_is_there_twice():
    content = mat_file(P=POINTS)
    with pytest.raises(Unreadable, match="two variables"):
        mat_content(content + content[128:])


def test_an_object_of_matlab_is_named_and_not_unfolded():
    name = struct.pack("<II", 1, 6) + b"handle\0\0"
    body = struct.pack("<IIII", 6, 8, 17, 0) + name + bytes(64)
    content = mat_file(P=POINTS) + struct.pack("<II", 14, len(body)) + body
    found = mat_content(content)
    assert str(found["handle"]) == "a function or an object"
    np.testing.assert_array_equal(found["P"], POINTS)


def test_numbers_of_no_known_type():
    content = bytearray(mat_file(P=POINTS))
    place = content.index(struct.pack("<II", 9, POINTS.nbytes))
    content[place] = 99
    with pytest.raises(Unreadable, match="'P' is"):
        mat_content(bytes(content))


def test_a_number_is_no_model():
    with pytest.raises(InvalidOption):
        as_function(3)
