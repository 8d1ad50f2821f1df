"""Tests of extrapolation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from branch_examples import polynomial_branch
from unbraid import BSpline, CustomBasis, Polynomial
from unbraid.model._branch_fit import fit_branch
from unbraid.model._extrapolation import validated_margin

Z = np.linspace(-1, 1, 41)


def test_no_margin_without_an_estimate():
    assert validated_margin(polynomial_branch(1.0, 2.0), 1.0) == 0


def test_no_margin_if_the_branch_cannot_be_refitted():
    z = np.repeat(np.array([-1.0, -0.99, -0.1, 0.1, 0.99, 1.0]), 20)
    powers = [lambda z, k=k: z**k for k in range(1, 5)]
    slopes = [lambda z, k=k: k * z ** (k - 1) for k in range(1, 5)]
    whole = fit_branch(CustomBasis(powers, slopes), z, z**2)
    branch = replace(whole, estimate=np.column_stack([z, z**2]))
    assert validated_margin(branch, 1.0) == 0


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_margin_of_a_cubic(noise):
    rng = np.random.default_rng(0)
    z = rng.uniform(-1, 1, 200)
    branch = fit_branch(Polynomial(3), z, z**3 - z + noise * rng.standard_normal(200))
    assert validated_margin(branch, 1.0) == pytest.approx(0.3 / 0.4)
    assert validated_margin(branch, 0.5) == pytest.approx(0.2 / 0.6)
    assert validated_margin(branch, 0.2) == pytest.approx(0.1 / 0.8)  # never beyond what is allowed
    assert validated_margin(branch, 0.0) == 0.0


def test_no_margin_for_a_polynomial_that_bends_away():
    z = np.random.default_rng(0).uniform(-3, 3, 200)
    branch = fit_branch(Polynomial(9), z, np.tanh(4 * z))
    assert validated_margin(branch, 1.0) == 0.0


def test_no_margin_if_the_ends_have_too_few_points():
    z = np.linspace(-1, 1, 12)
    assert validated_margin(fit_branch(BSpline(6), z, z**3), 1.0) == 0.0
