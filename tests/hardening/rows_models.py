"""Bad models: of PyTorch, JAX, scikit-learn and SymPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.rows import Row
from unbraid.errors import InvalidOptionError, InvalidSamplesError, SamplingError
from unbraid.sources._torch import NotDifferentiableError

P = np.random.default_rng(0).uniform(-1, 1, (20, 2))
TARGET = P.sum(axis=1)
PROGRAM = "__import__('pathlib').Path('run').touch()"


def sampled(model: Any) -> Any:
    return unbraid.sample(model, P)


def exactly(samples: Any, slopes: Any) -> bool:
    return bool(np.allclose(samples.jacobians, slopes, rtol=1e-2))


def torch() -> Any:
    return pytest.importorskip("torch", reason="this model needs PyTorch")


def net(*more: Any) -> Any:
    nn = torch().nn
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), *more, nn.Linear(3, 1))


def module(forward: Any) -> Any:
    """A module that does this with its input."""

    class Module(torch().nn.Module):  # type: ignore[misc]
        pass

    Module.forward = lambda _, *inputs: forward(*inputs)
    return Module()


def spoilt() -> Any:
    model = net()
    model[0].weight.data[0, 0] = float("nan")
    return model


def dropping() -> Any:
    """Twice the same samples of a network whose dropout is on, and its mode afterwards."""
    model = net(torch().nn.Dropout(0.5)).train()
    return sampled(model), sampled(model), model.training


def half(name: str) -> Any:
    """The slopes of a network in half precision, beside those in double."""
    torch().manual_seed(0)
    model = net()
    exact = sampled(model.double()).jacobians
    return sampled(model.to(getattr(torch(), name))), exact


def jitted(f: Any) -> Any:
    jax = pytest.importorskip("jax", reason="this model needs JAX")
    return sampled(jax.jit(lambda p: f(jax.numpy, p)))


def symbols() -> Any:
    return pytest.importorskip("sympy", reason="this model needs SymPy").symbols("x y")


def symbolic(make: Any) -> Any:
    x, y = symbols()
    import sympy

    return sampled(make(sympy, x, y))


def program() -> None:
    """Text among expressions would be run by SymPy."""
    try:
        symbolic(lambda sympy, x, y: [x + y, PROGRAM])
    finally:
        assert not Path("run").exists(), "a text was run as a program"


def learnt(name: str, target: Any = TARGET, points: Any = P, **options: Any) -> Any:
    """A fitted model of scikit-learn by its path."""
    package, _, kind = name.rpartition(".")
    found = pytest.importorskip(f"sklearn.{package}", reason="this model needs scikit-learn")
    return getattr(found, kind)(**options).fit(points, target)


def unlearnt() -> Any:
    found = pytest.importorskip("sklearn.linear_model", reason="this model needs scikit-learn")
    return sampled(found.LinearRegression())


def forgotten() -> Any:
    model = learnt("linear_model.LinearRegression")
    model.coef_ = model.coef_ * np.nan
    return sampled(model)


def refusals(library: str, *rows: tuple[str, Any, str, Any]) -> list[Row]:
    return [
        Row(f"{library}: {what}", call, error, mentions) for what, error, mentions, call in rows
    ]


def of_module(forward: Any) -> Any:
    return lambda: sampled(module(forward))


def of_jitted(f: Any) -> Any:
    return lambda: jitted(f)


def of_symbols(make: Any) -> Any:
    return lambda: symbolic(make)


def of_learnt(*arguments: Any, **options: Any) -> Any:
    return lambda: sampled(learnt(*arguments, **options))


ROWS = [
    *refusals(
        "torch",
        (
            "a network of three inputs",
            SamplingError,
            "3x1",
            lambda: sampled(torch().nn.Linear(3, 1)),
        ),
        ("NaN among the weights", SamplingError, "finite 20", lambda: sampled(spoilt())),
        ("two inputs", SamplingError, "'b'", of_module(lambda a, b: a + b)),
        ("integers come out", NotDifferentiableError, "differences", of_module(lambda p: p.long())),
        ("labels", NotDifferentiableError, "derivative", of_module(lambda p: p.argmax(-1))),
        ("nothing comes out", SamplingError, "NoneType tensor", of_module(lambda p: None)),
        ("no outputs", SamplingError, "no outputs", of_module(lambda p: p[..., :0])),
        ("a pair comes out", SamplingError, "tuple model(p)[0]", of_module(lambda p: (p, p))),
        ("complex", InvalidSamplesError, "complex", of_module(lambda p: 1j * p)),
        ("it raises", SamplingError, "ZeroDivisionError", of_module(lambda p: 1 / 0)),
        ("an embedding", SamplingError, "integers", lambda: sampled(torch().nn.Embedding(4, 2))),
        (
            "no numbers in it",
            SamplingError,
            "meta",
            lambda: sampled(torch().nn.Linear(2, 1, device="meta")),
        ),
        ("a tensor", InvalidOptionError, "Tensor callable", lambda: sampled(torch().zeros(3))),
    ),
    *refusals(
        "jax",
        ("three inputs", SamplingError, "(2,) (3,)", of_jitted(lambda n, p: p @ n.ones((3, 1)))),
        ("NaN", SamplingError, "finite", of_jitted(lambda n, p: n.log(p[..., 0]))),
        ("truth values", SamplingError, "bool slopes", of_jitted(lambda n, p: p[..., 0] > 0)),
        ("integers", SamplingError, "int64", of_jitted(lambda n, p: p[..., 0].astype(int))),
        ("a dict", SamplingError, "raised point", of_jitted(lambda n, p: {"a": p})),
        ("nothing", SamplingError, "None", of_jitted(lambda n, p: None)),
        ("complex", InvalidSamplesError, "complex", of_jitted(lambda n, p: 1j * p[..., 0])),
        ("no outputs", SamplingError, "no outputs", of_jitted(lambda n, p: p[..., :0])),
    ),
    *refusals(
        "sympy",
        (
            "one symbol",
            InvalidSamplesError,
            "columns symbols:",
            of_symbols(lambda s, x, y: s.sin(x)),
        ),
        ("no symbol", InvalidOptionError, "free symbols", of_symbols(lambda s, x, y: s.Integer(3))),
        (
            "an equation",
            InvalidOptionError,
            "Eq expression",
            of_symbols(lambda s, x, y: s.Eq(x, y)),
        ),
        ("a text is no program", InvalidOptionError, "__import__ expression", program),
        (
            "None among expressions",
            InvalidOptionError,
            "None expression",
            of_symbols(lambda s, x, y: [x + y, None]),
        ),
        (
            "an unknown function",
            SamplingError,
            "function 'f'",
            of_symbols(lambda s, x, y: s.Function("f")(x) + y),
        ),
        (
            "complex infinity",
            SamplingError,
            "ComplexInf",
            of_symbols(lambda s, x, y: s.zoo * x + y),
        ),
        ("imaginary", InvalidSamplesError, "complex", of_symbols(lambda s, x, y: s.I * x + y)),
        ("overflow", SamplingError, "finite", of_symbols(lambda s, x, y: s.exp(1e4 * x) + y)),
        (
            "two symbols of one name",
            InvalidOptionError,
            "symbols rename",
            of_symbols(lambda s, x, y: x * s.Symbol("x", real=True)),
        ),
    ),
    *refusals(
        "scikit-learn",
        ("not fitted", SamplingError, "LinearRegression fitted", unlearnt),
        (
            "one input",
            InvalidSamplesError,
            "Ridge fitted",
            of_learnt("linear_model.Ridge", points=P[:, :1]),
        ),
        (
            "a classifier",
            InvalidOptionError,
            "predict_proba",
            of_learnt("linear_model.LogisticRegression", TARGET > 0),
        ),
        (
            "clusters",
            InvalidOptionError,
            "KMeans labels",
            of_learnt("cluster.KMeans", n_clusters=2, n_init=1),
        ),
        ("outliers", InvalidOptionError, "decision_function", of_learnt("svm.OneClassSVM")),
        ("NaN among the coefficients", SamplingError, "finite 20", forgotten),
        ("a transformer", InvalidOptionError, "wrapped", of_learnt("preprocessing.StandardScaler")),
    ),
    Row(
        "torch: dropout is off while it is sampled, and on again",
        dropping,
        holds=lambda found: np.array_equal(found[0].values, found[1].values) and found[2],
    ),
    Row("torch: float16", lambda: half("float16"), holds=lambda pair: exactly(*pair)),
    Row(
        "torch: bfloat16",
        lambda: np.abs(np.subtract(half("bfloat16")[0].jacobians, half("bfloat16")[1])).max(),
        holds=lambda gap: gap < 0.02,
    ),
    Row(
        "sympy: a symbol called exp",
        lambda: symbolic(lambda s, x, y: s.Symbol("exp") + s.exp(x)),
        holds=lambda samples: np.allclose(samples.values[:, 0], P[:, 0] + np.exp(P[:, 1])),
    ),
    Row(
        "sympy: a symbol called as a program",
        lambda: symbolic(lambda s, x, y: s.Symbol(PROGRAM) + 2 * y),
        holds=lambda samples: exactly(samples, [[[1.0, 2.0]]]) and not Path("run").exists(),
    ),
]
