"""Slopes of scikit-learn's models, read off their fitted attributes; nothing is imported.

Each kind of model has a rule, ``rule(model, X) -> (values (N, k), jacobians (N, k, m))``, and
pipelines chain the rules of their steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from ._sklearn_kernels import combined_slopes, pairwise

Pair = tuple[Array, Array]


def slopes(model: Any, X: Array) -> Pair:
    """Values and Jacobians by the rule of the model's kind."""
    rule = _rule(model)
    assert rule is not None
    return rule(model, X)


def _identical(model: Any, X: Array) -> Pair:
    return X, _identity(X)


def _rule(model: Any) -> Callable[[Any, Array], Pair] | None:
    """The rule of the nearest ancestor that has one, unless a subclass predicts in its own way."""
    kinds = type(model).__mro__
    for name in ("predict", "transform"):
        owner = next((kind for kind in kinds if name in vars(kind)), None)
        if owner is not None and not from_sklearn(owner):
            return None
    names = [kind.__name__ for kind in kinds if from_sklearn(kind)]
    if "FunctionTransformer" in names:
        return _identical if model.func is None else None
    return next((RULES[name] for name in names if name in RULES), None)


def from_sklearn(kind: type[Any]) -> bool:
    return str(kind.__module__).split(".")[0] == "sklearn"


def has_rules(model: Any) -> bool:
    """Has every part of the model a rule?"""
    parts = parts_of(model)
    known = _rule(model) is not None and _kernel_known(model) and _target_known(model)
    return known and all(part in ("passthrough", "drop") or has_rules(part) for part in parts)


def parts_of(model: Any) -> list[Any]:
    """Fitted models that this one is made of."""
    name = type(model).__name__
    if name == "Pipeline":
        return [part for _, part in model.steps if part is not None]
    if name == "ColumnTransformer":
        return [part for _, part, _ in model.transformers_]
    if name == "TransformedTargetRegressor":
        transformer = [] if model.transformer_ is None else [model.transformer_]
        return [model.regressor_, *transformer]
    if name in ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV"):
        return [model.best_estimator_]
    if name in ("BaggingRegressor", "MultiOutputRegressor", "VotingRegressor"):
        return list(model.estimators_)
    return []


def width(model: Any, n_inputs: int) -> int:
    """Numbers a point takes in the largest array on the way."""
    own = [n_inputs * n_inputs]
    for name in ("coefs_", "powers_", "components_"):
        arrays = getattr(model, name, None)
        if arrays is not None:
            longest = max(np.shape(a)[-1] if name == "coefs_" else len(arrays) for a in arrays)
            own.append(longest * n_inputs)
    for name in ("X_train_", "X_fit_", "support_vectors_"):
        if hasattr(model, name):
            own.append(3 * len(getattr(model, name)))
    parts = [part for part in parts_of(model) if not isinstance(part, str)]
    return max(*own, *(width(part, n_inputs) for part in parts), 1)


def as_column(values: Any) -> Array:
    table = np.asarray(values, dtype=float)
    return table[:, None] if table.ndim == 1 else table


def _pipeline(model: Any, X: Array) -> Pair:
    values, chain = X, _identity(X)
    for _, part in model.steps:
        if part is None or part == "passthrough":
            continue
        values, own = slopes(part, values)
        chain = own @ chain
    return values, chain


def _identity(X: Array) -> Array:
    m = X.shape[1]
    return np.broadcast_to(np.eye(m), (len(X), m, m))


def _columns(model: Any, X: Array) -> Pair:
    """Of a ColumnTransformer: each part sees some columns."""
    values, jacobians = [], []
    for name, part, columns in model.transformers_:
        if part == "drop" or len(np.atleast_1d(columns)) == 0:
            continue
        chosen = np.arange(X.shape[1])[_positions(model, columns)]
        if part == "passthrough":
            own, local = X[:, chosen], _identity(X[:, chosen])
        else:
            own, local = slopes(part, X[:, chosen])
        wide = np.zeros((len(X), own.shape[1], X.shape[1]))
        wide[:, :, chosen] = local
        place = model.output_indices_[name]
        values.append((place.start, own))
        jacobians.append((place.start, wide))
    order = sorted(range(len(values)), key=lambda k: values[k][0])
    return (
        np.concatenate([values[k][1] for k in order], axis=1),
        np.concatenate([jacobians[k][1] for k in order], axis=1),
    )


