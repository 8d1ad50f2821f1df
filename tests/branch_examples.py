"""Branches and functions with known coefficients, for tests."""

from __future__ import annotations

import numpy as np

from unbraid import Branch, DecoupledFunction, Polynomial
from unbraid.model._curves import Expansion

NODES = np.linspace(-1, 1, 41)


def polynomial_branch(*coefficients: float, extrapolate: str = "linear") -> Branch:
    """A branch with these Legendre coefficients on [-1, 1]."""
    basis = Polynomial(len(coefficients)).bind(NODES)
    return Branch(Expansion(basis, np.array(coefficients, dtype=float)), extrapolate)


def sum_of_branches(*branches: Branch, weight: float = 1.0) -> DecoupledFunction:
    """One output of two inputs: the branches along the axes in turn."""
    r = len(branches)
    V = np.eye(2)[:, np.arange(r) % 2]
    return DecoupledFunction(np.full((1, r), weight), V, tuple(branches), np.zeros(1))
