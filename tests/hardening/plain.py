"""Plain samples to be spoilt, and rows that are refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from hardening.rows import Row
from unbraid import DecoupledFunction, Polynomial, Samples, decouple

N = 30
P = np.random.default_rng(0).uniform(-1, 1, (N, 2))
F = P[:, :1] ** 2 + P[:, 1:]
J = np.stack([2 * P[:, :1], np.ones((N, 1))], axis=2)


def refused(
    name: str, error: Any, mentions: str, call: Any, *arguments: Any, **keywords: Any
) -> Row:
    return Row(name, lambda: call(*arguments, **keywords), error, mentions)


def shown(value: Any) -> str:
    """A value in the name of a row."""
    return " ".join(repr(value).split())[:20]


def spoilt(array: np.ndarray, value: float) -> np.ndarray:
    """A copy with one bad entry."""
    copy = array.copy()
    copy.flat[7] = value
    return copy


def exact(samples: Samples) -> bool:
    """Are these the samples of F, where they belong?"""
    return all(
        np.allclose(found, wanted, atol=1e-9)
        for found, wanted in ((samples.points, P), (samples.values, F), (samples.jacobians, J))
    )


@cache
def known_function() -> DecoupledFunction:
    """A decoupled function of two inputs, exact on F."""
    return decouple(Samples(P, F, J), n_branches=2, basis=Polynomial(2), random_state=0, n_starts=2)