def _positions(model: Any, columns: Any) -> Any:
    """Columns by number; names are looked up."""
    if isinstance(columns, slice):
        return columns
    listed = list(np.atleast_1d(columns))
    if listed and isinstance(listed[0], str):
        names = list(model.feature_names_in_)
        return [names.index(name) for name in listed]
    return columns


def _target(model: Any, X: Array) -> Pair:
    values, jacobians = slopes(model.regressor_, X)
    if model.transformer_ is None:
        return values, jacobians
    scale, shift = _affine(model.transformer_, values.shape[1], inverse=True)
    return values * scale + shift, jacobians * scale[:, None]


def _affine(scaler: Any, size: int, inverse: bool = False) -> Pair:
    """Factor and shift of a scaler, there or back."""
    scale, shift = np.ones(size), np.zeros(size)
    name = type(scaler).__name__
    if name == "FunctionTransformer":  # without a function
        pass
    elif name == "MinMaxScaler":
        scale, shift = scaler.scale_, scaler.min_
    elif name == "RobustScaler" or name == "StandardScaler":
        centre = scaler.center_ if name == "RobustScaler" else scaler.mean_
        kept = scaler.with_centering if name == "RobustScaler" else scaler.with_mean
        scale = scale if scaler.scale_ is None else 1 / scaler.scale_
        shift = -centre * scale if kept and centre is not None else shift
    else:
        scale = 1 / scaler.scale_
    scale, shift = np.asarray(scale, dtype=float), np.asarray(shift, dtype=float)
    return (1 / scale, -shift / scale) if inverse else (scale, shift)


def _scaler(model: Any, X: Array) -> Pair:
    scale, shift = _affine(model, X.shape[1])
    return X * scale + shift, _identity(X) * scale[:, None]


def _polynomial(model: Any, X: Array) -> Pair:
    powers = np.asarray(model.powers_)
    values = np.prod(X[:, None, :] ** powers, axis=2)
    jacobians = np.empty((len(X), *powers.shape))
    for l in range(X.shape[1]):
        lower = powers.copy()
        lower[:, l] = np.maximum(lower[:, l] - 1, 0)
        jacobians[:, :, l] = powers[:, l] * np.prod(X[:, None, :] ** lower, axis=2)
    return values, jacobians


def _projection(model: Any, X: Array) -> Pair:
    """PCA and its kin."""
    matrix = np.asarray(model.components_, dtype=float)
    if getattr(model, "whiten", False):
        least = np.finfo(model.explained_variance_.dtype).eps
        matrix = matrix / np.sqrt(np.maximum(model.explained_variance_, least))[:, None]
    centre = getattr(model, "mean_", None)
    shifted = X if centre is None else X - centre
    return shifted @ matrix.T, np.broadcast_to(matrix, (len(X), *matrix.shape))


def _linear(model: Any, X: Array) -> Pair:
    matrix = np.atleast_2d(np.asarray(model.coef_, dtype=float))
    values = X @ matrix.T + model.intercept_
    return values, np.broadcast_to(matrix, (len(X), *matrix.shape))


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {  # slopes, as functions of the outcome
    "identity": np.ones_like,
    "tanh": lambda y: 1 - y**2,
    "logistic": lambda y: y * (1 - y),
    "relu": lambda y: (y > 0).astype(float),
}


