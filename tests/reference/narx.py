"""NARX models written out: one sample at a time, and derivatives by differences."""

from __future__ import annotations

import numpy as np


def simulate(function, u, initial, input_lags, output_lags):
    """Free run by the definition, eq. (pred); u (T, n_u), initial (T0, n)."""
    y = np.full((len(u), initial.shape[1]), np.nan)
    y[: len(initial)] = initial
    for t in range(len(initial), len(u)):
        past = [u[t - lag, i] for i in range(u.shape[1]) for lag in input_lags]
        past += [y[t - lag, i] for i in range(y.shape[1]) for lag in output_lags]
        y[t] = np.asarray(function(np.array([past]))).ravel()
    return y


def regressors(u, y, input_lags, output_lags):
    """Every regressor of one record, (T - longest lag, m)."""
    start = max([*input_lags, *output_lags])
    rows = []
    for t in range(start, len(u)):
        row = [u[t - lag, i] for i in range(u.shape[1]) for lag in input_lags]
        row += [y[t - lag, i] for i in range(y.shape[1]) for lag in output_lags]
        rows.append(row)
    return np.array(rows)


def predict_ahead(function, u, y, input_lags, output_lags, steps):
    """Predict every y(t) from the outputs up to y(t - steps): one short simulation per sample."""
    start = max([*input_lags, *output_lags]) + steps - 1
    found = y.copy()
    for t in range(start, len(u)):
        known = y[: t - steps + 1]
        found[t] = simulate(function, u[: t + 1], known, input_lags, output_lags)[t]
    return found
