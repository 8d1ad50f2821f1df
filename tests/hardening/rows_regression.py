"""Bad inputs of DecoupledRegressor: tables that are none, extreme sizes, weights, options."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix as sparse

from hardening.plain import refused
from hardening.rows import Row
from unbraid import Polynomial
from unbraid.errors import FitWarning, InvalidOptionError, InvalidSamplesError, SamplingError
from unbraid.regression._sklearn_errors import UnreadableTableError

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


def fitted_to_few_rows(X: Any, y: Any, **options: Any) -> Any:
    with pytest.warns(FitWarning, match="rows are few for this function"):
        return fitted(X, y, **options)


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
    return fitted_to_few_rows(X[:20], unit * Y[:20], **options).predict(X) / unit


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


def classifier() -> Any:
    return linear_models().LogisticRegression()


def out_of_order(self: Any, X: Any, y: Any) -> Any:
    raise RuntimeError("out of order")


def lost(self: Any, X: Any) -> Any:
    return np.full(len(X), np.nan)


OPTIONS = [
    refused(f"regression: {what}", InvalidOptionError, name, fitted, **{name: value})
    for what, name, value in (
        ("0 branches", "n_branches", 0),
        ("50 branches", "n_branches", 50),
        ("an array of branches", "n_branches", X),
        ("basis by name", "basis", "poly"),
        ("an array as basis", "basis", X),
        ("too large a basis", "basis", Polynomial(300)),
        ("one fold", "n_folds", 1),
        ("seed -1", "random_state", -1),
    )
]
TABLES = [
    refused(f"regression: {what}", InvalidSamplesError, mentions, fitted, **tables)
    for what, tables, mentions in (
        ("no y", {"y": None}, "requires y"),
        ("no X", {"X": None}, "2D"),
        ("a NaN", {"X": np.where(X > 0.9, np.nan, X)}, "X NaN"),
        ("y with a NaN", {"y": np.where(Y > 0, np.nan, Y)}, "y NaN"),
        ("words as y", {"y": ["a"] * 40}, "'a'"),
        ("complex", {"X": X + 0j}, "Complex"),
        ("one row", {"X": X[:1], "y": Y[:1]}, "1 sample(s)"),
        ("no rows", {"X": X[:0], "y": Y[:0]}, "0 sample(s)"),
        ("no columns", {"X": X[:, :0]}, "0 feature(s)"),
        ("a vector as X", {"X": X[:, 0]}, "2D"),
        ("y too short", {"y": Y[1:]}, "inconsistent"),
        ("huge X", {"X": 1e160 * X}, "X reaches"),
        ("tiny X", {"X": 1e-160 * X}, "X reaches"),
        ("huge y", {"y": 1e200 * Y}, "y reaches"),
        ("tiny y", {"y": 1e-160 * Y}, "y reaches"),
        ("negative weights", {"weights": -Y}, "Negative"),
        ("weights of 0", {"weights": 0 * Y}, "weight"),
        ("six weights", {"weights": Y[:6]}, "sample_weight"),
    )
]
ROWS = [
    *OPTIONS,
    *TABLES,
    Row("regression: words", lambda: fitted(frame("word")), InvalidSamplesError, "'word'"),
    Row("regression: dates", lambda: fitted(frame(dates())), UnreadableTableError, "DType"),
    Row("regression: sparse", lambda: fitted(sparse(X)), UnreadableTableError, "dense"),
    Row(
        "regression: equal columns",
        lambda: fitted(frame(0)[["a", "a"]]),
        InvalidSamplesError,
        "'a'",
    ),
    Row(
        "regression: y in units of 1e-30",
        lambda: in_units(1e-30) - in_units(1.0),
        holds=lambda gap: np.abs(gap).max() < 1e-6,
    ),
    Row(
        "regression: two rows are a straight line, with a warning",
        lambda: fitted_to_few_rows(X[:2], Y[:2]).predict(X[:2]),
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
    Row(
        "regression: huge weights are equal weights",
        lambda: fitted(weights=np.full(40, 1e308)).predict(X) - plain().predict(X),
        holds=lambda gap: np.abs(gap).max() < 1e-9,
    ),
    *(
        Row(f"regression: {what}", lambda e=estimator: fitted(estimator=e()), error, mentions)
        for what, estimator, error, mentions in (
            (
                "a class",
                lambda: linear_models().LinearRegression,
                InvalidOptionError,
                "estimator class",
            ),
            ("a classifier inside", classifier, InvalidOptionError, "estimator LogisticRegression"),
            (
                "a broken estimator",
                lambda: odd("fit", out_of_order),
                InvalidOptionError,
                "Odd order",
            ),
            ("a lost estimator", lambda: odd("predict", lost), SamplingError, "finite"),
        )
    ),
    Row("regression: not fitted", unfitted, holds=lambda name: name == "NotFittedError"),
    *(
        Row(f"regression: {what}", call, error, mentions)
        for what, call, error, mentions in (
            (
                "predicting one column",
                lambda: named().predict(X[:, :1]),
                InvalidSamplesError,
                "feature",
            ),
            (
                "columns swapped",
                lambda: named().predict(frame(0)[["b", "a"]]),
                InvalidSamplesError,
                "order",
            ),
            ("predicting words", lambda: plain().predict("abc"), InvalidSamplesError, "'abc'"),
            (
                "predicting nothing",
                lambda: plain().predict(X[:0]),
                InvalidSamplesError,
                "0 sample(s)",
            ),
            (
                "two names for one output",
                lambda: named().describe(["a", "b"]),
                InvalidOptionError,
                "outputs",
            ),
        )
    ),
]
