"""Polynomial NARX models by linear regression."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.linalg import triangle
from .._util.progress import report_progress, show_progress
from .._util.validation import check_integer, check_non_negative
from ..dynamics._records import Records, channel_names, check_name_count
from ..errors import InvalidSamplesError
from ..metrics import monomial_count
from ..sources._hermite import HermitePolynomial, HermiteTerms, compute_whitening
from ._lags import Lags, LagSpec
from ._model import NARX

REGRESSION_BLOCK = 8192  # regressors whose terms are in memory at once
MAX_REGRESSION_TERMS = 10_000  # columns of a triangle that fits into memory
MAX_RIDGE = 1e60  # larger weights leave the constant alone


def fit_polynomial_narx(
    u: Any,
    y: Any,
    input_lags: LagSpec = (0, 1),
    output_lags: LagSpec = (1, 2, 3),
    degree: int = 3,
    *,
    ridge: float = 0.0,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    sampling_time: float | None = None,
    progress: bool | None = None,
) -> NARX:
    """Fit a polynomial NARX model with all cross terms by linear regression.

    The regression minimises the equation error.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
        The model keeps the names of the columns of a table, or that of a series, and finds them in
        other tables.
    input_lags, output_lags : sequence of int, or one such sequence per channel
    degree : int
        Total degree: m regressors have (m + degree)! / (m! degree!) terms.
    ridge : float
        Weight of the squared coefficients (without the constant) relative to the mean squared
        error, in regressors of unit covariance.
    input_names, output_names : list of str, optional
        Names of the channels of u and y, which descriptions and plots use.
    sampling_time : float, optional
        Seconds between samples, which the model keeps.
    progress : bool, optional
        Whether to show a line with the time, as for ``unbraid.decouple``.

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
    check_integer("degree", degree)
    names = {
        "input_names": channel_names(u) if input_names is None else input_names,
        "output_names": channel_names(y) if output_names is None else output_names,
    }
    empty = NARX(
        None,
        input_lags,
        output_lags,
        sampling_time=sampling_time,
        **names,  # type: ignore[arg-type]
    )
    records = empty.records(u, y)
    for name, count in zip(names, records.channels, strict=True):
        check_name_count(name, getattr(empty, name), count)
    lags = empty.lags(*records.channels)
    for name, used in (("u", lags.inputs), ("y", [(1,)] * records.n_outputs)):
        together = np.concatenate([getattr(record, name) for record in records.items])
        for i, channel in enumerate(used):
            if channel and np.ptp(together[:, i]) == 0:
                raise InvalidSamplesError(
                    f"channel {i} of {name} is constant and carries no information: leave it out"
                )
    ridge = check_non_negative("ridge", ridge)
    with show_progress("Identifying", progress):
        function = _regress(records, lags, degree, ridge)
    return replace(empty, function=function, limit=records.divergence_limit, data=records)


def _regress(records: Records, lags: Lags, degree: int, ridge: float) -> HermitePolynomial:
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
