"""The implicit and explicit methods and the CPD: what the paper claims."""

import warnings

import numpy as np
import pytest

import unbraid
from end_to_end.problems import decouple_implicit, exact_samples, factors_of
from unbraid import (
    BSpline,
    ConvergenceWarning,
    Filter,
    InvalidOptionError,
    Polynomial,
    relative_error,
)
from unbraid.cases import toy_samples
from unbraid.solvers import CPD, Explicit, Implicit
from unbraid.solvers._factors import Factors, disagreement


def decouple_toy_problem(method, r, seeds):
    """Decouplings of the toy problem for some draws, every option at its default."""
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            samples, basis = toy_samples(100, seed), Polynomial(3)
            yield decouple_implicit(
                samples, n_branches=r, method=method, basis=basis, random_state=seed
            )


@pytest.mark.slow
@pytest.mark.parametrize(("r", "most"), [(1, 1.1 * 41.75), (2, 1.1 * 13.55), (3, 0.9), (4, 0.45)])
def test_implicit_reaches_table_1(r, most):
    found = decouple_toy_problem("implicit", r, range(200, 203))
    assert np.median([d.fitted_error.mean() for d in found]) <= most


@pytest.mark.slow
@pytest.mark.parametrize(("r", "most"), [(3, 2.0), (4, 0.3)])
def test_explicit_reaches_table_1(r, most):
    found = list(decouple_toy_problem("explicit", r, range(300, 303)))
    assert np.median([d.fitted_error.mean() for d in found]) <= most
    assert all(d.solution.details["smoothness"] in Explicit().smoothness for d in found)


@pytest.mark.parametrize("seed", range(5))
def test_cpd_recovers_a_unique_decomposition(seed):
    samples, truth = exact_samples(seed)
    d = decouple_implicit(samples, n_branches=4, method="cpd", random_state=seed)
    assert disagreement(factors_of(d), truth) < 1e-8
    assert d.solution.unique is True
    assert d.solution.diagnosis.startswith("unique")


def test_cpd_reports_that_the_toy_problem_is_not_unique():
    d = decouple_implicit(toy_samples(100, 0), n_branches=3, method="cpd", random_state=0)
    assert min(d.solution.objective) < 1e-10
    assert d.solution.unique is False
    assert "not unique" in d.solution.diagnosis
    assert d.fitted_error.max() > 1  # and that is why the filters are there


@pytest.mark.slow
def test_implicit_finds_the_exact_decoupling_as_n_grows():
    d = decouple_implicit(toy_samples(5000, 1), n_branches=3, basis=Polynomial(3), random_state=0)
    assert d.fitted_error.max() < 0.01
    truth = Factors(unbraid.cases._toy.W, unbraid.cases._toy.V, *[np.zeros((1, 3))] * 3)
    assert disagreement(factors_of(d), truth) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("v_update", ["function", "relaxed", "nonlinear"])
def test_every_v_update_decouples(v_update):
    samples, _ = exact_samples(3, n=2, m=2, r=2, N=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        options = {"v_update": v_update, "basis": BSpline(10), "n_starts": 3}
        d = decouple_implicit(samples, n_branches=2, random_state=0, **options)
    assert d.fitted_error.max() < 2.0
    objective = np.array(d.solution.objective)
    assert objective.min() <= objective[0]
    if v_update == "function":
        assert np.all(np.diff(objective) <= 0)  # guarded: it never rises


@pytest.mark.slow
def test_filters_of_other_lengths_lower_the_bias():
    samples = toy_samples(40, 4)
    options = {"n_branches": 3, "basis": Polynomial(3), "n_starts": 2, "random_state": 0}
    three = decouple_implicit(samples, **options)
    five = decouple_implicit(samples, filters=[Filter("left", 5), Filter("right", 5)], **options)
    assert three.fitted_error.mean() > 0.1  # three points are exact on parabolas only
    assert five.fitted_error.mean() < 1e-2 * three.fitted_error.mean()


def test_decouples_a_single_output_with_more_branches_than_rank():
    points = unbraid.sampling.sobol(64, [-1, -1], [1, 1], random_state=0)
    f = lambda p: np.exp(p[:, 0] * p[:, 1])  # noqa: E731
    errors = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for r in (1, 2, 3):
            errors[r] = decouple_implicit(f, points, r, n_starts=2, random_state=0).fitted_error[0]
    assert errors[2] < errors[1]
    assert errors[3] < 5.0  # r = 3 > n*m = 2: minimum norm, three filters


def test_solution_describes_the_search():
    d = decouple_implicit(toy_samples(60, 1), n_branches=2, random_state=0, n_starts=5)
    s = d.solution
    assert s.n_starts == 5
    assert list(s.start_objectives) == sorted(s.start_objectives)
    assert s.n_iterations == len(s.objective) - 1 > 0
    assert s.converged
    assert s.stop_reason == "the objective has settled"
    assert "3 of these agree on W and V" in s.diagnosis
    assert "implicit" in repr(s)


def test_accepts_solver_objects():
    samples = toy_samples(40, 2)
    for solver in (
        Implicit(random_state=0),
        Explicit(smoothness=1e4, random_state=0),
        CPD(random_state=0),
    ):
        assert decouple_implicit(samples, n_branches=1, method=solver).n_branches == 1
    with pytest.raises(InvalidOptionError, match="'n_starts'"):
        decouple_implicit(samples, n_branches=1, method=CPD(), n_starts=3)


@pytest.mark.slow
def test_explicit_stays_finite_at_every_smoothness():
    """The penalty as published runs off in scale; the safeguard keeps G at unit size."""
    samples = toy_samples(60, 3)
    for smoothness in (0.0, 1e-2, 1e8, 1e12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", unbraid.FitWarning)  # a saw-tooth, and it says so
            options = {"method": "explicit", "smoothness": smoothness, "n_starts": 3}
            d = decouple_implicit(samples, n_branches=3, random_state=0, **options)
        assert np.all(np.isfinite(d(samples.points)))
        assert 1e-3 < d.solution.factors.derivatives.std() / samples.jacobians.std() < 1e4


@pytest.mark.slow
def test_held_out_error_is_close_to_the_fitted_one():
    d = decouple_implicit(toy_samples(200, 1), n_branches=3, n_starts=3, random_state=0)
    fresh = toy_samples(500, 99)
    assert relative_error(fresh.values, d(fresh.points)).max() < 5 * d.fitted_error.max() + 0.5
