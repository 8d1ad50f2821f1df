"""Variable projection through the front door: what is claimed, what it is worth, bad input."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unbraid
from unbraid import (
    BSpline,
    ConvergenceWarning,
    CustomBasis,
    DegenerateBranch,
    FitWarning,
    Fourier,
    InvalidOption,
    InvalidSamples,
    PiecewiseLinear,
    Polynomial,
    Samples,
    decouple,
    jacobian_error,
    refine,
    relative_error,
)
from unbraid.bases import RBF
from unbraid.cases import (
    network_samples,
    random_network,
    random_polynomial,
    random_ridges,
    toy_decoupled,
    toy_samples,
)
from unbraid.cases._network import LogisticNetwork
from unbraid.cases._ridges import SHAPES
from unbraid.data._consistency import seems_kinked
from unbraid.data._splitting import split
from unbraid.pipeline._selection import grow
from unbraid.solvers import VarPro
from unbraid.solvers._factors import disagreement


def noisy(f, points, rng=None, value_noise=0.0, jacobian_noise=0.0):
    """Samples of f with noise relative to the size of each part."""
    values, jacobians = f(points), f.jacobian(points)
    if rng is not None:
        values = values + value_noise * values.std(0) * rng.standard_normal(values.shape)
        size = np.sqrt(np.mean(jacobians**2))
        jacobians = jacobians + jacobian_noise * size * rng.standard_normal(jacobians.shape)
    return Samples(points, values, jacobians)


def ridge(seed, N=500, n=2, m=4, r=3):
    """An exact decoupling with branches that are not polynomials, points, and what draws more."""
    rng = np.random.default_rng(seed)
    return random_ridges(m, n, r, rng), rng.uniform(-1, 1, (N, m)), rng


# --- what is claimed -----------------------------------------------------------------------


def test_the_toy_problem_is_recovered_exactly():
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
def test_the_polynomial_reduction_is_exact_and_knows_its_branches():
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


def test_auto_counts_the_toy_problems_branches():
    d = decouple(toy_samples(40, 3), n_branches="auto", random_state=0)
    assert d.n_branches == 3
    assert d.fitted_error.max() < 1e-6
    assert isinstance(d.branches[0].curve.basis, Polynomial)
    assert d.branches[0].curve.basis.degree == 3
    table = d.solution.table
    assert [row.n_branches for row in table] == [1, 2, 3]
    assert table[0].held_out_error > table[1].held_out_error > 1 > table[2].held_out_error
    assert table[2].n_parameters == d.n_parameters
    assert "met the tolerance" in d.solution.diagnosis
    assert "held out" in str(table[0])


@pytest.mark.slow
def test_branches_that_are_not_polynomials_are_recovered():
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
def test_networks_of_the_papers_size():
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
def test_many_points_and_many_branches():
    rng = np.random.default_rng(0)
    f = random_ridges(5, 2, 3, rng)
    d = decouple(noisy(f, rng.uniform(-1, 1, (50_000, 5))), n_branches=3, random_state=0)
    assert disagreement(d, f) < 1e-3
    assert d.fitted_error.max() < 0.1
    f = random_ridges(4, 4, 10, rng)
    d = decouple(noisy(f, rng.uniform(-1, 1, (800, 4))), n_branches=10, random_state=0)
    assert d.held_out_error.max() < 1


def test_gradients_in_few_of_many_inputs():
    rng = np.random.default_rng(1)
    f = random_ridges(100, 2, 3, rng)
    f.V /= np.linalg.norm(f.V, axis=0)
    samples = noisy(f, rng.uniform(-1, 1, (200, 100)))
    d = decouple(samples, n_branches=3, basis=BSpline(8), n_starts=2, random_state=0)
    assert disagreement(d, f) < 1e-3


def test_more_directions_than_can_be_kept(monkeypatch):
    monkeypatch.setattr(unbraid.solvers._problem, "MOST_V", 60)
    network = random_network((200, 60, 2), random_state=0)
    network = LogisticNetwork((network.weights[0] / 20, network.weights[1]), network.biases)
    points = np.random.default_rng(0).uniform(-1, 1, (300, 200))
    samples = Samples(points, network(points), network.jacobian(points))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        d = decouple(samples, n_branches=6, basis=Polynomial(2), n_starts=1, random_state=0)
    assert d.V.shape == (200, 6)
    assert d.fitted_error.max() < 30  # ten directions of sixty


# --- the paper's examples -------------------------------------------------------------------


def test_cases_have_the_jacobians_of_their_values():
    cases = (random_polynomial, 5), (random_network, 2), (random_ridges, 4)
    for f, m in ((make(random_state=1), m) for make, m in cases):
        points = np.random.default_rng(0).uniform(-1, 1, (6, m))
        numeric = unbraid.sample(lambda p, f=f: f(p), points).jacobians
        np.testing.assert_allclose(f.jacobian(points), numeric, rtol=1e-6, atol=1e-8)
    assert network_samples(20, random_state=0).n_outputs == 2
    assert random_network(random_state=0).n_parameters == 382


# --- invariances -----------------------------------------------------------------------------


def test_shift_and_order_of_points_do_not_matter(rng):
    samples = toy_samples(60, 6)
    shifted = Samples(samples.points + 1e4, samples.values - 7, samples.jacobians)
    mixed = samples.subset(rng.permutation(60))
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0}
    expected = decouple(samples, **options)(samples.points)
    close = {"atol": 1e-5 * samples.values.std()}
    np.testing.assert_allclose(decouple(shifted, **options)(shifted.points) + 7, expected, **close)
    np.testing.assert_allclose(decouple(mixed, **options)(samples.points), expected, **close)


def test_turning_the_inputs_turns_v(rng):
    f, points, _ = ridge(3, N=300, r=2)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    turned = Samples(points @ turn, f(points), f.jacobian(points) @ turn)
    d = decouple(turned, n_branches=2, basis=BSpline(16), n_starts=4, random_state=0)
    f.V = turn.T @ f.V
    assert disagreement(d, f) < 1e-3


shapes = {"seed": st.integers(0, 1000), "n": st.integers(1, 3), "m": st.integers(1, 3)}


@pytest.mark.slow
@settings(max_examples=4)
@given(**shapes, r=st.integers(1, 3), N=st.sampled_from([4, 7, 25]))
def test_any_shape_gives_a_finite_answer(seed, n, m, r, N):
    check_shape(seed, n, m, r, N)


@pytest.mark.slow
@settings(max_examples=12)
@given(**shapes, r=st.integers(1, 5), N=st.sampled_from([4, 7, 25, 60]))
def test_more_shapes_give_a_finite_answer(seed, n, m, r, N):
    check_shape(seed, n, m, r, N)


def check_shape(seed, n, m, r, N):
    f, points, _ = ridge(seed, N, n=n, m=m, r=r)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(noisy(f, points), n_branches=r, n_starts=2, random_state=0)
    assert d(points).shape == (N, n)
    assert np.all(np.isfinite(d(10 * points)))
    assert np.all(np.isfinite(d.jacobian(10 * points)))
    np.testing.assert_allclose(np.linalg.norm(d.V, axis=0), 1)
    np.testing.assert_allclose(np.linalg.norm(d.W, axis=0), 1)


# --- what the answer is worth -----------------------------------------------------------------


def test_starts_agree_and_the_answer_is_identified():
    solution = decouple(toy_samples(100, 1), n_branches=3, random_state=0).solution
    assert solution.details["identified"] is True
    assert solution.details["n_agreeing"] >= 2
    assert solution.details["V_standard_errors"].shape == (2, 3)
    assert solution.details["V_standard_errors"].max() < 1e-8
    assert solution.diagnosis.startswith("W and V are identified")
    assert "agree on W and V" in solution.diagnosis
    assert solution.converged
    assert "varpro" in repr(solution)


def test_a_branch_too_many_is_said_to_be_free():
    solution = decouple(toy_samples(100, 1), n_branches=4, basis=Polynomial(3)).solution
    assert solution.details["identified"] is False
    assert "only the function they make is determined" in solution.diagnosis


def test_quadratics_of_one_output_have_a_span_and_no_directions():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 3))
    f = lambda p: p[:, :1] ** 2 + 2 * p[:, 1:2] ** 2 + 3 * p[:, 2:] ** 2  # noqa: E731
    d = decouple(f, points, 3, basis=Polynomial(2), random_state=0)
    assert d.fitted_error[0] < 1e-6
    assert d.solution.details["identified"] is False


def test_standard_errors_and_bands_are_of_the_right_size():
    ratios, inside = [], []
    for seed in range(3):
        f, points, rng = ridge(20 + seed, N=200, n=2, m=3, r=2)
        f.kinds = np.array([0, 1])
        samples = noisy(f, points, rng, 0.02, 0.02)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)
            d = decouple(samples, n_branches=2, basis=BSpline(8), n_starts=2, random_state=0)
        true = f.V / np.linalg.norm(f.V, axis=0)
        for i, v in enumerate(d.V.T):
            j = np.argmax(np.abs(true.T @ v))
            sign = np.sign(true[:, j] @ v)
            off = v - sign * true[:, j]
            ratios.append(np.abs(off) / d.solution.details["V_standard_errors"][:, i])
            z, half = d.branches[i].band.T
            shape = SHAPES[f.kinds[j]][0]
            w = f.W[:, j] @ d.W[:, i]
            expected = w * shape(sign * np.linalg.norm(f.V[:, j]) * z)
            data = (points @ d.V)[:, i]
            centre = np.mean(w * shape(sign * np.linalg.norm(f.V[:, j]) * data))
            g = d.branches[i](z) - np.mean(d.branches[i](data))
            inside.append(np.mean(np.abs(g - (expected - centre)) <= half))
    assert 0.3 < np.sqrt(np.mean(np.square(ratios))) < 3
    assert np.mean(inside) > 0.7


def test_the_band_is_drawn_and_kept(tmp_path):
    f, points, rng = ridge(4, N=100, r=2)
    samples = noisy(f, points, rng, 0.1, 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(samples, n_branches=2, basis=BSpline(8), n_starts=2, random_state=0)
    panels = [axes for axes in d.plot().axes if axes.lines]
    assert all(len(axes.collections) == 1 for axes in panels)
    again = unbraid.load(d.save(tmp_path / "d.json"))
    np.testing.assert_array_equal(again.branches[0].band, d.branches[0].band)
    np.testing.assert_array_equal(again.held_out_error, d.held_out_error)
    np.testing.assert_array_equal(again(5 * points), d(5 * points))  # margins too


@pytest.mark.parametrize(("values", "jacobians"), [(0.0, 1e-1), (1e-1, 0.0), (1e-2, 1e-2)])
def test_noise_in_one_part_does_not_spoil_the_other(values, jacobians):
    f, points, rng = ridge(2)
    samples = noisy(f, points, rng, values, jacobians)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(samples, n_branches=3, basis=BSpline(12), n_starts=3, random_state=0)
    fresh = rng.uniform(-1, 1, (1000, 4))
    noise = min(values, jacobians) if min(values, jacobians) else 0.02
    assert relative_error(f(fresh), d(fresh)).max() < 100 * noise
    assert disagreement(d, f) < 5 * noise


def test_branches_go_on_tamely_beyond_the_data():
    f, points, _ = ridge(5, N=200)
    d = decouple(noisy(f, points), n_branches=3, basis=BSpline(10), n_starts=3, random_state=0)
    for branch in d.branches:
        low, high = branch.interval
        assert 0 <= branch.margin <= 0.15
        far = high + (high - low) * np.array([1.0, 2.0, 3.0])
        np.testing.assert_allclose(np.diff(branch(far), 2), 0, atol=1e-9 * np.ptp(branch(far)))


# --- refinement, bases, number of branches -----------------------------------------------------


def test_refinement_lowers_the_error_of_the_values():
    samples = network_samples(400, random_state=3)
    options = {"n_branches": 3, "basis": BSpline(12), "random_state": 0, "held_out": 0}
    plain = decouple(samples, refine=False, **options)
    better = decouple(samples, **options)
    assert better.fitted_error.mean() < plain.fitted_error.mean()
    assert plain.held_out_error is None
    alone = refine(plain, samples)
    assert alone.fitted_error.mean() <= plain.fitted_error.mean()
    assert jacobian_error(samples.jacobians, alone.jacobian(samples.points)) < 30


@pytest.mark.slow
def test_refinement_of_a_published_method():
    samples = toy_samples(60, 2)
    options = {"n_branches": 3, "method": "implicit", "basis": Polynomial(3), "random_state": 0}
    options["n_starts"] = 2
    assert decouple(samples, **options).fitted_error.max() > 0.1
    d = decouple(samples, refine=True, held_out=0.2, **options)
    assert d.fitted_error.max() < 1e-6
    assert d.held_out_error.max() < 1e-6
    assert d.solution.method == "implicit"


def test_refine_wants_one_basis():
    samples = toy_samples(60, 1)
    d = decouple(samples, n_branches=2, basis=None, random_state=0)
    with pytest.raises(InvalidOption, match="basis="):
        refine(d, samples)
    assert refine(d, samples, basis=BSpline(8)).branches[0].n_parameters == 7


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
def test_every_basis(basis):
    points = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    f = lambda p: np.sin(0.6 * p[:, :1] + 0.8 * p[:, 1:])  # noqa: E731
    d = decouple(f, points, 1, basis=basis, random_state=0)
    assert d.fitted_error[0] < (1 if isinstance(basis, PiecewiseLinear) else 0.3)


def test_auto_takes_a_spline_where_polynomials_are_poor():
    points = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    f = lambda p: np.tanh(8 * (p[:, :1] + p[:, 1:]))  # noqa: E731
    d = decouple(f, points, 1, random_state=0)
    assert isinstance(d.branches[0].curve.basis, BSpline)
    assert d.held_out_error[0] < 0.1


def test_auto_stops_on_what_does_not_decouple():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 5))
    f = lambda p: np.prod(p, axis=1)  # noqa: E731
    d = decouple(f, points, "auto", basis=Polynomial(5), n_starts=2, random_state=0)
    assert "did not lower" in d.solution.diagnosis
    assert d.held_out_error[0] > 50  # and says so


def test_growing_keeps_the_smallest_that_is_good_enough():
    class Stub:
        def __init__(self, r):
            self.n_branches, self.n_parameters, self.solution = r, 10 * r, None
            self.fitted_error = self.held_out_error = np.array([ERRORS[r - 1]])

    ERRORS = [50.0, 5.0, 1.0, 0.99, 0.98, 0.97]
    known = []
    choice = grow(lambda r, before: known.append(len(before)) or Stub(r), 0.01, 12, 100)
    assert (choice.function.n_branches, len(choice.table)) == (3, 5)
    assert known == [0, 1, 1, 1, 1]
    assert "two more branches" in choice.reason
    assert grow(lambda r, _: Stub(r), 6.0, 12, 100).function.n_branches == 2
    assert "max_branches" in grow(lambda r, _: Stub(r), 0.01, 2, 100).reason
    few = grow(lambda r, _: Stub(r), 0.01, 12, 25)
    assert (few.function.n_branches, "more numbers than" in few.reason) == (2, True)


def test_the_split_does_not_depend_on_the_order_of_the_points(rng):
    samples = toy_samples(50, 1)
    fitted, held = split(samples, 0.2)
    assert (len(fitted), len(held)) == (40, 10)
    _, other = split(samples.subset(rng.permutation(50)), 0.2)
    assert set(map(tuple, held.points)) == set(map(tuple, other.points))
    assert split(toy_samples(10, 1), 0.2)[1] is None


def test_held_out_samples_of_ones_own():
    own = toy_samples(200, 77)
    d = decouple(toy_samples(100, 1), n_branches=2, held_out=own, n_starts=3, random_state=0)
    np.testing.assert_allclose(
        d.held_out_error, relative_error(own.values, d(own.points)), rtol=0.2
    )


# --- progress ---------------------------------------------------------------------------------


def test_callback_sees_progress_and_can_stop():
    seen = []
    samples = toy_samples(60, 1)
    decouple(samples, n_branches=2, n_starts=3, random_state=0, callback=seen.append)
    assert {p.stage for p in seen} == {"screen", "polish", "refine"}
    for stage in ("screen", "polish", "refine"):
        stop = lambda p, s=stage: p.stage == s  # noqa: E731
        with pytest.warns(ConvergenceWarning, match="callback"):
            d = decouple(samples, n_branches=2, n_starts=3, random_state=0, callback=stop)
        assert np.all(np.isfinite(d(samples.points)))


@pytest.mark.slow
def test_unfinished_work_warns():
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        decouple(network_samples(50, 1), n_branches=3, max_iterations=1, random_state=0)


def test_parts_can_be_weighted():
    samples = toy_samples(100, 4)
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0, "refine": False}
    by = {}
    for name, weights in {"values": (1e-6, 1.0), "jacobians": (1.0, 1e-6)}.items():
        d = decouple(samples, jacobian_weight=weights[0], value_weight=weights[1], **options)
        by[name] = d.fitted_error.mean(), d.solution.details["jacobian_residual"]
    assert by["values"][0] < by["jacobians"][0]


# --- bad input ----------------------------------------------------------------------------------


def test_kinks_are_said_and_the_smooth_answer_is_good():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, 3)), rng.standard_normal((3, 2))
    points = rng.uniform(-1, 1, (200, 2))
    with pytest.warns(FitWarning, match="kinks"):
        d = decouple(
            lambda p: np.maximum(p @ A, 0) @ B,
            points,
            3,
            basis=BSpline(16),
            n_starts=2,
            random_state=0,
        )
    assert d.fitted_error.max() < 5
    assert np.all(np.isfinite(d(3 * points)))


@pytest.mark.slow
def test_smooth_functions_are_not_taken_for_kinked():
    points = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    for f in (lambda p: np.prod(p, axis=1), lambda p: np.sin(4 * p[:, 0] * p[:, 1])):
        assert not seems_kinked(unbraid.sample(f, points))
        d = decouple(f, points, 1, n_starts=2, random_state=0)
        assert d.solution.diagnosis.startswith("poor")  # it is, but there is nothing to warn of


def test_jacobians_that_do_not_belong_to_the_values_are_noticed():
    samples = toy_samples(100, 4)
    for wrong in (2 * samples.jacobians, samples.jacobians.transpose(0, 2, 1)):
        wrong_samples = Samples(samples.points, samples.values, wrong)
        with pytest.warns(FitWarning, match="belong"):
            decouple(wrong_samples, n_branches=3, basis=Polynomial(3), n_starts=3, random_state=0)


def test_outputs_of_very_different_size_and_a_constant_one():
    points = toy_samples(200, 1).points
    f = lambda p: np.stack(  # noqa: E731
        [1e6 * np.sin(p[:, 0]), 1e-6 * np.exp(p[:, 1]), np.full(len(p), 3.0)], 1
    )
    d = decouple(f, points, 2, random_state=0)
    assert d.fitted_error.max() < 1e-3


def test_points_on_a_line_and_an_input_that_never_moves():
    line = np.outer(np.linspace(-1, 1, 50), [1.0, 2.0])
    d = decouple(lambda p: p[:, :1] * p[:, 1:], line, 2, random_state=0)
    assert d.fitted_error[0] < 1e-6
    still = np.column_stack([np.linspace(-1, 1, 50), np.full(50, 2.0)])
    assert decouple(lambda p: p[:, :1] * p[:, 1:], still, 1, random_state=0).fitted_error[0] < 1e-6


def test_gradients_where_the_points_do_not_vary():
    points = np.column_stack([np.zeros(20), np.linspace(0, 1, 20)])
    jacobians = np.tile([[1.0, 0.0]], (20, 1, 1))
    with pytest.raises(DegenerateBranch, match="vary"):
        decouple(Samples(points, np.zeros(20), jacobians), n_branches=1, random_state=0)


def test_repeated_points_and_near_ones(rng):
    samples = toy_samples(50, 8)
    twice = samples.subset(np.repeat(np.arange(50), 2))
    assert decouple(twice, n_branches=3, random_state=0).fitted_error.max() < 1e-6
    cluster = np.array([0.3, 0.2]) + 1e-8 * rng.standard_normal((40, 2))
    points = np.vstack([rng.uniform(-1, 1, (30, 2)), cluster])
    d = decouple(lambda p: np.sin(p[:, :1] + p[:, 1:]) + p[:, :1] ** 2, points, 2, random_state=0)
    assert d.fitted_error[0] < 1


SAMPLES = toy_samples(30, 0)
BAD = [
    ({"n_branches": 0}, InvalidOption, "n_branches"),
    ({"n_branches": "many"}, InvalidOption, "n_branches"),
    ({"n_branches": None}, InvalidOption, "n_branches"),
    ({"basis": "cubic"}, InvalidOption, "'cubic'"),
    ({"basis": Polynomial(40)}, InvalidOption, "40 coefficients"),
    ({"filters": []}, InvalidOption, "'filters'"),
    ({"smoothness": 1.0}, InvalidOption, "'smoothness'"),
    ({"colour": "red"}, InvalidOption, "'colour'"),
    ({"held_out": 1.5}, InvalidOption, "held_out"),
    ({"held_out": True}, InvalidOption, "held_out"),
    ({"held_out": unbraid.cases.reduction_samples(30, 0)}, InvalidSamples, "held_out has"),
    ({"n_branches": "auto", "tolerance": 0}, InvalidOption, "tolerance"),
    ({"n_branches": "auto", "max_branches": 0}, InvalidOption, "max_branches"),
    ({"jacobian_weight": -1.0}, InvalidOption, "jacobian_weight"),
    ({"value_weight": "much"}, InvalidOption, "value_weight"),
    ({"jacobian_weight": 0, "value_weight": 0}, InvalidOption, "both 0"),
    ({"smoothing": np.inf}, InvalidOption, "smoothing"),
    ({"n_starts": 0}, InvalidOption, "n_starts"),
    ({"max_iterations": 1.5}, InvalidOption, "max_iterations"),
    ({"refine": "yes"}, InvalidOption, "refine"),
    ({"known": 3}, InvalidOption, "known"),
    ({"held_out": 0.99}, InvalidOption, "held_out = 0.99"),
    ({"held_out": SAMPLES.subset([0])}, InvalidSamples, "held_out does"),
    ({"tolerance": -1}, InvalidOption, "tolerance"),
    ({"weights": [1.0]}, InvalidOption, "weights"),
    ({"method": VarPro(), "n_starts": 3}, InvalidOption, "'n_starts'"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD, ids=lambda v: str(v)[:40])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        decouple(SAMPLES, **{"n_branches": 2, **options})


# --- what careless users brought to light -------------------------------------------------------


def mixed(p):
    return np.column_stack([np.sin(p[:, 0] + 2 * p[:, 1]), (p[:, 0] - p[:, 1]) ** 3])


def test_an_output_that_is_constant_on_the_points_does_not_count():
    t = np.random.default_rng(0).uniform(-1, 1, (80, 1))
    d = decouple(mixed, np.hstack([t, t]), 2, n_starts=3, random_state=0)  # the cubic is 0 there
    assert d.fitted_error[0] < 0.1


def test_a_large_offset_of_an_output_does_not_hide_it():
    points = toy_samples(200, 1).points
    f = lambda p: mixed(p) + np.array([1e6, 0.0])  # noqa: E731
    assert decouple(f, points, 2, n_starts=3, random_state=0).fitted_error.max() < 0.1


def test_few_points_are_not_spent_on_many_branches():
    points = np.random.default_rng(0).uniform(-1, 1, (15, 8))
    f = lambda p: np.column_stack([np.tanh(p @ np.linspace(1, -1, 8)), p[:, 2] * p[:, 3]])  # noqa: E731
    d = decouple(f, points, "auto", n_starts=3, random_state=0)
    assert d.n_parameters <= 2 * 15
    assert d.held_out_error is None
    assert d.solution.table[0].held_out_error is None
    assert "no points were held out" in d.solution.diagnosis
    assert "none held out" in str(d.solution.table[0])


def test_refining_keeps_the_way_beyond_the_data():
    points = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    samples = unbraid.sample(mixed, points)
    d = decouple(samples, n_branches=2, random_state=0)
    fresh = np.random.default_rng(9).uniform(-1, 1, (1000, 2))
    for function in (d, refine(d, samples)):
        assert relative_error(mixed(fresh), function(fresh)).max() < 0.01


def test_nan_outside_is_set_at_the_end():
    d = decouple(toy_samples(100, 1), n_branches=2, extrapolate="nan", n_starts=2, random_state=0)
    assert np.all(np.isnan(d([[50.0, 50.0]])))
    assert np.all(np.isfinite(d.held_out_error))


def test_heavy_smoothing_tends_to_parabolas():
    samples = unbraid.sample(mixed, toy_samples(80, 1).points)
    options = {"n_branches": 2, "random_state": 0, "basis": BSpline(12), "refine": False}
    one, two = (decouple(samples, smoothing=s, **options).fitted_error for s in (1e3, 1e9))
    np.testing.assert_allclose(one, two, rtol=0.02)


def test_a_stop_ends_the_growth():
    with pytest.warns(ConvergenceWarning, match="callback"):
        d = decouple(toy_samples(60, 1), n_branches="auto", callback=lambda p: True, random_state=0)
    assert len(d.solution.table) == 1


def test_jacobians_that_do_not_count_do_no_harm(rng):
    samples = unbraid.sample(mixed, rng.uniform(-1, 1, (200, 2)))
    garbage = Samples(samples.points, samples.values, rng.standard_normal((200, 2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(garbage, n_branches=2, jacobian_weight=0, n_starts=4, random_state=0)
    assert d.held_out_error.max() < 0.1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"jacobian_weight": -1}, InvalidOption, "jacobian_weight"),
        ({"value_weight": 0}, InvalidOption, "both 0"),
        ({"smoothing": np.nan}, InvalidOption, "smoothing"),
        ({"max_iterations": 2.5}, InvalidOption, "max_iterations"),
        ({"basis": "auto"}, InvalidOption, "basis="),
    ],
)
def test_bad_options_of_refine(options, error, message):
    d = decouple(SAMPLES, n_branches=1, basis=Polynomial(2), random_state=0)
    with pytest.raises(error, match=message):
        refine(d, SAMPLES, **options)


def test_refine_wants_samples_of_the_same_function():
    d = decouple(SAMPLES, n_branches=1, basis=Polynomial(2), random_state=0)
    with pytest.raises(InvalidSamples, match="2 outputs"):
        refine(d, unbraid.cases.reduction_samples(30, 0))


def test_refinement_with_weights_of_points():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    samples = unbraid.sample(lambda p: np.sin(2 * p[:, :1] + p[:, 1:]), points)
    d = decouple(samples, n_branches=1, random_state=0, basis=BSpline(8))
    spoilt = samples.values + 3.0 * (points[:, :1] > 0.5)
    weights = np.where(points[:, 0] > 0.5, 0.0, 1.0)
    broken = Samples(points, spoilt, samples.jacobians)
    refined = unbraid.refine(d, broken, point_weights=weights)
    kept = weights > 0
    assert np.abs((refined(points) - samples.values)[kept]).max() < 0.01
    with pytest.raises(InvalidOption, match="point_weights"):
        unbraid.refine(d, broken, point_weights=weights[:-1])


def test_a_penalty_on_cancellation_leaves_the_sum_alone():
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (300, 3))
    samples = unbraid.sample(lambda p: np.sin(2 * p[:, :1]) + p[:, 1:2] - 2 * p[:, 2:], points)
    V = np.array([[1.0, 0.0, 0.01], [0.0, 1.0, 1.0], [0.0, 0.0, 0.02]])
    curved, straight = decouple(samples, n_branches=2, random_state=0, basis=BSpline(8)).branches
    branches = (curved, straight, straight)
    start = unbraid.DecoupledFunction(np.ones((1, 3)), V, branches, np.zeros(1))
    sizes = []
    for weight in (0.0, 1e-4):
        d = unbraid.refine(start, samples, cancellation=weight, max_iterations=30)
        z = d.transform(points)
        sizes.append(sum(np.var(g(c)) for g, c in zip(d.branches, z.T, strict=True)))
        assert d.fitted_error.max() < 0.1
    assert sizes[1] < 3 * np.var(samples.values) < 100 * sizes[1]


def test_values_that_jacobians_know_nothing_of_are_noticed():
    points = np.random.default_rng(2).uniform(-1, 1, (100, 2))
    f = lambda p: np.tanh(p[:, :1] + 2 * p[:, 1:])  # noqa: E731
    flat = np.full((100, 1, 2), 0.01)
    with pytest.warns(unbraid.FitWarning, match="belong"):
        decouple(Samples(points, f(points), flat), n_branches=1, random_state=0, n_starts=2)


def test_large_values_among_the_points_held_out_are_not_lost():
    samples = unbraid.cases.reduction_samples(200, random_state=5)  # two values rule it
    d = decouple(samples, n_branches=1, basis=Polynomial(5), random_state=0)
    whole = decouple(samples, n_branches=1, basis=Polynomial(5), random_state=0, held_out=0.0)
    assert d.fitted_error[0] < 1.01 * whole.fitted_error[0]
    assert d.held_out_error[0] > d.fitted_error[0]  # judged before they joined
