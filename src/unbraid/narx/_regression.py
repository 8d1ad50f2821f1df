"""Linear regression of outputs on all polynomial terms of lagged signals."""

from collections.abc import Iterator

import numpy as np

from .._typing import Array
from .._util.linalg import triangle
from .._util.progress import report_progress
from ..dynamics._records import Records
from ..errors import InvalidSamplesError
from ..metrics import monomial_count
from ..sources._hermite import HermitePolynomial, HermiteTerms, compute_whitening
from ._lags import Lags

REGRESSION_BLOCK = 8192  # regressors whose terms are in memory at once
MAX_REGRESSION_TERMS = 10_000  # columns of a triangle that fits into memory
MAX_RIDGE = 1e60  # larger weights leave the constant alone


def regress_polynomial(
    records: Records, lags: Lags, degree: int, ridge: float = 0.0
) -> HermitePolynomial:
    """Least squares of y on all polynomial terms of its regressors.

    Rows are reduced in blocks to one triangular matrix, which bounds the memory.
    """
    n_rows = sum(len(record) - lags.longest for record in records.items)
    _check_size(monomial_count(lags.n_regressors, degree, 0), n_rows)
    m = lags.n_regressors
    total = sum((table.sum(axis=0) for table, _ in _blocks(records, lags)), np.zeros(m))
    centre, spread = total / n_rows, np.zeros((0, m))
    for table, _ in _blocks(records, lags):
        spread = triangle(np.concatenate([spread, table - centre]))
    whiten = compute_whitening(spread, n_rows)
    terms = HermiteTerms(m, degree)
    size, n = len(terms), records.n_outputs
    penalty = np.sqrt(min(ridge, MAX_RIDGE) * n_rows) * np.eye(size, size + n)
    penalty[0] = 0.0
    system = penalty[: size if ridge > 0 else 0]
    for table, y in _blocks(records, lags):
        rows = np.concatenate([terms.table((table - centre) @ whiten).T, y], axis=1)
        system = triangle(np.concatenate([system, rows]))
    scale = np.linalg.norm(system[:, :size], axis=0)
    scale[scale == 0] = 1.0
    solved = np.linalg.lstsq(system[:, :size] / scale, system[:, size:], rcond=1e-12)[0]
    return HermitePolynomial(solved.T / scale, terms, centre, whiten)


def _check_size(n_terms: int, n_rows: int) -> None:
    """Raise an error for more terms than samples, or than fit into memory."""
    if n_terms > n_rows:
        many = n_terms if n_terms <= MAX_REGRESSION_TERMS else f"more than {MAX_REGRESSION_TERMS}"
        raise InvalidSamplesError(
            f"{n_rows} samples with full regressors are too few for {many} terms: use more data, "
            f"fewer lags or a lower degree"
        )
    if n_terms > MAX_REGRESSION_TERMS:
        raise InvalidSamplesError(
            f"these lags and this degree make {n_terms} terms, and at most {MAX_REGRESSION_TERMS} "
            f"fit into memory: use fewer lags or a lower degree"
        )


def _blocks(records: Records, lags: Lags) -> Iterator[tuple[Array, Array]]:
    """Regressors and outputs, block by block."""
    for record in records.items:
        for begin in range(lags.longest, len(record), REGRESSION_BLOCK):
            end = min(begin + REGRESSION_BLOCK, len(record))
            report_progress("regression")
            yield lags.table(record.u, record.y, begin, end), record.y[begin:end]
