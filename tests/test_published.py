"""The published methods through the front door, and what every method has to do."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unbraid
from unbraid import (
    BSpline,
    ConvergenceWarning,
    DegenerateBranch,
    Filter,
    InvalidOption,
    InvalidSamples,
    Mould,
    Polynomial,
    Samples,
    relative_error,
)
from unbraid.cases import toy_polynomial, toy_samples
from unbraid.solvers import CPD, Explicit, Implicit
from unbraid.solvers._factors import Factors, disagreement

METHODS = ["varpro", "implicit", "explicit", "cpd"]


def decouple(*arguments, **options):
    """With the implicit method unless another is asked for."""
    return unbraid.decouple(*arguments, **{"method": "implicit", **options})


QUICK = {"explicit": {"smoothness": 1e4}}


def factors_of(d):
    empty = np.zeros((1, d.n_branches))
    return Factors(d.W, d.V, empty, empty, empty)


def exact_samples(seed, n=4, m=4, r=4, N=80):
    """A decoupled function with tanh branches, and its W and V."""
    rng = np.random.default_rng(seed)
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    points = rng.standard_normal((N, m))
    z = points @ V
    jacobians = np.einsum("oi,ki,li->kol", W, 1 / np.cosh(z) ** 2, V)
    return Samples(points, np.tanh(z) @ W.T, jacobians), Factors(W, V, z, z, z)


# --- what is claimed -----------------------------------------------------------------------


def table_1(method, r, seeds):
    """Decouplings of the toy problem for some draws, every option at its default."""
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            samples, basis = toy_samples(100, seed), Polynomial(3)
            yield decouple(samples, n_branches=r, method=method, basis=basis, random_state=seed)


@pytest.mark.slow
@pytest.mark.parametrize(("r", "most"), [(1, 1.1 * 41.75), (2, 1.1 * 13.55), (3, 0.9), (4, 0.45)])
def test_table_1_implicit(r, most):
    found = table_1("implicit", r, range(200, 203))
    assert np.median([d.fitted_error.mean() for d in found]) <= most


@pytest.mark.slow
@pytest.mark.parametrize(("r", "most"), [(3, 2.0), (4, 0.3)])
def test_table_1_explicit(r, most):
    found = list(table_1("explicit", r, range(300, 303)))
    assert np.median([d.fitted_error.mean() for d in found]) <= most
    assert all(d.solution.details["smoothness"] in Explicit().smoothness for d in found)


@pytest.mark.parametrize("seed", range(5))
def test_cpd_recovers_a_unique_decomposition(seed):
    samples, truth = exact_samples(seed)
    d = decouple(samples, n_branches=4, method="cpd", random_state=seed)
    assert disagreement(factors_of(d), truth) < 1e-8
    assert d.solution.details["unique"] is True
    assert d.solution.diagnosis.startswith("unique")


def test_cpd_says_that_the_toy_problem_is_not_unique():
    d = decouple(toy_samples(100, 0), n_branches=3, method="cpd", random_state=0)
    assert min(d.solution.objective) < 1e-10
    assert d.solution.details["unique"] is False
    assert "not unique" in d.solution.diagnosis
    assert d.fitted_error.max() > 1  # and that is why the filters are there


@pytest.mark.slow
def test_implicit_finds_the_exact_decoupling_as_n_grows():
    d = decouple(toy_samples(5000, 1), n_branches=3, basis=Polynomial(3), random_state=0)
    assert d.fitted_error.max() < 0.01
    truth = Factors(unbraid.cases._toy.W, unbraid.cases._toy.V, *[np.zeros((1, 3))] * 3)
    assert disagreement(factors_of(d), truth) < 1e-3


# --- the three V-updates -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("v_update", ["function", "relaxed", "nonlinear"])
def test_every_v_update_decouples(v_update):
    samples, _ = exact_samples(3, n=2, m=2, r=2, N=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        options = {"v_update": v_update, "basis": BSpline(10), "n_starts": 3}
        d = decouple(samples, n_branches=2, random_state=0, **options)
    assert d.fitted_error.max() < 2.0
    objective = np.array(d.solution.objective)
    assert objective.min() <= objective[0]
    if v_update == "function":
        assert np.all(np.diff(objective) <= 0)  # guarded: it never rises


@pytest.mark.slow
def test_filters_of_other_lengths_lower_the_bias():
    samples = toy_samples(40, 4)
    options = {"n_branches": 3, "basis": Polynomial(3), "n_starts": 2, "random_state": 0}
    three = decouple(samples, **options)
    five = decouple(samples, filters=[Filter("left", 5), Filter("right", 5)], **options)
    assert three.fitted_error.mean() > 0.1  # three points are exact on parabolas only
    assert five.fitted_error.mean() < 1e-2 * three.fitted_error.mean()


# --- moulds --------------------------------------------------------------------------------


def kinked(p):
    z = p @ np.array([0.6, 0.8])
    return np.where(z > 0.1, 3 * (z - 0.1), -(z - 0.1))[:, None] + 0.3 * z[:, None] ** 2


def saturating(p):
    z = p @ np.array([0.6, 0.8])
    return np.clip(z, -0.5, 0.4)[:, None]


def test_breaks_keep_a_kink_sharp():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    smooth = decouple(kinked, points, 1, basis=None, random_state=0)
    given_ = decouple(kinked, points, 1, basis=None, random_state=0, moulds=Mould(breaks=(0.1,)))
    found = decouple(kinked, points, 1, basis=None, random_state=0, moulds=Mould(breaks="detect"))
    assert given_.fitted_error[0] < 0.2 * smooth.fitted_error[0]
    assert found.fitted_error[0] < 0.5 * smooth.fitted_error[0]
    (mould,) = found.solution.details["moulds"]
    assert len(mould.breaks) == 1
    assert abs(mould.breaks[0] - 0.1) < 0.03


def test_explicit_detects_breaks_too():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    options = {"method": "explicit", "smoothness": 1e4, "basis": None, "random_state": 0}
    d = decouple(kinked, points, 1, moulds=Mould(breaks="detect"), **options)
    (mould,) = d.solution.details["moulds"]
    assert len(mould.breaks) == 1
    assert abs(mould.breaks[0] - 0.1) < 0.03


def test_limits_hold_a_branch_flat():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    moulds = [Mould(limits=(-0.5, 0.4))]
    d = decouple(saturating, points, 1, basis=None, random_state=0, moulds=moulds)
    assert np.all(d.branches[0].derivative(np.array([-0.9, 0.9])) == 0)
    assert d.fitted_error[0] < 0.5
    with pytest.raises(InvalidOption, match="1 moulds"):
        decouple(saturating, points, 2, moulds=moulds)


@pytest.mark.slow
def test_limits_hold_values_flat_even_when_the_search_is_cut_short():
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=3)
    f = lambda p: saturating(p) + 0.3 * p[:, 1:] ** 2  # noqa: E731
    for seed in range(4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mould = Mould(limits=(-0.5, 0.4))
            d = decouple(
                f, points, 1, basis=None, random_state=seed, max_iterations=5, moulds=mould
            )
        z, g = d.branches[0].estimate.T
        for beyond in (z < -0.5, z > 0.4):
            assert np.ptp(g[beyond]) < 1e-12 * np.ptp(g)


def test_limits_hold_where_no_break_is_detected():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    mould = Mould(breaks="detect", limits=(-0.6, 0.6))
    f = lambda p: np.tanh(1.5 * p @ np.array([0.6, 0.8]))  # noqa: E731
    d = decouple(f, points, 1, basis=None, random_state=0, moulds=mould)
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
    smooth = decouple(f, points, 3, **options)
    sharp = decouple(f, points, 3, moulds=Mould(breaks="detect"), **options)
    assert min(sharp.solution.objective) < 0.3 * min(smooth.solution.objective)
    for mould, v in zip(sharp.solution.details["moulds"], sharp.V.T, strict=True):
        kinked_branch = np.abs(V.T @ v).argmax() != 1
        assert bool(mould.breaks) == kinked_branch


def test_moulds_are_in_the_users_units():
    points = unbraid.sampling.uniform(150, [-1, -1], [1, 1], random_state=0)
    far = points * 1e3 + 500.0
    mould = Mould(breaks=(0.1 * 1e3 + 500 * 1.4,))
    d = decouple(
        lambda p: kinked((p - 500) / 1e3), far, 1, basis=None, random_state=0, moulds=mould
    )
    assert d.fitted_error[0] < 0.5


# --- invariances ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("input_scale", "output_scale"),
    [(1e6, 1), (1, 1e-6), ([1e6, 1e-6], [1e-6, 1e6])],
)
def test_units_do_not_matter(method, input_scale, output_scale):
    points = toy_samples(60, 5).points
    f = toy_polynomial()
    s_in, s_out = np.broadcast_to(input_scale, 2), np.broadcast_to(output_scale, 2)
    plain = Samples(points, f(points), f.jacobian(points))
    scaled = Samples(points * s_in, f(points) * s_out, f.jacobian(points) * s_out[:, None] / s_in)
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0, "method": method}
    options |= {"n_starts": 3} | QUICK.get(method, {})
    one, other = decouple(plain, **options), decouple(scaled, **options)
    np.testing.assert_allclose(
        other(points * s_in) / s_out, one(points), atol=1e-5 * f(points).std()
    )


def test_shift_and_order_of_points_do_not_matter(rng):
    samples = toy_samples(60, 6)
    shifted = Samples(samples.points + 1e4, samples.values - 7, samples.jacobians)
    order = rng.permutation(60)
    mixed = Samples(samples.points[order], samples.values[order], samples.jacobians[order])
    options = {"n_branches": 2, "basis": Polynomial(3), "n_starts": 4, "random_state": 0}
    d = decouple(samples, **options)
    expected = d(samples.points)
    tolerance = 1e-6 * samples.values.std()
    np.testing.assert_allclose(
        decouple(shifted, **options)(shifted.points) + 7, expected, atol=tolerance
    )
    np.testing.assert_allclose(decouple(mixed, **options)(samples.points), expected, atol=tolerance)


@settings(max_examples=4)
@given(seed=st.integers(0, 1000), n=st.integers(1, 3), m=st.integers(1, 3), r=st.integers(1, 4))
def test_any_shape_gives_a_finite_answer(seed, n, m, r):
    samples, _ = exact_samples(seed, n, m, r, N=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", unbraid.FitWarning)  # r > n*m on 30 points may be rough
        d = decouple(samples, n_branches=r, n_starts=2, max_iterations=10, random_state=0)
    assert d(samples.points).shape == (30, n)
    assert np.all(np.isfinite(d(10 * samples.points)))
    np.testing.assert_allclose(np.linalg.norm(d.V, axis=0), 1)
    np.testing.assert_allclose(np.linalg.norm(d.W, axis=0), 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("r", [1, 2, 5])
def test_linear_functions(method, r):
    points = toy_samples(40, 7).points
    values = points @ np.array([[1.0, 2.0], [3.0, 4.0]])
    samples = Samples(points, values, np.tile([[1.0, 3.0], [2.0, 4.0]], (40, 1, 1)))
    d = decouple(samples, n_branches=r, method=method, random_state=0, **QUICK.get(method, {}))
    assert np.all(np.isfinite(d.jacobian(points)))
    if r >= 2:
        assert d.fitted_error.max() < 1e-5


def test_repeated_points_change_nothing():
    samples = toy_samples(50, 8)
    twice = Samples(
        *(np.repeat(a, 2, axis=0) for a in (samples.points, samples.values, samples.jacobians))
    )
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0}
    one, two = decouple(samples, **options), decouple(twice, **options)
    np.testing.assert_allclose(two.fitted_error, one.fitted_error, rtol=1e-3)


def test_points_that_nearly_coincide_do_no_harm(rng):
    cluster = np.array([0.3, 0.2]) + 1e-8 * rng.standard_normal((40, 2))
    points = np.vstack([rng.uniform(-1, 1, (30, 2)), cluster])
    d = decouple(lambda p: np.sin(p[:, :1] + p[:, 1:]) + p[:, :1] ** 2, points, 2, random_state=0)
    assert d.fitted_error[0] < 5


@pytest.mark.parametrize("method", METHODS)
def test_two_distinct_z(method):
    points = np.repeat([[0.0], [1.0]], 10, axis=0)
    d = decouple(lambda p: 3 * p, points, 1, method=method, random_state=0, **QUICK.get(method, {}))
    assert d.fitted_error[0] < 1e-6


def test_an_output_that_is_constant_but_for_rounding_does_not_count():
    points = toy_samples(60, 3).points
    wave = lambda p: np.sin(p[:, 0] + p[:, 1])  # noqa: E731
    alone = decouple(wave, points, 1, random_state=0).fitted_error[0]
    f = lambda p: np.stack([wave(p), np.cos(p[:, 1]) ** 2 + np.sin(p[:, 1]) ** 2], 1)  # noqa: E731
    assert decouple(f, points, 1, random_state=0).fitted_error[0] < 1.1 * alone


def test_only_the_ratio_of_weights_counts():
    options = {"n_branches": 2, "method": "explicit", "smoothness": 1e4, "random_state": 0}
    samples = toy_samples(60, 3)
    one = decouple(samples, weights=[1, 1], **options).fitted_error
    np.testing.assert_allclose(decouple(samples, weights=[64, 64], **options).fitted_error, one)


@pytest.mark.parametrize("method", METHODS)
def test_nan_outside_the_data_only(method):
    samples = toy_samples(60, 4)
    options = {"n_branches": 2, "method": method, "random_state": 0, **QUICK.get(method, {})}
    d = decouple(samples, extrapolate="nan", **options)
    assert np.all(np.isfinite(d(samples.points)))
    assert np.all(np.isnan(d([[100.0, 100.0]])))


@pytest.mark.slow
def test_jacobians_that_do_not_belong_to_the_values_are_noticed():
    samples = toy_samples(60, 4)
    doubled, transposed = 2 * samples.jacobians, samples.jacobians.transpose(0, 2, 1)
    for wrong, message, n_starts in ((doubled, "belong", 2), (transposed, "rougher", 8)):
        wrong_samples = Samples(samples.points, samples.values, wrong)
        with pytest.warns(unbraid.FitWarning, match=message):
            decouple(wrong_samples, n_branches=3, n_starts=n_starts, random_state=0)


def test_a_basis_that_is_too_small_is_noticed():
    points = unbraid.sampling.uniform(400, [-9, -9], [9, 9], random_state=0)
    with pytest.warns(unbraid.FitWarning, match="more coefficients"):
        decouple(lambda p: np.sin(p[:, 0] + 2 * p[:, 1]), points, 1, random_state=0)


def test_points_on_a_line_and_an_input_that_never_moves():
    line = np.outer(np.linspace(-1, 1, 50), [1.0, 2.0])
    d = decouple(lambda p: p[:, :1] * p[:, 1:], line, 2, random_state=0)
    assert d.fitted_error[0] < 1e-3
    still = np.column_stack([np.linspace(-1, 1, 50), np.full(50, 2.0)])
    assert decouple(lambda p: p[:, :1] * p[:, 1:], still, 1, random_state=0).fitted_error[0] < 1e-3


def test_single_output_and_more_branches_than_rank():
    points = unbraid.sampling.sobol(64, [-1, -1], [1, 1], random_state=0)
    f = lambda p: np.exp(p[:, 0] * p[:, 1])  # noqa: E731
    errors = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for r in (1, 2, 3):
            errors[r] = decouple(f, points, r, n_starts=2, random_state=0).fitted_error[0]
    assert errors[2] < errors[1]
    assert errors[3] < 5.0  # r = 3 > n*m = 2: minimum norm, three filters


# --- the same answer ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_bits(method):
    samples = toy_samples(40, 9)
    options = {"n_branches": 2, "method": method, "n_starts": 3, **QUICK.get(method, {})}
    one, two = (decouple(samples, random_state=11, **options) for _ in range(2))
    np.testing.assert_array_equal(one(samples.points), two(samples.points))
    state = np.random.SeedSequence(11)
    for _ in range(2):  # the same object twice
        again = decouple(samples, random_state=state, **options)
        np.testing.assert_array_equal(one(samples.points), again(samples.points))


@pytest.mark.parametrize("method", ["varpro", "implicit"])
def test_weights_shift_the_error_between_outputs(method):
    samples = toy_samples(60, 10)
    options = {"n_branches": 1, "basis": Polynomial(3), "n_starts": 3, "method": method}
    options["random_state"] = 0
    first = decouple(samples, weights=[100, 1], **options).fitted_error
    second = decouple(samples, weights=[1, 100], **options).fitted_error
    assert first[0] < second[0]
    assert second[1] < first[1]


def test_callback_sees_progress_and_can_stop():
    seen = []
    decouple(toy_samples(40, 1), n_branches=2, random_state=0, n_starts=2, callback=seen.append)
    assert {p.stage for p in seen} == {"screen", "polish"}
    assert all(p.objective > 0 for p in seen)
    for stage in ("screen", "polish"):
        _stop_at(stage)


def _stop_at(stage):
    with pytest.warns(ConvergenceWarning, match="callback"):
        d = decouple(
            toy_samples(40, 1),
            n_branches=2,
            random_state=0,
            n_starts=2,
            callback=lambda p: np.bool_(p.stage == stage),
        )
    assert np.all(np.isfinite(d(toy_samples(40, 1).points)))


def test_unfinished_work_warns():
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        decouple(toy_samples(40, 1), n_branches=3, n_starts=2, max_iterations=1, random_state=0)


def test_solution_tells_what_happened():
    d = decouple(toy_samples(60, 1), n_branches=2, random_state=0, n_starts=5)
    s = d.solution
    assert s.n_starts == 5
    assert list(s.start_objectives) == sorted(s.start_objectives)
    assert s.n_iterations == len(s.objective) - 1 > 0
    assert s.converged
    assert "fell by less than" in s.stop_reason
    assert "3 of these agree on W and V" in s.diagnosis
    assert "implicit" in repr(s)


def test_solver_objects():
    samples = toy_samples(40, 2)
    for solver in (
        Implicit(random_state=0),
        Explicit(smoothness=1e4, random_state=0),
        CPD(random_state=0),
    ):
        assert decouple(samples, n_branches=1, method=solver).n_branches == 1
    with pytest.raises(InvalidOption, match="'n_starts'"):
        decouple(samples, n_branches=1, method=CPD(), n_starts=3)


@pytest.mark.slow
def test_explicit_stays_finite_at_every_smoothness():
    """The penalty as published runs off in scale; the safeguard keeps G at unit size."""
    samples = toy_samples(60, 3)
    for smoothness in (0.0, 1e-2, 1e8, 1e12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", unbraid.FitWarning)  # a saw-tooth, and it says so
            options = {"method": "explicit", "smoothness": smoothness, "n_starts": 3}
            d = decouple(samples, n_branches=3, random_state=0, **options)
        assert np.all(np.isfinite(d(samples.points)))
        assert 1e-3 < d.solution.factors.derivatives.std() / samples.jacobians.std() < 1e4


# --- bad input ----------------------------------------------------------------------------

SAMPLES = toy_samples(30, 0)
BAD = [
    ({"n_branches": 0}, InvalidOption, "n_branches"),
    ({"n_branches": 2.5}, InvalidOption, "n_branches"),
    ({"n_branches": True}, InvalidOption, "n_branches"),
    # the whole message, as an example of good wording
    (
        {"n_branches": None},
        InvalidOption,
        "^n_branches is missing: say how many univariate functions to use, or 'auto'$",
    ),
    ({"method": "magic"}, InvalidOption, "'magic'"),
    ({"method": 7}, InvalidOption, "method is 7"),
    ({"colour": "red"}, InvalidOption, "'colour'"),
    ({"basis": "cubic"}, InvalidOption, "'cubic'"),
    ({"extrapolate": "wild"}, InvalidOption, "'wild'"),
    ({"v_update": "best"}, InvalidOption, "'best'"),
    ({"filters": []}, InvalidOption, "filters"),
    ({"filters": ["left"]}, InvalidOption, "filters"),
    ({"filters": Filter("left", 31)}, InvalidSamples, "the 31"),
    ({"moulds": 3}, InvalidOption, "moulds"),
    ({"moulds": [(0.1,), (0.2,)]}, InvalidOption, "moulds"),
    ({"method": Implicit}, InvalidOption, "Implicit"),
    ({"weights": "abc"}, InvalidOption, "weights"),
    ({"weights": [1.0]}, InvalidOption, "weights"),
    ({"weights": [1.0, -1.0]}, InvalidOption, "weights"),
    ({"n_starts": 0}, InvalidOption, "n_starts"),
    ({"max_iterations": -3}, InvalidOption, "max_iterations"),
    ({"random_state": "dice"}, InvalidOption, "random_state"),
    ({"callback": 3}, InvalidOption, "callback"),
    ({"method": "explicit", "smoothness": -1}, InvalidOption, "smoothness"),
    ({"method": "explicit", "smoothness": "much"}, InvalidOption, "smoothness"),
    ({"method": "explicit", "smoothness": []}, InvalidOption, "smoothness"),
    ({"points": SAMPLES.points}, InvalidOption, "Samples hold"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD, ids=lambda v: str(v)[:40])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        decouple(SAMPLES, **{"n_branches": 2, **options})


def constant(value, n=30):
    return np.full((n, 2), value)


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        (
            lambda: Samples(SAMPLES.points, constant(1.0), np.zeros((30, 2, 2))),
            InvalidSamples,
            "constant",
        ),
        (
            lambda: Samples(constant(1.0), SAMPLES.values, SAMPLES.jacobians),
            InvalidSamples,
            "the same",
        ),
        (
            lambda: Samples(SAMPLES.points[:3], SAMPLES.values[:3], SAMPLES.jacobians[:3]),
            InvalidSamples,
            "too few",
        ),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_samples_without_information(samples, error, message, method):
    with pytest.raises(error, match=message):
        decouple(samples(), n_branches=1, method=method)


def test_a_branch_with_constant_z_is_an_error():
    """All gradients point where the points do not vary: there is no axis to draw a branch on."""
    points = np.column_stack([np.zeros(20), np.linspace(0, 1, 20)])
    jacobians = np.tile([[1.0, 0.0]], (20, 1, 1))
    with pytest.raises(DegenerateBranch, match="vary"):
        decouple(Samples(points, np.zeros(20), jacobians), n_branches=1, random_state=0)


def test_missing_points():
    with pytest.raises(InvalidOption, match="missing"):
        decouple(toy_polynomial(), n_branches=2)


def test_held_out_error_is_close_to_the_fitted_one():
    d = decouple(toy_samples(200, 1), n_branches=3, n_starts=3, random_state=0)
    fresh = toy_samples(500, 99)
    assert relative_error(fresh.values, d(fresh.points)).max() < 5 * d.fitted_error.max() + 0.5
