"""Bad models: of PyTorch, JAX, scikit-learn and SymPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.rows import Row
from unbraid.errors import InvalidOption, InvalidSamples, SamplingError
from unbraid.sources.torch import NotDifferentiable

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


ROWS = [
    Row(
        "torch: a network of three inputs",
        lambda: sampled(torch().nn.Linear(3, 1)),
        SamplingError,
        "3x1",
    ),
    Row(
        "torch: NaN among the weights", lambda: sampled(spoilt()), SamplingError, "not finite at 20"
    ),
    Row("torch: two inputs", lambda: sampled(module(lambda a, b: a + b)), SamplingError, "'b'"),
    Row(
        "torch: integers come out",
        lambda: sampled(module(lambda p: p.long())),
        NotDifferentiable,
        "differences",
    ),
    Row(
        "torch: labels come out",
        lambda: sampled(module(lambda p: p.argmax(-1))),
        NotDifferentiable,
        "no derivative",
    ),
    Row(
        "torch: nothing comes out",
        lambda: sampled(module(lambda p: None)),
        SamplingError,
        "NoneType, not a tensor",
    ),
    Row(
        "torch: no outputs",
        lambda: sampled(module(lambda p: p[..., :0])),
        SamplingError,
        "at least one number",
    ),
    Row(
        "torch: a pair comes out",
        lambda: sampled(module(lambda p: (p, p))),
        SamplingError,
        r"pick it.*\[0\]",
    ),
    Row(
        "torch: complex",
        lambda: sampled(module(lambda p: 1j * p)),
        InvalidSamples,
        "pass real numbers",
    ),
    Row(
        "torch: it raises",
        lambda: sampled(module(lambda p: 1 / 0)),
        SamplingError,
        "ZeroDivisionError at point 0",
    ),
    Row(
        "torch: an embedding",
        lambda: sampled(torch().nn.Embedding(4, 2)),
        SamplingError,
        "takes integers",
    ),
    Row(
        "torch: no numbers in it",
        lambda: sampled(torch().nn.Linear(2, 1, device="meta")),
        SamplingError,
        "meta",
    ),
    Row("torch: a tensor", lambda: sampled(torch().zeros(3)), InvalidOption, "pass a callable"),
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
        "jax: three inputs",
        lambda: jitted(lambda jnp, p: p @ jnp.ones((3, 1))),
        SamplingError,
        "2.*3",
    ),
    Row(
        "jax: NaN",
        lambda: jitted(lambda jnp, p: jnp.log(p[..., 0])),
        SamplingError,
        "not finite at",
    ),
    Row(
        "jax: truth values",
        lambda: jitted(lambda jnp, p: p[..., 0] > 0),
        SamplingError,
        "bool, which has no slopes",
    ),
    Row(
        "jax: integers",
        lambda: jitted(lambda jnp, p: p[..., 0].astype(int)),
        SamplingError,
        "int64, which has no",
    ),
    Row("jax: a dict", lambda: jitted(lambda jnp, p: {"a": p}), SamplingError, "point 0"),
    Row("jax: nothing", lambda: jitted(lambda jnp, p: None), SamplingError, "None"),
    Row(
        "jax: complex",
        lambda: jitted(lambda jnp, p: 1j * p[..., 0]),
        InvalidSamples,
        "pass real numbers",
    ),
    Row(
        "jax: no outputs", lambda: jitted(lambda jnp, p: p[..., :0]), SamplingError, "at least one"
    ),
    Row(
        "sympy: one symbol",
        lambda: symbolic(lambda s, x, y: s.sin(x)),
        InvalidSamples,
        "1 symbols: x",
    ),
    Row(
        "sympy: no symbol",
        lambda: symbolic(lambda s, x, y: s.Integer(3)),
        InvalidOption,
        "no free symbols",
    ),
    Row(
        "sympy: an equation",
        lambda: symbolic(lambda s, x, y: s.Eq(x, y)),
        InvalidOption,
        "not an expression",
    ),
    Row("sympy: a text is no program", program, InvalidOption, "not an expression"),
    Row(
        "sympy: None among expressions",
        lambda: symbolic(lambda s, x, y: [x + y, None]),
        InvalidOption,
        "None is",
    ),
    Row(
        "sympy: an unknown function",
        lambda: symbolic(lambda s, x, y: s.Function("f")(x) + y),
        SamplingError,
        "f",
    ),
    Row(
        "sympy: complex infinity",
        lambda: symbolic(lambda s, x, y: s.zoo * x + y),
        SamplingError,
        "ComplexInf",
    ),
    Row(
        "sympy: imaginary",
        lambda: symbolic(lambda s, x, y: s.I * x + y),
        InvalidSamples,
        "pass real numbers",
    ),
    Row(
        "sympy: overflow",
        lambda: symbolic(lambda s, x, y: s.exp(1e4 * x) + y),
        SamplingError,
        "not finite",
    ),
    Row(
        "sympy: two symbols of one name",
        lambda: symbolic(lambda s, x, y: x * s.Symbol("x", real=True)),
        InvalidOption,
        "rename them",
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
    Row("scikit-learn: not fitted", unlearnt, SamplingError, "call fit"),
    Row(
        "scikit-learn: one input",
        lambda: sampled(learnt("linear_model.Ridge", points=P[:, :1])),
        InvalidSamples,
        "was fitted on 1",
    ),
    Row(
        "scikit-learn: a classifier",
        lambda: sampled(learnt("linear_model.LogisticRegression", TARGET > 0)),
        InvalidOption,
        "predict_proba",
    ),
    Row(
        "scikit-learn: clusters",
        lambda: sampled(learnt("cluster.KMeans", n_clusters=2, n_init=1)),
        InvalidOption,
        "labels, which have no slopes",
    ),
    Row(
        "scikit-learn: outliers",
        lambda: sampled(learnt("svm.OneClassSVM")),
        InvalidOption,
        "decision_function",
    ),
    Row("scikit-learn: NaN among the coefficients", forgotten, SamplingError, "not finite at 20"),
    Row(
        "scikit-learn: a transformer",
        lambda: sampled(learnt("preprocessing.StandardScaler")),
        InvalidOption,
        "Anything else can be wrapped",
    ),
]
