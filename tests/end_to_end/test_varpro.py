"""What the default method reaches: exact decouplings, many sizes, every basis."""

import warnings

import numpy as np
import pytest

import unbraid
from end_to_end.problems import mixed, noisy, ridge
from unbraid import (
    BSpline,
    ConvergenceWarning,
    CustomBasis,
    FitWarning,
    Fourier,
    PiecewiseLinear,
    Polynomial,
    Samples,
    decouple,
    relative_error,
)
from unbraid.bases import RBF
from unbraid.cases import (
    random_network,
    random_polynomial,
    random_ridges,
    toy_decoupled,
    toy_samples,
)
from unbraid.cases._network import LogisticNetwork
from unbraid.solvers._factors import disagreement


def test_recovers_the_toy_problem_exactly():
    for seed in range(4):
        samples = toy_samples(100, 700 + seed)
        for r, most in ((3, 1e-6), (4, 1e-4)):
            d = decouple(samples, n_branches=r, basis=Polynomial(3))
            assert d.fitted_error.max() <= most
            assert d.held_out_error.max() <= most
        if seed == 0:
            fresh = unbraid.sampling.uniform(500, [-3, -3], [3, 3], random_state=0)
            assert relative_error(toy_decoupled(fresh), d(fresh)).max() < 1e-4


@pytest.mark.slow
def test_recovers_polynomials_and_their_number_of_branches():
    exact, counted = 0, 0
    for seed in range(900, 908):
        rng = np.random.default_rng(seed)
        f = random_polynomial(random_state=rng)
        points = unbraid.sampling.uniform(200, [-1.5] * 5, [1.5] * 5, rng)
        samples = Samples(points, f(points), f.jacobian(points))
        d = decouple(samples, n_branches=3, basis=Polynomial(5), random_state=0)
        exact += d.fitted_error.max() <= 1e-4
        auto = decouple(samples, n_branches="auto", basis=Polynomial(5), random_state=0)
        counted += auto.n_branches == 3
    assert exact == 8
    assert counted == 8


@pytest.mark.slow
def test_recovers_branches_that_are_not_polynomials():
    found = 0
    for seed in range(800, 805):
        f, points, rng = ridge(seed)
        d = decouple(noisy(f, points), n_branches=3, random_state=0)
        fresh = rng.uniform(-1, 1, (2000, 4))
        error = relative_error(f(fresh), d(fresh)).max()
        assert np.isfinite(error)
        found += error < 0.1 and disagreement(d, f) < 1e-3
    assert found == 5


@pytest.mark.slow
def test_decouples_networks_of_the_papers_size():
    errors = {6: [], 10: []}
    for seed in range(50, 52):
        rng = np.random.default_rng(seed)
        f = random_network(random_state=rng)
        points, fresh = (rng.uniform(-1.5, 1.5, (N, 2)) for N in (1000, 2000))
        samples = Samples(points, f(points), f.jacobian(points))
        for r, found in errors.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                d = decouple(samples, n_branches=r, basis=BSpline(16), random_state=0)
            found.append(relative_error(f(fresh), d(fresh)).mean())
            assert np.isfinite(d(100 * fresh)).all()
    assert max(errors[10]) <= 0.2
    assert max(errors[6]) <= 0.6


