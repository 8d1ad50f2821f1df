"""Bad inputs to sampling and metrics."""

from __future__ import annotations

import numpy as np

from hardening.plain import F, J, P, refused, spoilt
from hardening.rows import Row
from unbraid import (
    InvalidOptionError,
    InvalidSamplesError,
    jacobian_error,
    metrics,
    relative_error,
    sampling,
)

BOX = ([-1.0, -1.0], [1.0, 1.0])
MANY = (np.zeros(30000), np.ones(30000))
GAUSSIAN, PARAMETERS = sampling.gaussian_like, metrics.paper_parameter_count

SAMPLING = [
    refused(f"{method.__name__}: {what}", error, mentions, method, *arguments)
    for method in (sampling.uniform, sampling.sobol, sampling.latin_hypercube)
    for what, arguments, error, mentions in (
        ("no points", (0, *BOX), InvalidOptionError, "n_points 0"),
        ("a fraction of a point", (1.5, *BOX), InvalidOptionError, "n_points 1.5"),
        ("True points", (True, *BOX), InvalidOptionError, "n_points True"),
        ("1e15 points", (10**15, *BOX), InvalidOptionError, "n_points memory"),
        ("low above high", (5, [1.0], [0.0]), InvalidOptionError, "low high"),
        ("no corner", (5, None, 1.0), InvalidSamplesError, "low None"),
        ("no inputs", (5, [], []), InvalidOptionError, "low high"),
        ("corners of two lengths", (5, [0, 0], [1, 1, 1]), InvalidOptionError, "box length"),
        ("wider than numbers", (5, [-1e308], [1e308]), InvalidOptionError, "box wider"),
        ("a word for a seed", (5, *BOX, "a"), InvalidOptionError, "random_state 'a'"),
        ("a negative seed", (5, *BOX, -1), InvalidOptionError, "random_state -1"),
        (
            "an old RandomState",
            (5, *BOX, np.random.RandomState(0)),
            InvalidOptionError,
            "random_state",
        ),
    )
]
SAMPLING += [
    refused(what, error, mentions, method, *arguments)
    for what, method, arguments, error, mentions in (
        ("sobol: 30000 inputs", sampling.sobol, (4, *MANY), InvalidOptionError, "Sobol 30000"),
        ("from_data: too many", sampling.from_data, (P, 99), InvalidOptionError, "n_points 99"),
        ("from_data: no rows", sampling.from_data, (P[:0], 1), InvalidSamplesError, "data empty"),
        ("gaussian_like: no rows", GAUSSIAN, (P[:0], 1), InvalidSamplesError, "data empty"),
        ("gaussian_like: NaN spread", GAUSSIAN, (P, 3, np.nan), InvalidOptionError, "spread nan"),
        ("gaussian_like: 1e308", GAUSSIAN, (P * 1e308, 3), InvalidSamplesError, "data units"),
    )
]

METRICS = [
    refused(
        "error: shapes differ", InvalidSamplesError, "values approximation", relative_error, P, F
    ),
    refused("error: nothing", InvalidSamplesError, "values (0,", relative_error, P[:0], P[:0]),
    refused("error: NaN", InvalidSamplesError, "values NaN", relative_error, spoilt(P, np.nan), P),
    *(
        Row(
            f"error: at {unit}",
            lambda u=float(unit): relative_error(F * u, 0 * F) - relative_error(F, 0 * F),
            holds=lambda change: bool(np.all(np.abs(change) < 1e-9)),
        )
        for unit in ("1e300", "1e-300")
    ),
    Row(
        "jacobian error: at 1e300",
        lambda: jacobian_error(J * 1e300, J * 0.9e300),
        holds=lambda error: abs(error - 10) < 1e-9,
    ),
    refused("jacobian error: shapes", InvalidSamplesError, "shapes", jacobian_error, J, P),
    refused(
        "monomials: -1 inputs", InvalidOptionError, "n_inputs -1", metrics.monomial_count, -1, 2
    ),
    refused("monomials: a word", InvalidOptionError, "degree 'a'", metrics.monomial_count, 2, "a"),
    refused("parameters: None", InvalidOptionError, "n_inputs None", PARAMETERS, None, 1, 1, 1),
    refused("parameters: no table", InvalidOptionError, "table9", PARAMETERS, 1, 1, 1, 1, "table9"),
]

ROWS = SAMPLING + METRICS
