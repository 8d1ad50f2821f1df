"""Fit data without Jacobians by a regression, which needs scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

import unbraid

from ..errors import FitWarning, InvalidOptionError, InvalidSamplesError
from ..metrics import relative_error
from ._sections import reject_options
from ._summaries import check_name_counts
from ._tables import DataTable

if TYPE_CHECKING:
    from ..regression import DecoupledRegressor

MIN_RELIABLE_ROWS = 10  # a table with fewer rows gets a warning


def fit_regressor(table: DataTable, options: SimpleNamespace) -> DecoupledRegressor:
    """A regressor fitted to the table; its function has the errors of the fit."""
    reason = f"Jacobians, which {options.model} does not have"
    reject_options(options, ("held_out", "tolerance", "starts"), f"needs {reason}")
    if options.method != "varpro":
        raise InvalidOptionError(f"--method {options.method} needs {reason}")
    X, Y = table.X, table.Y
    if len(X) < 2:
        raise InvalidSamplesError(f"{options.model} has {len(X)} rows: at least 2 are needed")
    if len(X) < MIN_RELIABLE_ROWS:
        text = f"{options.model} has {len(X)} rows: so few say little about a function"
        warnings.warn(f"{text}, whatever the error", FitWarning, stacklevel=2)
    check_name_counts(X.shape[1], Y.shape[1], options.names, options.output_names)
    # an attribute of the package, which says what to install where scikit-learn is missing
    model: DecoupledRegressor = unbraid.DecoupledRegressor(
        n_branches=options.branches,
        basis=options.basis,
        max_branches=options.max_branches or 8,
        random_state=options.seed,
        progress=False if options.quiet else None,
    )
    model.fit(X, Y)
    d = model.decoupled_
    model.decoupled_ = replace(d, fitted_error=relative_error(Y, d(X)))
    return model


def cross_validated_error(model: DecoupledRegressor) -> float | None:
    """Error in % on rows that were not fitted, if some were held out."""
    error = model.cv_errors_.get(model.n_branches_)
    return None if error is None else float(100 * np.sqrt(error))
