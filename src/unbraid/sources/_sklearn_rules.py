"""Jacobians of scikit-learn's models, computed from their fitted attributes.

Every supported class has a rule ``rule(model, X)`` that returns Jacobians (N, k, m). A pipeline
chains the rules of its steps.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
import scipy

from .._typing import Array
from ._packages import package_of
from ._polynomial import evaluate_monomials, lower_exponents
from ._sklearn_kernels import differentiate_kernel, make_kernel


def differentiate(model: Any, X: Array) -> Array:
    """Jacobians (N, k, m) by the rule of the model's class."""
    rule = _find_rule(model)
    assert rule is not None
    return rule(model, X)


def _find_rule(model: Any) -> Callable[[Any, Array], Array] | None:
    """The rule of the nearest ancestor that has one; None if it does not apply.

    It does not apply if, for example, a subclass overrides the predictions.
    """
    kinds = type(model).__mro__
    for name in ("predict", "transform"):
        owner = next((kind for kind in kinds if name in vars(kind)), None)
        if owner is not None and package_of(owner) != "sklearn":
            return None
    names = [kind.__name__ for kind in kinds if package_of(kind) == "sklearn"]
    if "FunctionTransformer" in names and model.func is not None:
        return None
    if getattr(model, "clip", False):  # of a MinMaxScaler: the slope is 0 outside its range
        return None
    return next((RULES_BY_CLASS[name] for name in names if name in RULES_BY_CLASS), None)


def has_rules(model: Any) -> bool:
    """Return whether every part of the model has a rule."""
    known = _find_rule(model) is not None and _knows_kernel(model) and _knows_target(model)
    parts = parts_of(model)
    return known and all(part in ("passthrough", "drop") or has_rules(part) for part in parts)


def parts_of(model: Any) -> list[Any]:
    """The fitted models that a model is made of."""
    find_parts = PARTS_BY_CLASS.get(type(model).__name__)
    return [] if find_parts is None else [part for part in find_parts(model) if part is not None]


def entries_per_point(model: Any, n_inputs: int) -> int:
    """The number of entries per point in the largest array that a rule makes."""
    sizes = [n_inputs * n_inputs, 1]
    for name in ("coefs_", "powers_", "components_"):
        arrays = getattr(model, name, None)
        if arrays is not None:
            longest = max(np.shape(a)[-1] if name == "coefs_" else len(arrays) for a in arrays)
            sizes.append(longest * n_inputs)
    for name in ("X_train_", "X_fit_", "support_vectors_"):
        if hasattr(model, name):
            sizes.append(3 * len(getattr(model, name)))
    parts = [part for part in parts_of(model) if not isinstance(part, str)]
    return max(*sizes, *(entries_per_point(part, n_inputs) for part in parts))


