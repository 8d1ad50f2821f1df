"""What must not depend on how a problem is written down: order, units, origin, axes, copies.

The functions decouple exactly, so every answer is compared with the function itself.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unbraid
from effort import ROUND, examples
from unbraid import Polynomial, Samples, decouple

EXACT = 1e-6  # of the spread of an output
BASIS = "auto" if ROUND else Polynomial(3)  # a soak has the time to choose one
few = settings(max_examples=examples(5))
fewer = settings(max_examples=examples(3))


class Ridges:
    """``W g(V' p)`` with branches of several kinds; Jacobians known."""

    def __init__(self, seed: int, m: int, n: int, r: int, n_points: int = 60) -> None:
        self.made_of = (seed, m, n, r, n_points)
        rng = np.random.default_rng(seed)
        self.W, self.V = directions(rng, n, r), directions(rng, m, r)
        self.a, self.b = rng.uniform(0.5, 1.5, r), rng.uniform(-1, 1, r)
        self.points = rng.uniform(-1, 1, (n_points, m))
        self.fresh = rng.uniform(-0.9, 0.9, (50, m))
        self.rng = rng

    def __repr__(self) -> str:
        return f"Ridges{self.made_of}"

    def __call__(self, p):
        z = p @ self.V
        return (self.a * z**3 + self.b * z**2 + z) @ self.W.T

    def jacobian(self, p):
        z = p @ self.V
        return np.einsum("oi,ki,li->kol", self.W, 3 * self.a * z**2 + 2 * self.b * z + 1, self.V)

    @property
    def samples(self) -> Samples:
        return Samples(self.points, self(self.points), self.jacobian(self.points))


def directions(rng, size: int, r: int):
    """Columns of unit length, no two of them alike where there is room."""
    for _ in range(1000):
        columns = rng.standard_normal((size, r))
        columns /= np.linalg.norm(columns, axis=0)
        if size == 1 or r == 1 or np.abs(np.triu(columns.T @ columns, 1)).max() < 0.8:
            break
    return columns


@st.composite
def ridges(draw, max_inputs=4, most_outputs=4, least=1, most_branches=3):
    """Few enough branches to be identified: no more than inputs or outputs, and one."""
    m = draw(st.integers(least, max_inputs))
    n = draw(st.integers(least, most_outputs))
    r = draw(st.integers(1, min(most_branches, max(m, n))))
    return Ridges(draw(st.integers(0, 2**32 - 1)), m, n, r)


def off(d, points, values) -> float:
    """The largest error, over each output's spread."""
    spread = np.maximum(values.std(axis=0), 1e-3 * values.std())
    return float(np.max(np.abs(d(points) - values) / spread))


def solve(samples, r, **options):
    return decouple(samples, n_branches=r, random_state=0, **{"basis": BASIS, **options})


def transformed(f, points, values, jacobians) -> Samples:
    return Samples(points(f.points), values(f(f.points)), jacobians(f.jacobian(f.points)))


def same(x):
    return x


@given(ridges())
@few
def test_the_function_is_found(f):
    assert off(solve(f.samples, f.V.shape[1], basis="auto"), f.fresh, f(f.fresh)) < EXACT


@given(ridges())
@few
def test_the_order_of_points_does_not_matter(f):
    order = f.rng.permutation(len(f.points))
    d = solve(f.samples.subset(order), f.V.shape[1])
    assert off(d, f.fresh, f(f.fresh)) < EXACT


@given(ridges())
@few
def test_inputs_and_outputs_may_be_exchanged(f):
    inputs, outputs = (f.rng.permutation(k) for k in (len(f.V), len(f.W)))
    s = transformed(
        f, lambda p: p[:, inputs], lambda y: y[:, outputs], lambda J: J[:, outputs][:, :, inputs]
    )
    d = solve(s, f.V.shape[1])
    assert off(d, f.fresh[:, inputs], f(f.fresh)[:, outputs]) < EXACT


@given(ridges(), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
@few
def test_origins_do_not_matter(f, p0, y0):
    s = transformed(f, lambda p: p + p0, lambda y: y + y0, same)
    d = solve(s, f.V.shape[1], basis="auto")
    shift = max(abs(p0), abs(y0), 1.0) * 1e-12  # digits that the shift itself costs
    assert off(d, f.fresh + p0, f(f.fresh) + y0) < EXACT + shift


exponents = st.lists(st.integers(-6, 6), min_size=4, max_size=4)


@given(ridges(), exponents, exponents)
@few
def test_units_do_not_matter(f, inputs, outputs):
    a = 10.0 ** np.array(inputs[: len(f.V)])
    b = 10.0 ** np.array(outputs[: len(f.W)])
    s = transformed(f, lambda p: p * a, lambda y: y * b, lambda J: J * b[:, None] / a)
    d = solve(s, f.V.shape[1], basis="auto")
    assert off(d, f.fresh * a, f(f.fresh) * b) < EXACT
    assert np.all(np.isfinite(d.W))
    assert np.all(np.isfinite(d.V))
    for branch in d.branches:
        assert branch.band is None or np.all(np.isfinite(branch.band))


@given(ridges())
@few
def test_turning_the_inputs_turns_v(f):
    Q = np.linalg.qr(f.rng.standard_normal((len(f.V), len(f.V))))[0]
    r = f.V.shape[1]
    d, turned = (
        solve(f.samples, r),
        solve(transformed(f, lambda p: p @ Q, same, lambda J: J @ Q), r),
    )
    assert off(turned, f.fresh @ Q, f(f.fresh)) < EXACT
    if r <= min(f.V.shape[0], f.W.shape[0]) and min(len(f.V), len(f.W)) > 1:  # unique
        cosines = np.abs((Q.T @ unit(d.V)).T @ unit(turned.V))
        assert np.all(cosines.max(axis=1) > 1 - 1e-6)


def unit(V):
    return V / np.linalg.norm(V, axis=0)


@given(ridges(), st.integers(2, 4))
@few
def test_copies_of_points_do_not_matter(f, copies):
    rows = np.repeat(np.arange(len(f.points)), copies)
    assert off(solve(f.samples.subset(rows), f.V.shape[1]), f.fresh, f(f.fresh)) < EXACT


@given(ridges())
@few
def test_what_is_straight_may_be_added_along_the_branches(f):
    A = (f.W * f.rng.uniform(-3, 3, f.W.shape[1])) @ f.V.T
    s = Samples(f.points, f(f.points) + f.points @ A.T, f.jacobian(f.points) + A)
    d = solve(s, f.V.shape[1])
    assert off(d, f.fresh, f(f.fresh) + f.fresh @ A.T) < EXACT


@given(ridges(most_branches=2))
@few
def test_any_straight_function_costs_its_rank(f):
    A = f.rng.standard_normal((len(f.W), len(f.V)))
    s = Samples(f.points, f(f.points) + f.points @ A.T, f.jacobian(f.points) + A)
    d = solve(s, f.V.shape[1] + min(A.shape))
    assert off(d, f.fresh, f(f.fresh) + f.fresh @ A.T) < EXACT


@given(ridges())
@fewer
def test_single_precision(f):
    s = f.samples
    short = [x.astype(np.float32) for x in (s.points, s.values, s.jacobians)]
    d = solve(Samples(*short), f.V.shape[1])
    assert d.W.dtype == np.float64
    assert off(d, f.fresh, f(f.fresh)) < 1e-4


@pytest.mark.parametrize(
    ("m", "n", "r"),
    [(1, 1, 1), (1, 5, 1), (5, 1, 1), (1, 30, 3), (30, 1, 2), (2, 40, 2), (40, 2, 2)],
)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(1))
def test_any_shape(m, n, r, seed):
    f = Ridges(seed, m, n, r, n_points=120)
    assert off(solve(f.samples, r), f.fresh, f(f.fresh)) < EXACT


@given(ridges(least=2))
@few
def test_collinear_inputs(f):
    """Points on a plane: the function is found there, and V does not leave it."""
    m = len(f.V)
    A = np.vstack([np.eye(m), f.rng.standard_normal((1, m))])  # one input more, not of its own
    on = np.linalg.pinv(A)
    s = transformed(f, lambda p: p @ A.T, same, lambda J: J @ on)
    d = solve(s, f.V.shape[1])
    assert off(d, f.fresh @ A.T, f(f.fresh)) < EXACT


@given(ridges())
@few
def test_inputs_without_influence_and_constant_outputs(f):
    n_points, n, m = len(f.points), len(f.W), len(f.V)
    points = np.column_stack([f.points, f.rng.uniform(-1, 1, n_points)])
    values = np.column_stack([f(f.points), np.full(n_points, 7.0)])
    jacobians = np.zeros((n_points, n + 1, m + 1))
    jacobians[:, :n, :m] = f.jacobian(f.points)
    d = solve(Samples(points, values, jacobians), f.V.shape[1])
    fresh = np.column_stack([f.fresh, f.rng.uniform(-0.9, 0.9, len(f.fresh))])
    found = d(fresh)
    assert off(lambda p: d(p)[:, :n], fresh, f(f.fresh)) < EXACT
    assert np.allclose(found[:, n], 7.0, rtol=1e-9)
    assert np.abs(d.jacobian(fresh)[:, :, m]).max() < EXACT * np.abs(jacobians).max()


@given(
    ridges(least=2),
    st.integers(-12, -1),
    st.sampled_from(["values", "Jacobians", "both"]),
)
@settings(max_examples=examples(8))
def test_errors_grow_like_the_noise(f, exponent, where):
    noise = 10.0**exponent
    s = f.samples
    values, jacobians = s.values, s.jacobians
    if where != "Jacobians":
        values = values + noise * values.std(axis=0) * f.rng.standard_normal(values.shape)
    if where != "values":
        size = np.sqrt(np.mean(jacobians**2))
        jacobians = jacobians + noise * size * f.rng.standard_normal(jacobians.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", unbraid.FitWarning)  # so much noise is said
        d = solve(Samples(s.points, values, jacobians), f.V.shape[1])
    wanted = f(f.fresh)
    error = np.sqrt(np.mean((d(f.fresh) - wanted) ** 2) / np.mean((wanted - wanted.mean(0)) ** 2))
    assert error < noise + 1e-9


@given(ridges(least=2, most_branches=2), st.sampled_from([-1.0, 0.5, 2.0, 1.3]), st.booleans())
@fewer
def test_jacobians_of_another_scale_are_said(f, factor, one):
    J = f.jacobian(f.points)
    J[:, :, : 1 if one else None] *= factor
    share = np.linalg.norm(J[:, :, 0]) / np.linalg.norm(J)
    assume(share > 0.3)
    with pytest.warns(unbraid.FitWarning, match="belong"):
        solve(Samples(f.points, f(f.points), J), f.V.shape[1])


@given(ridges(least=2, most_branches=2))
@fewer
def test_jacobians_of_other_points_are_said(f):
    J = f.jacobian(f.rng.permutation(f.points))
    with pytest.warns(unbraid.FitWarning, match="belong"):
        solve(Samples(f.points, f(f.points), J), f.V.shape[1])


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from([1, 2]), exponents, exponents)
@fewer
def test_units_order_and_origin_do_not_matter_where_nothing_is_exact(seed, r, inputs, outputs):
    s = unbraid.cases.toy_samples(60, random_state=seed)
    a, b = 10.0 ** np.array(inputs[:2]), 10.0 ** np.array(outputs[:2])
    order = np.random.default_rng(seed).permutation(60)
    moved = Samples(s.points * a + 3 * a, s.values * b - b, s.jacobians * b[:, None] / a)
    errors = [solve(x, r).fitted_error for x in (s, moved.subset(order))]
    assert np.allclose(*errors, rtol=0.01)
