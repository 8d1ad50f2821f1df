"""Decoupled functions with every kind of branch, and points to compare exports at."""

from dataclasses import replace

import numpy as np
import pytest

from unbraid import (
    RBF,
    BSpline,
    DecoupledFunction,
    Fourier,
    PiecewiseLinear,
    Polynomial,
    SignedSquare,
)
from unbraid.model._branch_fit import fit_branch

BASES = {
    "cubic": Polynomial(3),
    "ninth": Polynomial(9),
    "spline": BSpline(12),
    "quintic": BSpline(8, degree=5),
    "one_piece": BSpline(4),
    "corners": PiecewiseLinear(6),
    "fourier": Fourier(3),
    "bumps": RBF(6),
    "drag": SignedSquare(),
    "nonparametric": None,
}
EXTRAPOLATE = ("linear", "basis", "nan")
SHAPES = (lambda z: np.tanh(z) + 0.1 * z**2, lambda z: np.sin(1.5 * z) - 0.3 * z, np.cos)


def make_function(bases, extrapolate, n_inputs=3, n_outputs=2, margins=(0.0, 0.2, 0.0)):
    """One branch per basis, on data around but not at the centre."""
    rng = np.random.default_rng(7)
    V = rng.standard_normal((n_inputs, len(bases)))
    V /= np.linalg.norm(V, axis=0)
    z = rng.uniform(-1.5, 1.5, (40, n_inputs)) @ V + 0.2
    branches = tuple(
        replace(fit_branch(basis, column, shape(column), extrapolate=extrapolate), margin=margin)
        for basis, column, shape, margin in zip(
            bases, z.T, SHAPES * len(bases), margins * len(bases), strict=False
        )
    )
    W, offset = rng.standard_normal((n_outputs, len(bases))), rng.standard_normal(n_outputs)
    return DecoupledFunction(W, V, branches, offset)


FUNCTIONS = {
    f"{name}_{way}": make_function([basis, basis], way)
    for name, basis in BASES.items()
    for way in EXTRAPOLATE
}
FUNCTIONS |= {
    f"scalar_{way}": make_function([BSpline(7)], way, 1, 1, (0.1,)) for way in EXTRAPOLATE
}
MIXED = [basis for basis in BASES.values() if not isinstance(basis, SignedSquare)]
FUNCTIONS |= {f"mixed_{way}": make_function(MIXED, way) for way in EXTRAPOLATE}
together = make_function([Polynomial(4), None], "linear")
FUNCTIONS["both_ways"] = replace(
    together,
    W=np.tile(together.W, 2),
    V=np.tile(together.V, 2),
    branches=(*together.branches, *(replace(b, extrapolate="basis") for b in together.branches)),
)
LINEAR_CASES = [name for name in FUNCTIONS if name.endswith("linear")]


def mark_slow(names):
    """Mark most functions with a single basis as slow; mixed ones cover the same code."""
    quick = ("mixed", "both", "scalar", "drag")
    return [
        name if name.startswith(quick) else pytest.param(name, marks=pytest.mark.slow)
        for name in names
    ]


every_case = pytest.mark.parametrize("case", mark_slow(FUNCTIONS))


def sample_points(d):
    """Points inside, at every break and edge, next to them, and well outside."""
    rng = np.random.default_rng(3)
    p = rng.uniform(-1.2, 1.2, (150, d.n_inputs))
    p[100:] *= 2.5
    places = [p]
    for branch, v in zip(d.branches, d.V.T, strict=True):
        pieces = getattr(branch.curve, "pieces", None)
        marks = [] if pieces is None else pieces.breaks
        z = np.concatenate([marks, branch.edges, branch.interval])
        z = np.concatenate([z, z + 1e-12, z - 1e-12])
        places.append(z[:, None] * v / (v @ v))
    return np.concatenate(places)


def assert_agrees(values, expected, tolerance=1e-12):
    """NaN in the same places, and elsewhere close as a share of the largest value."""
    values = np.asarray(values, dtype=float)
    assert values.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(values), np.isnan(expected))
    scale = np.nanmax(np.abs(expected))
    np.testing.assert_allclose(values, expected, rtol=0, atol=tolerance * scale)


def single_tolerance(case):
    """Bumps and long cubics cancel, and a ninth power magnifies rounding errors."""
    return 3e-6 if case.startswith(("bumps", "one_piece", "ninth_basis")) else 1e-6


def single_precision_points(d):
    """Points in single precision, none of them next to an end of the data."""
    p = sample_points(d)[:150].astype(np.float32)
    z = d.transform(p)
    ends = np.array([branch.interval for branch in d.branches])
    beside = np.abs(z[:, :, None] - ends).min(axis=(1, 2)) > 1e-5
    return p[beside]
