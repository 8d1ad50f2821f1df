"""Bad inputs to sampling and metrics."""

from __future__ import annotations

import numpy as np

from hardening.plain import F, J, P, refused, spoilt
from hardening.rows import Row
from unbraid import (
    InvalidOption,
    InvalidSamples,
    jacobian_error,
    metrics,
    relative_error,
    sampling,
)

BOX = ([-1.0, -1.0], [1.0, 1.0])

SAMPLING = [
    refused(f"{method.__name__}: {what}", error, says, method, *arguments)
    for method in (sampling.uniform, sampling.sobol, sampling.latin_hypercube)
    for what, arguments, error, says in (
        ("no points", (0, *BOX), InvalidOption, "whole number of at least 1"),
        ("a fraction of a point", (1.5, *BOX), InvalidOption, "whole number of at least 1"),
        ("True points", (True, *BOX), InvalidOption, "whole number"),
        ("1e15 points", (10**15, *BOX), InvalidOption, "draw fewer"),
        ("low above high", (5, [1.0], [0.0]), InvalidOption, "low < high"),
        ("no corner", (5, None, 1.0), InvalidSamples, "low is None"),
        ("no inputs", (5, [], []), InvalidOption, "low < high"),
        (
            "corners of two lengths",
            (5, [0, 0], [1, 1, 1]),
            InvalidOption,
            "differ in length: 2 and 3",
        ),
        ("wider than numbers", (5, [-1e308], [1e308]), InvalidOption, "wider than the largest"),
        ("a word for a seed", (5, *BOX, "a"), InvalidOption, "random_state must be"),
        ("a negative seed", (5, *BOX, -1), InvalidOption, "at least 0"),
        ("an old RandomState", (5, *BOX, np.random.RandomState(0)), InvalidOption, "a Generator"),
    )
]
SAMPLING += [
    refused(
        "sobol: 30000 inputs",
        InvalidOption,
        "use latin_hypercube",
        sampling.sobol,
        4,
        np.zeros(30000),
        np.ones(30000),
    ),
    refused(
        "from_data: too many", InvalidOption, "more than the 30 rows", sampling.from_data, P, 99
    ),
    refused("from_data: no rows", InvalidSamples, "data is empty", sampling.from_data, P[:0], 1),
    refused(
        "gaussian_like: no rows", InvalidSamples, "data is empty", sampling.gaussian_like, P[:0], 1
    ),
    refused(
        "gaussian_like: NaN spread",
        InvalidOption,
        "spread must be",
        sampling.gaussian_like,
        P,
        3,
        np.nan,
    ),
    refused(
        "gaussian_like: 1e308", InvalidSamples, "use units", sampling.gaussian_like, P * 1e308, 3
    ),
]

METRICS = [
    refused("error: shapes differ", InvalidSamples, "must both be", relative_error, P, F),
    refused("error: nothing", InvalidSamples, "at least one of each", relative_error, P[:0], P[:0]),
    refused("error: NaN", InvalidSamples, "values holds", relative_error, spoilt(P, np.nan), P),
    Row(
        "error: at 1e300",
        lambda: relative_error(F * 1e300, 0 * F) - relative_error(F, 0 * F),
        holds=lambda change: bool(np.all(np.abs(change) < 1e-9)),
    ),
    Row(
        "error: at 1e-300",
        lambda: relative_error(F * 1e-300, 0 * F) - relative_error(F, 0 * F),
        holds=lambda change: bool(np.all(np.abs(change) < 1e-9)),
    ),
    Row(
        "jacobian error: at 1e300",
        lambda: jacobian_error(J * 1e300, J * 0.9e300),
        holds=lambda error: abs(error - 10) < 1e-9,
    ),
    refused("jacobian error: shapes", InvalidSamples, "shapes differ", jacobian_error, J, P),
    refused(
        "monomials: -1 inputs", InvalidOption, "n_inputs must be", metrics.monomial_count, -1, 2
    ),
    refused("monomials: a word", InvalidOption, "degree must be", metrics.monomial_count, 2, "a"),
    refused(
        "parameters: None",
        InvalidOption,
        "n_inputs must be",
        metrics.paper_parameter_count,
        None,
        1,
        1,
        1,
    ),
    refused(
        "parameters: no table",
        InvalidOption,
        "choose 'table2'",
        metrics.paper_parameter_count,
        1,
        1,
        1,
        1,
        "table9",
    ),
]

ROWS = SAMPLING + METRICS