def _network(model: Any, X: Array) -> Pair:
    values, chain = X, _identity(X)
    for layer, (weight, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        last = layer == len(model.coefs_) - 1
        name = model.out_activation_ if last else model.activation
        values = _activated(name, values @ weight + bias)
        chain = ACTIVATIONS[name](values)[:, :, None] * (weight.T @ chain)
    return values, chain


def _activated(name: str, x: Array) -> Array:
    from scipy.special import expit

    functions = {"tanh": np.tanh, "logistic": expit, "relu": lambda x: np.maximum(x, 0.0)}
    return np.asarray(functions[name](x) if name in functions else x)


def _process(model: Any, X: Array) -> Pair:
    """The posterior mean of a Gaussian process."""
    alpha = as_column(model.alpha_)
    scale = np.broadcast_to(np.asarray(model._y_train_std, dtype=float), alpha.shape[1:])
    values = model.kernel_(X, model.X_train_) @ alpha * scale + model._y_train_mean
    jacobians = combined_slopes(model.kernel_, X, model.X_train_, alpha)
    return values, jacobians * scale[:, None]


def _kernel_ridge(model: Any, X: Array) -> Pair:
    kernel, alpha = pairwise(model, X.shape[1]), as_column(model.dual_coef_)
    return (
        kernel(X, model.X_fit_) @ alpha,
        combined_slopes(kernel, X, np.asarray(model.X_fit_, dtype=float), alpha),
    )


def _support_vectors(model: Any, X: Array) -> Pair:
    kernel, alpha = pairwise(model, X.shape[1]), model.dual_coef_.T
    return (
        kernel(X, model.support_vectors_) @ alpha + model.intercept_,
        combined_slopes(kernel, X, model.support_vectors_, alpha),
    )


def _best(model: Any, X: Array) -> Pair:
    return slopes(model.best_estimator_, X)


def _side_by_side(model: Any, X: Array) -> Pair:
    pairs = [slopes(part, X) for part in model.estimators_]
    return (
        np.concatenate([values for values, _ in pairs], axis=1),
        np.concatenate([jacobians for _, jacobians in pairs], axis=1),
    )


def _vote(model: Any, X: Array) -> Pair:
    pairs = [slopes(part, X) for part in model.estimators_]
    weights = model._weights_not_none
    return (
        np.average([values for values, _ in pairs], axis=0, weights=weights),
        np.average([jacobians for _, jacobians in pairs], axis=0, weights=weights),
    )


def _target_known(model: Any) -> bool:
    """Is the target left as it is, or scaled?"""
    transformer = getattr(model, "transformer_", None)
    return transformer is None or _rule(transformer) in (_scaler, _identical)


def _kernel_known(model: Any) -> bool:
    """Is the model free of kernels, or made with one whose slope is known?"""
    try:
        if hasattr(model, "kernel_"):
            combined_slopes(model.kernel_, model.X_train_[:1], model.X_train_[:2], np.ones((2, 1)))
        elif hasattr(model, "dual_coef_"):
            pairwise(model, 1)
    except KeyError:
        return False
    return True


RULES: dict[str, Callable[[Any, Array], Pair]] = {
    "Pipeline": _pipeline,
    "ColumnTransformer": _columns,
    "TransformedTargetRegressor": _target,
    "GridSearchCV": _best,
    "RandomizedSearchCV": _best,
    "HalvingGridSearchCV": _best,
    "MultiOutputRegressor": _side_by_side,
    "VotingRegressor": _vote,
    "StandardScaler": _scaler,
    "MinMaxScaler": _scaler,
    "MaxAbsScaler": _scaler,
    "RobustScaler": _scaler,
    "PolynomialFeatures": _polynomial,
    "PCA": _projection,
    "TruncatedSVD": _projection,
    "LinearModel": _linear,
    "LinearSVR": _linear,
    "SGDRegressor": _linear,
    "PLSRegression": _linear,
    "MLPRegressor": _network,
    "GaussianProcessRegressor": _process,
    "KernelRidge": _kernel_ridge,
    "SVR": _support_vectors,
    "NuSVR": _support_vectors,
}
