"""Bad inputs of DecoupledRegressor: tables that are none, extreme sizes, weights, options."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix as sparse

from hardening.rows import Row
from unbraid import Polynomial
from unbraid.errors import InvalidOption, InvalidSamples, SamplingError
from unbraid.regression.telling import UnreadableTable

X = np.random.default_rng(0).uniform(-1, 1, (40, 2))
Y = np.tanh(X[:, 0] + X[:, 1])


def linear_models() -> Any:
    return pytest.importorskip("sklearn.linear_model", reason="the regressor needs scikit-learn")


def frames() -> Any:
    return pytest.importorskip("pandas", reason="this table is one of pandas")


def regressor(**options: Any) -> Any:
    linear_models()
    import unbraid

    return unbraid.DecoupledRegressor(**options)


def fitted(X: Any = X, y: Any = Y, weights: Any = None, **options: Any) -> Any:
    quick = {"estimator": linear_models().LinearRegression(), "basis": Polynomial(3)}
    return regressor(**{"n_branches": 1, "random_state": 0, **quick, **options}).fit(X, y, weights)


@cache
def plain() -> Any:
    return fitted()


@cache
def named() -> Any:
    return fitted(frames().DataFrame(X, columns=["a", "b"]))


def frame(second: Any) -> Any:
    return frames().DataFrame({"a": X[:, 0], "b": second})


def dates() -> Any:
    return frames().date_range("2020", periods=40)


def in_units(unit: float) -> Any:
    """Predictions of a process fitted to y in these units, in units of 1."""
    options = {"estimator": None, "n_folds": 2}
    return fitted(X[:20], unit * Y[:20], **options).predict(X) / unit


def unfitted() -> str:
    with pytest.raises(Exception, match="Call 'fit'") as caught:
        regressor().predict(X)
    return type(caught.value).__name__


def odd(method: str, answer: Any) -> Any:
    """A linear regression one of whose methods does something else."""

    class Odd(linear_models().LinearRegression):  # type: ignore[misc]
        pass

    setattr(Odd, method, answer)
    return Odd()


def out_of_order(self: Any, X: Any, y: Any) -> Any:
    raise RuntimeError("out of order")


def lost(self: Any, X: Any) -> Any:
    return np.full(len(X), np.nan)


ROWS = [
    Row("regression: no y", lambda: fitted(y=None), InvalidSamples, "requires y"),
    Row("regression: no X", lambda: fitted(None), InvalidSamples, "2D array"),
    Row("regression: a NaN", lambda: fitted(np.where(X > 0.9, np.nan, X)), InvalidSamples, "NaN"),
    Row(
        "regression: y with a NaN",
        lambda: fitted(y=np.where(Y > 0, np.nan, Y)),
        InvalidSamples,
        "y",
    ),
    Row(
        "regression: words",
        lambda: fitted(frame("word")),
        InvalidSamples,
        "'word'; pass tables of numbers",
    ),
    Row(
        "regression: dates",
        lambda: fitted(frame(dates())),
        UnreadableTable,
        "pass tables of numbers",
    ),
    Row("regression: words as y", lambda: fitted(y=["a"] * 40), InvalidSamples, "'a'.*of numbers"),
    Row("regression: sparse", lambda: fitted(sparse(X)), UnreadableTable, "dense data is required"),
    Row(
        "regression: complex", lambda: fitted(X + 0j), InvalidSamples, "Complex data not supported"
    ),
    Row("regression: one row", lambda: fitted(X[:1], Y[:1]), InvalidSamples, "minimum of 2"),
    Row("regression: no rows", lambda: fitted(X[:0], Y[:0]), InvalidSamples, "minimum of 2"),
    Row("regression: no columns", lambda: fitted(X[:, :0]), InvalidSamples, "minimum of 1"),
    Row("regression: a vector as X", lambda: fitted(X[:, 0]), InvalidSamples, "2D array"),
    Row("regression: y too short", lambda: fitted(y=Y[1:]), InvalidSamples, "inconsistent numbers"),
    Row("regression: equal columns", lambda: fitted(frame(0)[["a", "a"]]), InvalidSamples, "'a'"),
    Row(
        "regression: y in units of 1e-30",
        lambda: in_units(1e-30) - in_units(1.0),
        holds=lambda gap: np.abs(gap).max() < 1e-6,
    ),
    Row(
        "regression: two rows are a straight line",
        lambda: fitted(X[:2], Y[:2]).predict(X[:2]),
        holds=lambda y: np.allclose(y, Y[:2]),
    ),
    Row(
        "regression: a constant y is that constant",
        lambda: fitted(y=0 * Y + 3).predict(X),
        holds=lambda y: np.allclose(y, 3, atol=1e-12),
    ),
    Row(
        "regression: a constant X says nothing, so the mean it is",
        lambda: fitted(0 * X + 1).predict(X),
        holds=lambda y: np.allclose(y, Y.mean()),
    ),
    Row("regression: huge X", lambda: fitted(1e160 * X), InvalidSamples, "X reaches.*use units"),
    Row("regression: tiny X", lambda: fitted(1e-160 * X), InvalidSamples, "X reaches.*use units"),
    Row("regression: huge y", lambda: fitted(y=1e200 * Y), InvalidSamples, "y reaches.*use units"),
    Row("regression: tiny y", lambda: fitted(y=1e-160 * Y), InvalidSamples, "y reaches.*use units"),
    Row("regression: negative weights", lambda: fitted(weights=-Y), InvalidSamples, "egative"),
    Row("regression: weights of 0", lambda: fitted(weights=0 * Y), InvalidSamples, "zero|weight 0"),
    Row("regression: six weights", lambda: fitted(weights=Y[:6]), InvalidSamples, "sample_weight"),
    Row(
        "regression: huge weights are equal weights",
        lambda: fitted(weights=np.full(40, 1e308)).predict(X) - plain().predict(X),
        holds=lambda gap: np.abs(gap).max() < 1e-9,
    ),
    Row("regression: 0 branches", lambda: fitted(n_branches=0), InvalidOption, "at least 1"),
    Row("regression: 50 branches", lambda: fitted(n_branches=50), InvalidOption, "at most 10"),
    Row("regression: an array of branches", lambda: fitted(n_branches=X), InvalidOption, "whole"),
    Row("regression: basis by name", lambda: fitted(basis="poly"), InvalidOption, "pass a Basis"),
    Row("regression: an array as basis", lambda: fitted(basis=X), InvalidOption, "pass a Basis"),
    Row(
        "regression: too large a basis",
        lambda: fitted(basis=Polynomial(300)),
        InvalidOption,
        "smaller",
    ),
    Row(
        "regression: a class",
        lambda: fitted(estimator=linear_models().LinearRegression),
        InvalidOption,
        "pass a reg",
    ),
    Row(
        "regression: a classifier inside",
        lambda: fitted(estimator=linear_models().LogisticRegression()),
        InvalidOption,
        "LogisticRegression cannot be fitted.*choose a regressor",
    ),
    Row(
        "regression: a broken estimator",
        lambda: fitted(estimator=odd("fit", out_of_order)),
        InvalidOption,
        "out of o",
    ),
    Row(
        "regression: a lost estimator",
        lambda: fitted(estimator=odd("predict", lost)),
        SamplingError,
        "not finite",
    ),
    Row("regression: one fold", lambda: fitted(n_folds=1), InvalidOption, "at least 2"),
    Row("regression: seed -1", lambda: fitted(random_state=-1), InvalidOption, "at least 0"),
    Row("regression: not fitted", unfitted, holds=lambda name: name == "NotFittedError"),
    Row(
        "regression: predicting one column",
        lambda: named().predict(X[:, :1]),
        InvalidSamples,
        "names|1 f",
    ),
    Row(
        "regression: columns swapped",
        lambda: named().predict(frames().DataFrame(X, columns=["b", "a"])),
        InvalidSamples,
        "same order",
    ),
    Row("regression: predicting words", lambda: plain().predict("abc"), InvalidSamples, "'abc'"),
    Row(
        "regression: predicting nothing",
        lambda: plain().predict(X[:0]),
        InvalidSamples,
        "0 sample",
    ),
    Row(
        "regression: two names for one output",
        lambda: named().describe(["a", "b"]),
        InvalidOption,
        "1",
    ),
]
