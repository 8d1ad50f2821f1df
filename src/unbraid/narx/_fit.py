"""Polynomial NARX models by linear regression."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .._util.progress import show_progress
from .._util.validation import check_integer, check_non_negative
from ..dynamics._records import Records, channel_names, check_name_count, make_records
from ..errors import InvalidOptionError, InvalidSamplesError
from ._lag_selection import GivenLags, LagSelection, choose_lags
from ._lags import Lags, LagSpec, expand_channels
from ._model import NARX
from ._regression import regress_polynomial

AUTO = "auto"
AUTOMATIC_DEGREES = (1, 2, 3)  # of an automatic choice


def fit_polynomial_narx(
    u: Any,
    y: Any,
    input_lags: LagSpec | Literal["auto"] = (0, 1),
    output_lags: LagSpec | Literal["auto"] = (1, 2, 3),
    degree: int | Literal["auto"] = 3,
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
    input_lags, output_lags : sequence of int, one such sequence per channel, or "auto"
        "auto" selects lags as ``select_lags`` does.
    degree : int or "auto"
        Total degree: m regressors have (m + degree)! / (m! degree!) terms. "auto" selects 1, 2
        or 3.
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
    names = {
        "input_names": channel_names(u) if input_names is None else input_names,
        "output_names": channel_names(y) if output_names is None else output_names,
    }
    with show_progress("Identifying", progress):
        if AUTO in (input_lags, output_lags, degree):
            chosen = select_lags(u, y, degree, input_lags=input_lags, output_lags=output_lags)
            input_lags, output_lags, degree = chosen.input_lags, chosen.output_lags, chosen.degree
        empty = NARX(None, input_lags, output_lags, sampling_time=sampling_time, **names)  # type: ignore[arg-type]
        records = empty.records(u, y)
        for name, count in zip(names, records.channels, strict=True):
            check_name_count(name, getattr(empty, name), count)
        lags = empty.lags(*records.channels)
        _check_inputs_vary(records, lags)
        weight = check_non_negative("ridge", ridge)
        function = regress_polynomial(records, lags, check_integer("degree", degree), weight)
    return replace(empty, function=function, limit=records.divergence_limit, data=records)


def select_lags(
    u: Any,
    y: Any,
    degree: int | Literal["auto"] = "auto",
    *,
    input_lags: LagSpec | Literal["auto"] = "auto",
    output_lags: LagSpec | Literal["auto"] = "auto",
    progress: bool | None = None,
) -> LagSelection:
    """Select delays, lags and degree of a polynomial NARX model.

    The delay of every input comes from a regression of the outputs on the lags of the inputs and of
    their squares. Polynomials with 1 to 5 lags after the delay are fitted to the first four fifths
    of the records. The smallest one is chosen whose simulation of the rest is within 5 % of the
    least error.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
    degree : int or "auto"
    input_lags, output_lags : "auto", or lags that are fixed
    progress : bool, optional

    Examples
    --------
    >>> import numpy as np
    >>> u = np.random.default_rng(0).uniform(-1, 1, 500)
    >>> y = np.zeros(500)
    >>> for t in range(3, 500):
    ...     y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 1] ** 3 + u[t - 3]
    >>> found = select_lags(u, y)
    >>> found.delays, found.input_lags, found.output_lags, found.degree
    ((3,), ((3,),), ((1,),), 3)
    """
    records = make_records(u, y, channel_names(u), channel_names(y))
    degrees = AUTOMATIC_DEGREES if degree == AUTO else (check_integer("degree", degree),)
    given = GivenLags(
        _expand_given("input_lags", input_lags, records.n_inputs),
        _expand_given("output_lags", output_lags, records.n_outputs),
    )
    with show_progress("Selecting lags", progress):
        return choose_lags(records, degrees, given)


def _expand_given(name: str, spec: Any, n_channels: int) -> tuple[tuple[int, ...], ...] | None:
    """Fixed lags per channel; None for "auto"."""
    if isinstance(spec, str):
        if spec != AUTO:
            raise InvalidOptionError(f"{name} is {spec!r}: pass lags like (0, 1, 2), or 'auto'")
        return None
    return expand_channels(name, spec, n_channels)


def _check_inputs_vary(records: Records, lags: Lags) -> None:
    """Raise an error for a constant channel, which carries no information."""
    for name, used in (("u", lags.inputs), ("y", [(1,)] * records.n_outputs)):
        together = np.concatenate([getattr(record, name) for record in records.items])
        for i, channel in enumerate(used):
            if channel and np.ptp(together[:, i]) == 0:
                raise InvalidSamplesError(
                    f"channel {i} of {name} is constant and carries no information: leave it out"
                )
