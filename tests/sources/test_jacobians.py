"""Numerical Jacobians: a complex step where it is exact, else central differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unbraid
from sources.functions import POINTS, check_slopes, table, table_jacobian
from unbraid import sample
from unbraid.sampling import uniform


def refuses_complex(p):
    return table(np.asarray(p, dtype=float))


def test_uses_central_differences_where_complex_numbers_are_refused():
    with np.errstate(all="ignore"):
        samples = sample(lambda p: refuses_complex(p) if np.isrealobj(p) else 1 / 0, POINTS)
    error = np.abs(samples.jacobians - table_jacobian(POINTS)).max()
    assert samples.source == "by central differences"
    assert error < 1e-8
    assert 1e-12 < samples.accuracy < 1e-6


def test_rejects_a_complex_step_that_drops_imaginary_parts():
    samples = sample(lambda p: np.abs(p[:, :1]) * p[:, 1:], POINTS)
    expected = np.stack([np.sign(POINTS[:, 0]) * POINTS[:, 1], np.abs(POINTS[:, 0])], axis=1)
    np.testing.assert_allclose(samples.jacobians[:, 0], expected, atol=1e-7)
    assert samples.source == "by central differences"


def test_rejects_a_complex_step_that_changes_the_values():
    def coarse(p):
        return np.sin(p.astype(np.complex64) if np.iscomplexobj(p) else p)

    samples = sample(coarse, POINTS)
    assert samples.source == "by central differences"
    check_slopes(samples, np.sin)


def test_keeps_a_complex_step_at_the_edge_of_the_domain_and_under_an_offset():
    points = np.linspace(0, 1, 11)[:, None]
    edge = sample(lambda p: p**1.5, points)
    assert edge.source == "by complex step"
    np.testing.assert_allclose(edge.jacobians[:, 0, 0], 1.5 * np.sqrt(points[:, 0]), atol=1e-12)
    assert sample(lambda p: 1e9 + np.sin(p), points).source == "by complex step"


def test_single_precision_functions_get_a_larger_step():
    samples = sample(lambda p: table(np.real(p)).astype(np.float32), POINTS)
    assert np.abs(samples.jacobians - table_jacobian(POINTS)).max() < 1e-3
    assert samples.accuracy > 1e-6


@pytest.mark.parametrize("jacobian", [table_jacobian, lambda p: table_jacobian(p[None])[0]])
def test_accepts_a_jacobian_of_tables_or_of_points(jacobian):
    samples = sample(table, POINTS, jacobian)
    np.testing.assert_array_equal(samples.jacobians, table_jacobian(POINTS))
    assert samples.source == "given"


def test_functions_of_python_numbers_leak_no_warning():
    samples = sample(lambda p: [math.sin(p[0]) * p[1]], POINTS)
    assert samples.source == "by central differences"


PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.mark.parametrize(
    "real", [lambda p: p, lambda p: p.real], ids=["complex step", "differences"]
)
@pytest.mark.parametrize("far", [0.0, 1e3, 1.7e9])
def test_differences_for_an_input_far_from_zero(far, real):
    def f(p):
        return np.sin(3 * (real(p)[:, :1] - far)) + real(p)[:, 1:] ** 2

    points = PLANE + np.array([far, 0.0])
    slope = 3 * np.cos(3 * (points[:, 0] - far))
    samples = unbraid.sample(f, points)
    assert np.abs(samples.jacobians[:, 0, 0] - slope).max() < max(1e-8, 1e-4 * far / 1e9)


@pytest.mark.parametrize(("kind", "off"), [("f4", 1e-3), (">f4", 1e-3), ("f2", 0.1)])
def test_steps_follow_the_precision_of_f(kind, off):
    samples = unbraid.sample(lambda p: bent(p).astype(kind), PLANE)
    assert np.abs(samples.jacobians - unbraid.sample(bent, PLANE).jacobians).max() < off
    assert samples.accuracy < off
