"""A scikit-learn regressor that is a sum of functions of one variable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from .._typing import Array, Index
from .._util.validation import moderate, positive_integer
from ..bases import Basis, BSpline, Polynomial
from ..errors import InvalidOption, InvalidSamples
from ..model._description import Description
from ..model._function import DecoupledFunction
from ._coupled import Given, Recipe, chosen_recipe
from ._growth import grown, in_basis, make_fold, simplest, slimmed, slopes_of, trusting
from ._linear import constant_function, straight_function
from ._rows import Rows, by_chance, constant_error, gathered, spread, thinned
from ._sklearn_errors import told

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASES = (Polynomial(3), BSpline(6), BSpline(8), BSpline(11))
LARGEST = BSpline(16)
MOST_JUDGED = 10_000  # rows in all folds together; at least one fold is looked at
MOST_FITTED = 3000  # rows of a fold
FEWEST = 10  # distinct rows below which a straight line is all that can be fitted


class DecoupledRegressor(
    MultiOutputMixin,
    RegressorMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Regression on data alone: ``y ~ W g(V' x) + c``, every g_i a function of one variable.

    A coupled model is fitted first: it smooths the data and knows its own slopes. It is decoupled,
    and the result is refined on the data. Cross-validation chooses the coupled model, the number of
    branches, and how far the coupled model is to be trusted in the refinement.

    Parameters
    ----------
    n_branches : int or "auto"
        Number of functions of one variable.
    basis : Basis or "auto"
        What they are made of; by default a cubic or B-splines, as few as will do, and smoothed.
    estimator : regressor, optional
        The coupled model. By default the best of ridge regression and two Gaussian processes (one
        length scale, or one an input).
    max_branches : int
        Most branches that "auto" tries.
    n_folds : int
        Of the cross-validation.
    random_state : int, RandomState or None

    Attributes
    ----------
    decoupled_ : DecoupledFunction
    W_, V_, branches_ : of ``decoupled_``
    coupled_ : the coupled model, fitted
    n_branches_ : int
    cv_errors_ : dict
        From the number of branches to the mean square error over the variance, cross-validated.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 3))
    >>> y = np.sin(3 * X[:, 0] + X[:, 1]) + 0.1 * X[:, 2]
    >>> model = DecoupledRegressor(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.999), model.decoupled_.n_branches
    (True, 2)
    """

    def __init__(
        self,
        n_branches: int | Literal["auto"] = "auto",
        basis: Basis | Literal["auto"] = "auto",
        estimator: Any = None,
        max_branches: int = 8,
        n_folds: int = 5,
        random_state: Any = None,
    ) -> None:
        self.n_branches = n_branches
        self.basis = basis
        self.estimator = estimator
        self.max_branches = max_branches
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows X (N, m) and y (N,) or (N, n)."""
        self._check_options()
        with told():
            X, y = validate_data(
                self,
                X,
                y,
                multi_output=True,
                y_numeric=True,
                dtype=np.float64,
                ensure_min_samples=2,
            )
            Y = np.asarray(y, dtype=float).reshape(len(X), -1)
            weights = _weights(sample_weight, X)
        self._flat = y.ndim == 1
        rows = gathered(moderate("X", X), moderate("y", Y), weights)
        self._check_count(rows)
        seed = int(_random(self.random_state).randint(2**31 - 1))
        with np.errstate(under="ignore"):  # of scikit-learn's kernels, whatever the user has set
            self.decoupled_ = self._fitted(rows, seed).named(self._columns())
        self.W_, self.V_ = self.decoupled_.W, self.decoupled_.V
        self.branches_ = self.decoupled_.branches
        self.n_branches_ = self._n_features_out = self.decoupled_.n_branches
        return self

    def _columns(self) -> list[str] | None:
        """Names of the features, where the table had some that tell them apart."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None or len(set(names)) < len(names) else list(names)

    def _fitted(self, rows: Rows, seed: int) -> DecoupledFunction:
        self.coupled_, self.trust_, self.cv_errors_ = None, None, dict[int, float]()
        if len(rows) < FEWEST or not _varies(rows.X) or not _varies(rows.Y):
            return straight_function(rows)
        parts = self._folds(rows, seed)
        recipe: Recipe = (
            chosen_recipe(rows, parts) if self.estimator is None else Given(self.estimator)
        )
        self.coupled_ = recipe.fit(rows)
        coupled = slopes_of(self.coupled_, rows)
        if not np.any(coupled.jacobians):
            return straight_function(rows)
        scale = spread(rows)
        folds = [make_fold(recipe, rows.subset(a), rows.subset(b), scale) for a, b in parts]
        basis, smaller = (self.basis, ()) if isinstance(self.basis, Basis) else (LARGEST, BASES)
        counts = self._counts(recipe.most_branches(rows))
        steps = grown(coupled, folds, scale, counts, basis, seed)
        self.cv_errors_ = {s.function.n_branches: float(s.fold_errors.mean()) for s in steps}
        best = slimmed(simplest(steps), folds, scale, smaller)
        constant = np.array(
            [constant_error(rows.subset(a), rows.subset(b), scale) for a, b in parts]
        )
        if by_chance(constant, best.fold_errors):
            return constant_function(rows)
        self.trust_ = best.trust
        return trusting(in_basis(best.function, coupled, best.basis), rows, coupled, best.trust)

    def _folds(self, rows: Rows, seed: int) -> list[tuple[Index, Index]]:
        """Of many rows, some of few folds: a choice needs no more."""
        folds = rows.folds(min(self.n_folds, len(rows)), seed)[: max(1, MOST_JUDGED // len(rows))]
        return [(_some(a), _some(b)) for a, b in folds]

    def _counts(self, most: int) -> list[int]:
        if not _auto(self.n_branches):
            return [int(self.n_branches)]
        return list(range(1, min(self.max_branches, most) + 1))

    def _check_count(self, rows: Rows) -> None:
        """More numbers than data cannot be fitted, and would take forever."""
        (n_rows, n_inputs), n_outputs = rows.X.shape, rows.Y.shape[1]
        most = max(1, n_rows * n_outputs // (n_inputs + n_outputs + 1))
        if n_rows >= FEWEST and not _auto(self.n_branches) and self.n_branches > most:
            raise InvalidOption(
                f"{self.n_branches} branches have more numbers than these {n_rows} rows can tell: "
                f"choose at most {most}, or n_branches='auto'"
            )

    def _check_options(self) -> None:
        if not _auto(self.n_branches):
            positive_integer("n_branches", self.n_branches)
        if not _auto(self.basis) and not isinstance(self.basis, Basis):
            raise InvalidOption(f"basis is {self.basis!r}: pass a Basis, say BSpline(8), or 'auto'")
        usable = hasattr(self.estimator, "fit") and not isinstance(self.estimator, type)
        if self.estimator is not None and not (usable and hasattr(self.estimator, "predict")):
            raise InvalidOption(
                f"estimator is {self.estimator!r}: pass a regressor with fit and predict, or None"
            )
        positive_integer("max_branches", self.max_branches)
        positive_integer("n_folds", self.n_folds, least=2)

    def predict(self, X: Any) -> Array:
        """Values (N,) or (N, n)."""
        values = self._function(self._checked(X))
        return values[:, 0] if self._flat else values

    def transform(self, X: Any) -> Array:
        """z = X V, (N, n_branches_): what each branch is a function of."""
        return self._function.transform(self._checked(X))

    def plot(self, path: str | Path | None = None) -> Figure:
        """One panel a branch, see ``DecoupledFunction.plot``."""
        return self._function.plot(path, getattr(self, "feature_names_in_", None))

    def describe(self, outputs: Sequence[str] | None = None) -> Description:
        """Every branch in words, see ``DecoupledFunction.describe``; inputs by their names."""
        return self._function.describe(
            names=getattr(self, "feature_names_in_", None), outputs=outputs
        )

    @property
    def _function(self) -> DecoupledFunction:
        check_is_fitted(self)
        return self.decoupled_

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        with told():
            table: Array = validate_data(self, X, reset=False, dtype=np.float64)
        return table


def _auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _random(random_state: Any) -> Any:
    try:
        return check_random_state(random_state)
    except (ValueError, TypeError):
        raise InvalidOption(
            f"random_state is {random_state!r}: pass a whole number of at least 0, a RandomState "
            f"or None"
        ) from None


def _weights(sample_weight: Any, X: Array) -> Array | None:
    """Weights of the rows, the largest 1: only their ratios count."""
    if sample_weight is None:
        return None
    weights: Array = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if not np.any(weights > 0):  # scikit-learn lets this pass before 1.8
        raise InvalidSamples("every sample has weight 0: some must count")
    return np.asarray(weights / weights.max())


def _varies(table: Array) -> bool:
    size = np.abs(table).max(axis=0)
    return bool(np.any(np.ptp(table, axis=0) > 1e-12 * size))


def _some(rows: Index) -> Index:
    return rows[thinned(len(rows), MOST_FITTED)]