@pytest.mark.slow
def test_a_trained_network_shrinks_fifty_times():
    from sklearn.exceptions import ConvergenceWarning as NotConverged
    from sklearn.neural_network import MLPRegressor

    rng = np.random.default_rng(0)
    gains = rng.standard_normal((12, 3)) / np.sqrt(3)
    law = lambda x: np.tanh(x @ gains)  # noqa: E731
    train, points, fresh = (rng.uniform(-1, 1, (N, 12)) for N in (3000, 2000, 3000))
    regressor = MLPRegressor(
        hidden_layer_sizes=(64, 64, 64),
        activation="logistic",
        learning_rate_init=3e-3,
        max_iter=120,
        tol=1e-7,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        regressor.fit(train, law(train))
    network = LogisticNetwork(
        tuple(weight.T for weight in regressor.coefs_), tuple(regressor.intercepts_)
    )
    np.testing.assert_allclose(network(fresh), regressor.predict(fresh), atol=1e-10)
    samples = Samples(points, network(points), network.jacobian(points))
    d = decouple(samples, n_branches=3, random_state=0)
    by_network = relative_error(law(fresh), network(fresh)).mean()
    assert relative_error(law(fresh), d(fresh)).mean() <= by_network + 0.2
    assert 50 * d.n_parameters <= network.n_parameters


@pytest.mark.slow
def test_decouples_many_points_and_many_branches():
    rng = np.random.default_rng(0)
    f = random_ridges(5, 2, 3, rng)
    d = decouple(noisy(f, rng.uniform(-1, 1, (50_000, 5))), n_branches=3, random_state=0)
    assert disagreement(d, f) < 1e-3
    assert d.fitted_error.max() < 0.1
    f = random_ridges(4, 4, 10, rng)
    d = decouple(noisy(f, rng.uniform(-1, 1, (800, 4))), n_branches=10, random_state=0)
    assert d.held_out_error.max() < 1


def test_finds_few_directions_of_many_inputs():
    rng = np.random.default_rng(1)
    f = random_ridges(100, 2, 3, rng)
    f.V /= np.linalg.norm(f.V, axis=0)
    samples = noisy(f, rng.uniform(-1, 1, (200, 100)))
    d = decouple(samples, n_branches=3, basis=BSpline(8), n_starts=2, random_state=0)
    assert disagreement(d, f) < 1e-3


def test_keeps_the_dominant_directions(monkeypatch):
    monkeypatch.setattr(unbraid.solvers._problem, "MAX_V_ENTRIES", 60)
    network = random_network((200, 60, 2), random_state=0)
    network = LogisticNetwork((network.weights[0] / 20, network.weights[1]), network.biases)
    points = np.random.default_rng(0).uniform(-1, 1, (300, 200))
    samples = Samples(points, network(points), network.jacobian(points))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        d = decouple(samples, n_branches=6, basis=Polynomial(2), n_starts=1, random_state=0)
    assert d.V.shape == (200, 6)
    assert d.fitted_error.max() < 30  # ten directions of sixty


@pytest.mark.parametrize(
    "basis",
    [
        Fourier(4),
        RBF(10),
        PiecewiseLinear(20),
        BSpline(12, degree=2),
        None,
        CustomBasis([np.sin, np.cos], [np.cos, lambda z: -np.sin(z)]),
    ],
    ids=lambda basis: type(basis).__name__,
)
def test_decouples_in_every_basis(basis):
    points = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    f = lambda p: np.sin(0.6 * p[:, :1] + 0.8 * p[:, 1:])  # noqa: E731
    d = decouple(f, points, 1, basis=basis, random_state=0)
    assert d.fitted_error[0] < (1 if isinstance(basis, PiecewiseLinear) else 0.3)


def test_auto_basis_is_a_spline_where_polynomials_are_poor():
    points = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    f = lambda p: np.tanh(8 * (p[:, :1] + p[:, 1:]))  # noqa: E731
    d = decouple(f, points, 1, random_state=0)
    assert isinstance(d.branches[0].curve.basis, BSpline)
    assert d.held_out_error[0] < 0.1


def test_parts_can_be_weighted():
    samples = toy_samples(100, 4)
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0, "refine": False}
    by = {}
    for name, weights in {"values": (1e-6, 1.0), "jacobians": (1.0, 1e-6)}.items():
        d = decouple(samples, jacobian_weight=weights[0], value_weight=weights[1], **options)
        by[name] = d.fitted_error.mean(), d.solution.details["jacobian_residual"]
    assert by["values"][0] < by["jacobians"][0]


def test_heavy_smoothing_tends_to_parabolas():
    samples = unbraid.sample(mixed, toy_samples(80, 1).points)
    options = {"n_branches": 2, "random_state": 0, "basis": BSpline(12), "refine": False}
    one, two = (decouple(samples, smoothing=s, **options).fitted_error for s in (1e3, 1e9))
    np.testing.assert_allclose(one, two, rtol=0.02)


def test_jacobians_without_weight_do_no_harm(rng):
    samples = unbraid.sample(mixed, rng.uniform(-1, 1, (200, 2)))
    garbage = Samples(samples.points, samples.values, rng.standard_normal((200, 2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(garbage, n_branches=2, jacobian_weight=0, n_starts=4, random_state=0)
    assert d.held_out_error.max() < 0.1


def test_nan_outside_is_set_at_the_end():
    d = decouple(toy_samples(100, 1), n_branches=2, extrapolate="nan", n_starts=2, random_state=0)
    assert np.all(np.isnan(d([[50.0, 50.0]])))
    assert np.all(np.isfinite(d.held_out_error))


def test_judges_on_held_out_samples_of_the_user():
    own = toy_samples(200, 77)
    d = decouple(toy_samples(100, 1), n_branches=2, held_out=own, n_starts=3, random_state=0)
    np.testing.assert_allclose(
        d.held_out_error, relative_error(own.values, d(own.points)), rtol=0.2
    )


def test_fits_large_values_among_the_held_out_points():
    samples = unbraid.cases.reduction_samples(200, random_state=5)  # two values rule it
    d = decouple(samples, n_branches=1, basis=Polynomial(5), random_state=0)
    whole = decouple(samples, n_branches=1, basis=Polynomial(5), random_state=0, held_out=0.0)
    assert d.fitted_error[0] < 1.01 * whole.fitted_error[0]
    assert d.held_out_error[0] > d.fitted_error[0]  # judged before they joined