def call_with_names(model: Any, method: str, X: Any) -> Array:
    """Call predict or transform, with column names if the model was fitted with them."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        import pandas

        X = pandas.DataFrame(X, columns=names)
    return _as_columns(getattr(model, method)(X))


def _as_columns(values: Any) -> Array:
    table = np.asarray(values, dtype=float)
    return table[:, None] if table.ndim == 1 else table


def _identity(model: Any, X: Array) -> Array:
    return _repeat(np.eye(X.shape[1]), X)


def _repeat(matrix: Array, X: Array) -> Array:
    """The same matrix for every point."""
    return np.broadcast_to(matrix, (len(X), *matrix.shape))


def _pipeline(model: Any, X: Array) -> Array:
    steps = [part for _, part in model.steps if part is not None and part != "passthrough"]
    chain = _identity(None, X)
    for k, part in enumerate(steps):
        chain = differentiate(part, X) @ chain
        X = call_with_names(part, "transform", X) if k < len(steps) - 1 else X
    return chain


def _column_transformer(model: Any, X: Array) -> Array:
    blocks = []
    for name, part, columns in model.transformers_:
        if part == "drop" or len(np.atleast_1d(columns)) == 0:
            continue
        chosen = np.arange(X.shape[1])[_find_positions(model, columns)]
        rule = _identity if part == "passthrough" else differentiate
        local = rule(part, X[:, chosen])
        wide = np.zeros((len(X), local.shape[1], X.shape[1]))
        wide[:, :, chosen] = local
        blocks.append((model.output_indices_[name].start, wide))
    return np.concatenate([wide for _, wide in sorted(blocks, key=itemgetter(0))], axis=1)


def _find_positions(model: Any, columns: Any) -> Any:
    """Columns by position; names are looked up."""
    if isinstance(columns, slice):
        return columns
    listed = list(np.atleast_1d(columns))
    if listed and isinstance(listed[0], str):
        names = list(model.feature_names_in_)
        return [names.index(name) for name in listed]
    return columns


def _transformed_target(model: Any, X: Array) -> Array:
    jacobians = differentiate(model.regressor_, X)
    if model.transformer_ is None:
        return jacobians
    return jacobians / _find_scale(model.transformer_, jacobians.shape[1])[:, None]


def _find_scale(scaler: Any, size: int) -> Array:
    """The factors by which a scaler multiplies."""
    scale = getattr(scaler, "scale_", None)
    if scale is None:
        return np.ones(size)
    return np.asarray(scale if type(scaler).__name__ == "MinMaxScaler" else 1 / scale, dtype=float)


def _scaler(model: Any, X: Array) -> Array:
    return _repeat(np.diag(_find_scale(model, X.shape[1])), X)


def _polynomial_features(model: Any, X: Array) -> Array:
    slopes = [
        power * evaluate_monomials(X, lower_exponents(model.powers_, l))
        for l, power in enumerate(model.powers_.T)
    ]
    return np.stack(slopes, axis=2)


def _projection(model: Any, X: Array) -> Array:
    matrix = np.asarray(model.components_, dtype=float)
    if getattr(model, "whiten", False):
        least = np.finfo(model.explained_variance_.dtype).eps
        matrix = matrix / np.sqrt(np.maximum(model.explained_variance_, least))[:, None]
    return _repeat(matrix, X)


ACTIVATIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "identity": (np.asarray, np.ones_like),  # the function, and its slope from its value
    "tanh": (np.tanh, lambda y: 1 - y**2),
    "logistic": (lambda x: scipy.special.expit(x), lambda y: y * (1 - y)),
    "relu": (lambda x: np.maximum(x, 0.0), lambda y: (y > 0).astype(float)),
}


def _network(model: Any, X: Array) -> Array:
    values, chain = X, _identity(model, X)
    names = [model.activation] * (len(model.coefs_) - 1) + [model.out_activation_]
    for name, weight, bias in zip(names, model.coefs_, model.intercepts_, strict=True):
        function, slope = ACTIVATIONS[name]
        values = function(values @ weight + bias)
        chain = slope(values)[:, :, None] * (weight.T @ chain)
    return np.asarray(chain)


def _gaussian_process(model: Any, X: Array) -> Array:
    """Jacobians of the posterior mean."""
    alpha = _as_columns(model.alpha_)
    scale = np.broadcast_to(np.asarray(model._y_train_std, dtype=float), alpha.shape[1:])
    slopes = differentiate_kernel(model.kernel_, X, model.X_train_, alpha)
    return np.asarray(slopes * scale[:, None])


def _kernel_ridge(model: Any, X: Array) -> Array:
    points, alpha = np.asarray(model.X_fit_, dtype=float), _as_columns(model.dual_coef_)
    return differentiate_kernel(make_kernel(model, X.shape[1]), X, points, alpha)


def _support_vectors(model: Any, X: Array) -> Array:
    kernel = make_kernel(model, X.shape[1])
    return differentiate_kernel(kernel, X, model.support_vectors_, model.dual_coef_.T)


def _vote(model: Any, X: Array) -> Array:
    parts = [differentiate(part, X) for part in model.estimators_]
    return np.asarray(np.average(parts, axis=0, weights=model._weights_not_none))


def _knows_target(model: Any) -> bool:
    """Return whether the target is not transformed, or only scaled."""
    transformer = getattr(model, "transformer_", None)
    return transformer is None or _find_rule(transformer) in (_scaler, _identity)


def _knows_kernel(model: Any) -> bool:
    """Return whether the model has no kernel, or one with a known derivative."""
    try:
        if hasattr(model, "kernel_"):
            points = model.X_train_
            differentiate_kernel(model.kernel_, points[:1], points[:2], np.ones((2, 1)))
        elif hasattr(model, "dual_coef_"):
            make_kernel(model, 1)
    except KeyError:
        return False
    return True


SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV")
ENSEMBLES = ("BaggingRegressor", "MultiOutputRegressor", "VotingRegressor")
SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
LINEAR = ("LinearModel", "LinearSVR", "SGDRegressor", "PLSRegression")
PARTS_BY_CLASS: dict[str, Callable[[Any], list[Any]]] = {
    "Pipeline": lambda model: [part for _, part in model.steps],
    "ColumnTransformer": lambda model: [part for _, part, _ in model.transformers_],
    "TransformedTargetRegressor": lambda model: [model.regressor_, model.transformer_],
    **dict.fromkeys(SEARCHES, lambda model: [model.best_estimator_]),
    **dict.fromkeys(ENSEMBLES, lambda model: list(model.estimators_)),
}
RULES_BY_CLASS: dict[str, Callable[[Any, Array], Array]] = {
    "FunctionTransformer": _identity,
    "Pipeline": _pipeline,
    "ColumnTransformer": _column_transformer,
    "TransformedTargetRegressor": _transformed_target,
    "MultiOutputRegressor": lambda model, X: np.concatenate(
        [differentiate(part, X) for part in model.estimators_], axis=1
    ),
    "VotingRegressor": _vote,
    "PolynomialFeatures": _polynomial_features,
    "PCA": _projection,
    "TruncatedSVD": _projection,
    "MLPRegressor": _network,
    "GaussianProcessRegressor": _gaussian_process,
    "KernelRidge": _kernel_ridge,
    "SVR": _support_vectors,
    "NuSVR": _support_vectors,
    **dict.fromkeys(SEARCHES, lambda model, X: differentiate(model.best_estimator_, X)),
    **dict.fromkeys(SCALERS, _scaler),
    **dict.fromkeys(LINEAR, lambda model, X: _repeat(np.array(model.coef_, float, ndmin=2), X)),
}
