"""A scikit-learn regressor that is a sum of functions of one variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from .._typing import Array, Index
from .._util.progress import report_progress, show_progress
from .._util.threads import limit_threads
from .._util.validation import check_integer, check_magnitude
from ..bases import Basis, BSpline, Polynomial
from ..data._samples import Samples
from ..errors import InvalidOptionError
from ..model._description import Description
from ..model._function import DecoupledFunction, with_extrapolation
from ..pipeline._partial_residuals import with_partial_residuals
from ._checks import check_seed, check_weights, find_output_names, is_auto, varies
from ._coupled import UserRegression, choose_regression
from ._cross_validation import (
    bound_noise,
    make_fold,
    sample_coupled,
)
from ._curve_bands import with_posterior_bands
from ._data_fit import with_data_fit
from ._growth import choose_extrapolation, choose_step, grow_branches, reduce_basis
from ._linear import fit_constant_function, fit_linear_function, with_leave_one_out_errors
from ._posterior import estimate_posterior
from ._refits import refine_on_coupled, refine_on_data
from ._rows import Rows, is_chance, merge_equal_rows, spaced_indices
from ._sklearn_errors import translate_sklearn_errors
from ._warnings import warn_if_unreliable, warn_if_worse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST_BASIS = BSpline(16)
SMALLER_BASES = (Polynomial(3), BSpline(6), BSpline(8), BSpline(11))
MAX_VALIDATED_ROWS = 10_000  # in all folds together; at least one fold is used
MAX_FOLD_ROWS = 3000
THREADED_SIZE = 100_000  # of X: from here on, linear algebra may use several threads
MIN_NONLINEAR_ROWS = 10  # distinct rows; fewer support a linear function only


class DecoupledRegressor(
    MultiOutputMixin,
    RegressorMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Regression on data: ``y ~ W g(V' x) + c``, with functions g_i of one variable.

    A coupled model is fitted first: it smooths the data and has slopes. It is decoupled, and the
    result is refined on the data. Cross-validation chooses the coupled model, the number of
    branches, and the weight of the coupled model's slopes in the refinement.

    Parameters
    ----------
    n_branches : int or "auto"
        Number of functions of one variable.
    basis : Basis or "auto"
        Basis of the branches; by default the smallest sufficient one of a cubic and B-splines,
        with smoothing.
    estimator : regressor, optional
        The coupled model. By default the best of ridge regression and two Gaussian processes (one
        length scale, or one per input).
    max_branches : int
        Largest number of branches that "auto" tries.
    n_folds : int
        Number of folds of the cross-validation.
    random_state : int, RandomState or None
    progress : bool, optional
        Whether to show a line with the stage and the time, as for ``unbraid.decouple``.

    Attributes
    ----------
    decoupled_ : DecoupledFunction
        Its ``held_out_error`` is cross-validated.
    W_, V_, branches_ : of ``decoupled_``
    coupled_ : the coupled model, fitted
    n_branches_ : int
    cv_errors_ : dict
        From the number of branches to the mean square error over the variance, cross-validated.
    noise_ : float or (n,)
        Standard deviation of the noise of y.
    trust_ : float or None
        Weight of the coupled model's slopes in the refinement; None if only the offset was fitted
        to the data.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    >>> y = np.sin(3 * X[:, 0] + X[:, 1]) + 0.1 * X[:, 2]
    >>> model = DecoupledRegressor(max_branches=2, n_folds=2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.999), model.decoupled_.n_branches
    (True, 2)
    >>> value, error = model.predict([[0.0, 0.0, 0.0]], return_std=True)
    >>> bool(abs(value[0]) < 3 * error[0] < 0.1)
    True
    """

    def __init__(
        self,
        n_branches: int | Literal["auto"] = "auto",
        basis: Basis | Literal["auto"] = "auto",
        estimator: Any = None,
        max_branches: int = 8,
        n_folds: int = 5,
        random_state: Any = None,
        progress: bool | None = None,
    ) -> None:
        self.n_branches = n_branches
        self.basis = basis
        self.estimator = estimator
        self.max_branches = max_branches
        self.n_folds = n_folds
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows X (N, m) and y (N,) or (N, n)."""
        self._check_options()
        outputs = find_output_names(y)
        checks = {"multi_output": True, "y_numeric": True, "ensure_min_samples": 2}
        with translate_sklearn_errors():
            X, y = validate_data(self, X, y, dtype=np.float64, **checks)
            Y = np.asarray(y, dtype=float).reshape(len(X), -1)
            weights = check_weights(sample_weight, X)
        self._flat = y.ndim == 1
        rows = merge_equal_rows(check_magnitude("X", X), check_magnitude("y", Y), weights)
        self._check_count(rows)
        seed = int(check_seed(self.random_state).randint(2**31 - 1))
        names = getattr(self, "feature_names_in_", None)
        if names is not None and len(set(names)) < len(names):
            names = None
        shown = show_progress("Fitting", self.progress)
        threads = limit_threads(X.size < THREADED_SIZE)
        with shown, threads, np.errstate(under="ignore"):  # of kernels, whatever the user has set
            self._most_noise = np.full(rows.Y.shape[1], np.inf)
            d = self._fit_rows(rows, seed).named(None if names is None else list(names), outputs)
            d = self._add_uncertainty(d, rows)
        warn_if_unreliable(d, len(rows))
        self.decoupled_, self.W_, self.V_, self.branches_ = d, d.W, d.V, d.branches
        self.n_branches_ = self._n_features_out = d.n_branches
        return self

    def _add_uncertainty(self, d: DecoupledFunction, rows: Rows) -> DecoupledFunction:
        """Estimate standard errors and noise; return the function with bands and errors."""
        posterior = self._posterior = estimate_posterior(d, rows)
        noise = rows.residual_spread(d(rows.X))
        if posterior is not None:
            d, noise = with_posterior_bands(d, posterior, rows.X), posterior.noise
        noise = np.minimum(noise, self._most_noise)
        self.noise_ = float(noise[0]) if self._flat else noise
        return with_data_fit(d, rows, noise)

    def _fit_rows(self, rows: Rows, seed: int) -> DecoupledFunction:
        self.coupled_, self.trust_, self.cv_errors_ = None, None, dict[int, float]()
        if not varies(rows.X) or not varies(rows.Y):
            return fit_linear_function(rows)
        if len(rows) < MIN_NONLINEAR_ROWS:
            return with_leave_one_out_errors(fit_linear_function(rows), rows)
        parts = self._split_folds(rows, seed)
        user = None if self.estimator is None else UserRegression(self.estimator)
        report_progress("coupled model")
        regression = user or choose_regression(rows, parts)
        self.coupled_ = regression.fit(rows)
        coupled = sample_coupled(self.coupled_, rows)
        if not np.any(coupled.jacobians):
            return fit_linear_function(rows)
        scale = rows.output_scale
        folds = [make_fold(regression, rows.subset(a), rows.subset(b), scale) for a, b in parts]
        self._most_noise = bound_noise(folds)
        basis = self.basis if isinstance(self.basis, Basis) else LARGEST_BASIS
        smaller = SMALLER_BASES if is_auto(self.basis) else ()
        most = min(self.max_branches, regression.max_branches(rows))
        counts = range(1, most + 1) if is_auto(self.n_branches) else [int(self.n_branches)]
        steps = grow_branches(coupled, folds, counts, basis, seed)
        self.cv_errors_ = {s.function.n_branches: float(s.fold_errors.mean()) for s in steps}
        best = reduce_basis(choose_step(steps), folds, smaller)
        if is_chance(np.array([fold.constant_error for fold in folds]), best.fold_errors):
            return fit_constant_function(rows)
        extrapolate, errors, held_out_error = choose_extrapolation(best, folds)
        self.trust_ = best.slope_weight
        self.cv_errors_[best.function.n_branches] = float(errors.mean())
        starts = refine_on_coupled([best.function], [coupled], best.basis)
        d = refine_on_data(starts, [(rows, coupled)], best.slope_weight)[0]
        d = with_partial_residuals(d, Samples(rows.X, rows.Y, coupled.jacobians))
        if is_auto(self.n_branches):
            warn_if_worse(errors, np.array([fold.coupled_error for fold in folds]))
        return replace(with_extrapolation(d, extrapolate), held_out_error=held_out_error)

    def _split_folds(self, rows: Rows, seed: int) -> list[tuple[Index, Index]]:
        """Folds of the rows; of many rows only some, and in fewer folds."""
        folds = rows.split_folds(min(self.n_folds, len(rows)), seed)
        return [
            (a[spaced_indices(len(a), MAX_FOLD_ROWS)], b[spaced_indices(len(b), MAX_FOLD_ROWS)])
            for a, b in folds[: max(1, MAX_VALIDATED_ROWS // len(rows))]
        ]

    def _check_count(self, rows: Rows) -> None:
        """Raise an error if there are more parameters than data."""
        (n_rows, n_inputs), n_outputs = rows.X.shape, rows.Y.shape[1]
        most = max(1, n_rows * n_outputs // (n_inputs + n_outputs + 1))
        auto = is_auto(self.n_branches)
        if n_rows >= MIN_NONLINEAR_ROWS and not auto and self.n_branches > most:
            raise InvalidOptionError(
                f"n_branches = {self.n_branches} makes more parameters than {n_rows} rows "
                f"determine: choose at most {most}, or 'auto'"
            )

    def _check_options(self) -> None:
        if not is_auto(self.n_branches):
            check_integer("n_branches", self.n_branches)
        if not is_auto(self.basis) and not isinstance(self.basis, Basis):
            raise InvalidOptionError(
                f"basis is {self.basis!r}: pass a Basis, say BSpline(8), or 'auto'"
            )
        usable = hasattr(self.estimator, "fit") and not isinstance(self.estimator, type)
        if self.estimator is not None and not (usable and hasattr(self.estimator, "predict")):
            raise InvalidOptionError(
                f"estimator is {self.estimator!r}: pass a regressor with fit and predict, or None"
            )
        check_integer("max_branches", self.max_branches)
        check_integer("n_folds", self.n_folds, least=2)

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> Array: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[Array, Array]: ...

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Values (N,) or (N, n), and on request their standard errors.

        A standard error is that of the function, without the noise of y; it grows outside the data.
        A new y has the standard deviation ``np.hypot(std, model.noise_)``.
        """
        table = self._check_table(X)
        values = self.decoupled_(table)
        if not return_std:
            return values[:, 0] if self._flat else values
        if self._posterior is None:
            raise InvalidOptionError(
                f"{self.n_features_in_} inputs and {self.decoupled_.n_outputs} outputs are too "
                f"many for standard errors: fit fewer outputs at a time, or leave inputs out"
            )
        errors = self._posterior.standard_errors(table)
        return (values[:, 0], errors[:, 0]) if self._flat else (values, errors)

    def transform(self, X: Any) -> Array:
        """z = X V, (N, n_branches_): the variable of each branch."""
        table = self._check_table(X)
        return self.decoupled_.transform(table)

    def plot(self, path: str | Path | None = None, **options: Any) -> Figure:
        """One panel per term; options as in ``DecoupledFunction.plot``."""
        check_is_fitted(self)
        return self.decoupled_.plot(path, getattr(self, "feature_names_in_", None), **options)

    def describe(self, outputs: Sequence[str] | None = None) -> Description:
        """Describe the function, as ``DecoupledFunction.describe`` does.

        Inputs and outputs have the names of the columns that were fitted.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return self.decoupled_.describe(names=names, outputs=outputs)

    def _check_table(self, X: Any) -> Array:
        check_is_fitted(self)
        with translate_sklearn_errors():
            table: Array = validate_data(self, X, reset=False, dtype=np.float64)
        return table
