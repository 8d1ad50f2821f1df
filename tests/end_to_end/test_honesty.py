"""No answer looks better than it is: lattices, waves, heavy tails, fans of directions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from unbraid import FitWarning, Samples, decouple, refine, relative_error


def lattice_samples(n_points: int, seed: int, top: int = 5) -> tuple[Samples, np.ndarray]:
    """``tanh((sum(p) - 7) / 3) + 0.2 (p0 - p2)^2`` at whole numbers."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, top + 1, (n_points, 4)).astype(float)
    return evaluate_lattice(points), rng.uniform(0, top, (2000, 4))


def evaluate_lattice(points: np.ndarray) -> Samples:
    inner = (points.sum(axis=1) - 7) / 3
    difference = points[:, 0] - points[:, 2]
    jacobians = np.repeat((1 / np.cosh(inner) ** 2 / 3)[:, None], 4, axis=1)
    jacobians[:, 0] += 0.4 * difference
    jacobians[:, 2] -= 0.4 * difference
    values = np.tanh(inner) + 0.2 * difference**2
    return Samples(points, values[:, None], jacobians[:, None, :])


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_lattice_inputs_do_not_make_a_spline_oscillate(seed):
    samples, between = lattice_samples(300, seed)
    d = decouple(samples, n_branches=2, n_starts=8, random_state=0)
    true = relative_error(evaluate_lattice(between).values, d(between))[0]
    assert true < 2
    assert true < 5 * d.held_out_error[0]
    n_distinct = [21, 11]  # of the sum and of the difference
    assert all(branch.n_parameters < max(n_distinct) for branch in d.branches)


def test_binary_input_does_not_limit_the_other_branches():
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.integers(0, 2, 200), rng.uniform(-2, 2, 200)]).astype(float)
    values = np.column_stack([3 * points[:, 0], np.sin(3 * points[:, 1])])
    jacobians = np.zeros((200, 2, 2))
    jacobians[:, 0, 0], jacobians[:, 1, 1] = 3, 3 * np.cos(3 * points[:, 1])
    d = decouple(Samples(points, values, jacobians), n_branches=2, n_starts=4, random_state=0)
    assert d.fitted_error.max() < 0.1
    sizes = sorted(branch.n_parameters for branch in d.branches)
    assert sizes[0] == 1 < 5 < sizes[1]
    again = refine(d, Samples(points, values, jacobians), max_iterations=2)
    assert again.fitted_error.max() < 0.1


def test_poor_is_judged_by_the_worse_of_two_errors():
    points = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    v = np.array([0.8, 0.6])
    z = points @ v
    jacobians = (25 * np.cos(25 * z)[:, None] * v)[:, None, :]
    samples = Samples(points, np.sin(25 * z)[:, None], jacobians)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(samples, n_branches=1, n_starts=4, random_state=0)
    fresh = np.random.default_rng(1).uniform(-1, 1, (2000, 2))
    true = relative_error(np.sin(25 * fresh @ v), d(fresh)[:, 0])[0]
    assert true < 3 * d.largest_error[0]
    assert ("poor fit" in d.solution.diagnosis) == (d.largest_error[0] >= 10)


@pytest.fixture(scope="module")
def lattice_function():
    return decouple(lattice_samples(120, 3)[0], n_branches=2, n_starts=2, random_state=0)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_change_the_estimate(scale, lattice_function):
    samples, _ = lattice_samples(120, 3)
    scaled = Samples(samples.points * scale, samples.values / scale, samples.jacobians / scale**2)
    found = [lattice_function, decouple(scaled, n_branches=2, n_starts=2, random_state=0)]
    for name in ("held_out_error", "held_out_error_se", "held_out_error_inside"):
        np.testing.assert_allclose(getattr(found[0], name), getattr(found[1], name), rtol=0.05)
    assert found[0].fit.identified is found[1].fit.identified


def test_errors_are_saved_with_the_function(tmp_path, lattice_function):
    from unbraid import load

    d = lattice_function
    loaded = load(d.save(tmp_path / "d.json"))
    for name in ("held_out_error", "held_out_error_se", "held_out_error_inside"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(d, name))
