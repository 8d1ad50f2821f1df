"""Breaks and flat parts of branches, given or detected."""

import warnings

import numpy as np
import pytest

import unbraid
from end_to_end.problems import decouple_implicit
from unbraid import BranchConstraint, ConvergenceWarning, InvalidOptionError


def kinked(p):
    z = p @ np.array([0.6, 0.8])
    return np.where(z > 0.1, 3 * (z - 0.1), -(z - 0.1))[:, None] + 0.3 * z[:, None] ** 2


def saturating(p):
    z = p @ np.array([0.6, 0.8])
    return np.clip(z, -0.5, 0.4)[:, None]


def test_breaks_keep_a_kink_sharp():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    smooth = decouple_implicit(kinked, points, 1, basis=None, random_state=0)
    given_ = decouple_implicit(
        kinked, points, 1, basis=None, random_state=0, constraints=BranchConstraint(breaks=(0.1,))
    )
    found = decouple_implicit(
        kinked, points, 1, basis=None, random_state=0, constraints=BranchConstraint(breaks="detect")
    )
    assert given_.fitted_error[0] < 0.2 * smooth.fitted_error[0]
    assert found.fitted_error[0] < 0.5 * smooth.fitted_error[0]
    (constraint,) = found.solution.details["constraints"]
    assert len(constraint.breaks) == 1
    assert abs(constraint.breaks[0] - 0.1) < 0.03


def test_explicit_detects_breaks():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    options = {"method": "explicit", "smoothness": 1e4, "basis": None, "random_state": 0}
    d = decouple_implicit(
        kinked, points, 1, constraints=BranchConstraint(breaks="detect"), **options
    )
    (constraint,) = d.solution.details["constraints"]
    assert len(constraint.breaks) == 1
    assert abs(constraint.breaks[0] - 0.1) < 0.03


def test_limits_hold_a_branch_flat():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    constraints = [BranchConstraint(limits=(-0.5, 0.4))]
    d = decouple_implicit(
        saturating, points, 1, basis=None, random_state=0, constraints=constraints
    )
    assert np.all(d.branches[0].derivative(np.array([-0.9, 0.9])) == 0)
    assert d.fitted_error[0] < 0.5
    with pytest.raises(InvalidOptionError, match="1 constraints"):
        decouple_implicit(saturating, points, 2, constraints=constraints)


@pytest.mark.slow
def test_limits_hold_values_flat_before_convergence():
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=3)
    f = lambda p: saturating(p) + 0.3 * p[:, 1:] ** 2  # noqa: E731
    for seed in range(4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            constraint = BranchConstraint(limits=(-0.5, 0.4))
            d = decouple_implicit(
                f,
                points,
                1,
                basis=None,
                random_state=seed,
                max_iterations=5,
                constraints=constraint,
            )
        z, g = d.branches[0].estimate.T
        for beyond in (z < -0.5, z > 0.4):
            assert np.ptp(g[beyond]) < 1e-12 * np.ptp(g)


def test_limits_hold_without_detected_breaks():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    constraint = BranchConstraint(breaks="detect", limits=(-0.6, 0.6))
    f = lambda p: np.tanh(1.5 * p @ np.array([0.6, 0.8]))  # noqa: E731
    d = decouple_implicit(f, points, 1, basis=None, random_state=0, constraints=constraint)
    assert np.all(d.branches[0].derivative(np.array([-0.9, 0.9])) == 0)


def test_detected_breaks_stay_with_their_branches():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    W = rng.standard_normal((3, 3))

    def f(p):
        z = p @ V
        return np.stack([np.abs(z[:, 0] - 0.1), z[:, 1] ** 3, np.abs(z[:, 2] + 0.2)], 1) @ W.T

    points = unbraid.sampling.uniform(300, [-1] * 3, [1] * 3, random_state=1)
    options = {"basis": None, "n_starts": 4, "random_state": 0}
    smooth = decouple_implicit(f, points, 3, **options)
    sharp = decouple_implicit(
        f, points, 3, constraints=BranchConstraint(breaks="detect"), **options
    )
    assert min(sharp.solution.objective) < 0.3 * min(smooth.solution.objective)
    for constraint, v in zip(sharp.solution.details["constraints"], sharp.V.T, strict=True):
        kinked_branch = np.abs(V.T @ v).argmax() != 1
        assert bool(constraint.breaks) == kinked_branch


def test_constraints_are_in_the_users_units():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    far = points * 1e3 + 500.0
    constraint = BranchConstraint(breaks=(0.1 * 1e3 + 500 * 1.4,))
    d = decouple_implicit(
        lambda p: kinked((p - 500) / 1e3),
        far,
        1,
        basis=None,
        random_state=0,
        constraints=constraint,
    )
    assert d.fitted_error[0] < 0.5
