"""Data without Jacobians: a regression, where scikit-learn is installed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FitWarning, InvalidOption, InvalidSamples
from ..metrics import relative_error
from ._summaries import check_names
from ._tables import Table

if TYPE_CHECKING:
    from ..regression import DecoupledRegressor

FEW = 10  # rows that a person would not draw a curve through
FOREIGN = ("held_out", "tolerance", "starts")  # options that a regression has no use for


def regress(table: Table, options: SimpleNamespace) -> DecoupledRegressor:
    """A regressor fitted to the table; its function knows its errors.

    That on rows held back is the mean of the outputs, for each of them.
    """
    for name in FOREIGN:
        if getattr(options, name) is not None:
            raise InvalidOption(
                f"--{name.replace('_', '-')} is for models with Jacobians, which {options.model} "
                f"has not"
            )
    if options.method != "varpro":
        raise InvalidOption(
            f"--method {options.method} needs Jacobians, which {options.model} has not"
        )
    X, Y = table.X, table.Y
    if len(X) < 2:
        raise InvalidSamples(f"{options.model} has {len(X)} rows: at least 2 are needed")
    if len(X) < FEW:
        warnings.warn(
            f"{options.model} has {len(X)} rows: so few say little about a function, whatever the "
            f"error",
            FitWarning,
            stacklevel=2,
        )
    check_names(X.shape[1], Y.shape[1], options.names, options.output_names)
    model = _regressor()(
        n_branches=options.branches,
        basis=options.basis,
        max_branches=options.max_branches or 8,
        random_state=options.seed,
    )
    model.fit(X, Y)
    d, held = model.decoupled_, cross_validated(model)
    model.decoupled_ = replace(
        d,
        fitted_error=relative_error(Y, d(X)),
        held_out_error=None if held is None else np.full(d.n_outputs, held),
    )
    return model  # type: ignore[no-any-return]


def _regressor() -> Any:
    import unbraid

    return unbraid.DecoupledRegressor  # says what to install where scikit-learn is missing


def cross_validated(model: DecoupledRegressor) -> float | None:
    """Error in % on rows that were not fitted, where some were held back."""
    error = model.cv_errors_.get(model.n_branches_)
    return None if error is None else float(100 * np.sqrt(error))
