"""Formulas of branches."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from export_helpers import EXTRAPOLATE, FUNCTIONS
from unbraid import RBF, BSpline, Fourier, Polynomial
from unbraid.export._formula import translate_branches
from unbraid.sampling import uniform


def test_formula_contains_the_extrapolation():
    linear, basis, nan = (translate_branches(FUNCTIONS[f"cubic_{way}"])[1] for way in EXTRAPOLATE)
    low, high = FUNCTIONS["cubic_linear"].branches[1].edges
    assert (linear.tails.low, linear.tails.high) == (low, high)
    assert linear.bounds is basis.bounds is basis.tails is nan.tails is None
    assert nan.bounds[0] < FUNCTIONS["cubic_nan"].branches[1].interval[0]


PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("basis", [Polynomial(5), Fourier(2), RBF(6), BSpline(6)])
@pytest.mark.parametrize("far", [10.0, 1e6])
def test_formulas_far_from_the_origin(basis, far):
    sympy = pytest.importorskip("sympy", reason="SymPy is an extra")
    d = unbraid.decouple(
        lambda p: bent(p - far), PLANE + far, n_branches=2, basis=basis, n_starts=1, random_state=0
    )
    f = sympy.lambdify(sympy.symbols("p1 p2"), unbraid.export.to_sympy(d), "numpy")
    found = np.array([f(*point) for point in PLANE[:20] + far])
    np.testing.assert_allclose(found, d(PLANE[:20] + far), atol=1e-14 * far)
