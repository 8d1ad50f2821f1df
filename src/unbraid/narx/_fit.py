"""Polynomial NARX models by linear regression."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.linalg import triangle
from .._util.validation import non_negative, positive_integer
from ..errors import InvalidSamples
from ..sources._hermite import HermitePolynomial, HermiteTerms, whitening
from ._lags import Lags, Spec
from ._model import NARX
from ._records import Records

ROWS = 8192  # regressors whose terms are held at once
MOST_TERMS = 10_000  # a triangle of so many columns is what a computer holds
MOST_RIDGE = 1e60  # from long before on the constant alone is left


def fit_polynomial_narx(
    u: Any,
    y: Any,
    input_lags: Spec = (0, 1),
    output_lags: Spec = (1, 2, 3),
    degree: int = 3,
    *,
    ridge: float = 0.0,
) -> NARX:
    """Polynomial NARX model with all cross terms, by linear regression on the equation error.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
    input_lags, output_lags : sequence of int, or one such sequence a channel
    degree : int
        Of the whole polynomial: m regressors have (m + degree)! / (m! degree!) terms.
    ridge : float
        Weight of the squared coefficients (but the constant's) beside the mean squared error, in
        regressors of unit covariance.

    Examples
    --------
    >>> import numpy as np
    >>> u = np.random.default_rng(0).uniform(-1, 1, 500)
    >>> y = np.zeros(500)
    >>> for t in range(1, 500):
    ...     y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 1] ** 3 + u[t]
    >>> model = fit_polynomial_narx(u, y, input_lags=(0,), output_lags=(1,), degree=3)
    >>> bool(model.score(u, y).percent < 1e-9)
    True
    """
    positive_integer("degree", degree)
    empty = NARX(None, input_lags, output_lags)
    records = empty.records(u, y)
    lags = empty.lags(*records.channels)
    for name, used in (("u", lags.inputs), ("y", [(1,)] * records.n_outputs)):
        together = np.concatenate([getattr(record, name) for record in records.items])
        for i, channel in enumerate(used):
            if channel and np.ptp(together[:, i]) == 0:
                raise InvalidSamples(
                    f"channel {i} of {name} is constant: nothing can be learnt from it; leave it "
                    f"out"
                )
    function = regressed(records, lags, degree, non_negative("ridge", ridge))
    return replace(empty, function=function, limit=records.reach, data=records)


def regressed(records: Records, lags: Lags, degree: int, ridge: float) -> HermitePolynomial:
    """Least squares of y on all terms of its regressors; only a triangle of rows is ever held."""
    centre, spread, n_rows = _moments(records, lags)
    _check_size(math.comb(lags.n_regressors + degree, degree), n_rows)
    terms = HermiteTerms(lags.n_regressors, degree)
    whiten = whitening(spread, n_rows)
    size, n = len(terms), records.n_outputs
    penalty = np.sqrt(min(ridge, MOST_RIDGE) * n_rows) * np.eye(size, size + n)
    penalty[0] = 0.0
    held = penalty[: size if ridge > 0 else 0]
    for table, y in _blocks(records, lags):
        rows = np.concatenate([terms.table((table - centre) @ whiten).T, y], axis=1)
        held = triangle(np.concatenate([held, rows]))
    scale = np.linalg.norm(held[:, :size], axis=0)
    scale[scale == 0] = 1.0
    solved = np.linalg.lstsq(held[:, :size] / scale, held[:, size:], rcond=1e-12)[0]
    return HermitePolynomial(solved.T / scale, terms, centre, whiten)


def _check_size(n_terms: int, n_rows: int) -> None:
    """Refuse more terms than samples, or than can be held, before they are listed."""
    if n_terms <= min(n_rows, MOST_TERMS):
        return
    many = str(n_terms) if n_terms <= MOST_TERMS else f"more than {MOST_TERMS}"
    raise InvalidSamples(
        f"{n_rows} samples with full regressors are too few for {many} terms: use more data, fewer "
        f"lags or a lower degree"
        if n_terms > n_rows
        else f"these lags and this degree make {n_terms} terms, and at most {MOST_TERMS} can be "
        f"held: use fewer lags or a lower degree"
    )


def _blocks(records: Records, lags: Lags) -> Iterator[tuple[Array, Array]]:
    """Regressors and outputs, some rows at a time."""
    for record in records.items:
        for begin in range(lags.longest, len(record), ROWS):
            end = min(begin + ROWS, len(record))
            yield lags.table(record.u, record.y, begin, end), record.y[begin:end]


def _moments(records: Records, lags: Lags) -> tuple[Array, Array, int]:
    """Mean of the regressors, the triangle of the centred ones, and how many there are."""
    n_rows, total = 0, np.zeros(lags.n_regressors)
    for table, _ in _blocks(records, lags):
        n_rows += len(table)
        total += table.sum(axis=0)
    centre = total / max(n_rows, 1)
    spread = np.zeros((0, centre.size))
    for table, _ in _blocks(records, lags):
        spread = triangle(np.concatenate([spread, table - centre]))
    return centre, spread, n_rows
