"""Refinement on the simulation error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from narx.systems import (
    INPUT,
    make_stable_function,
    make_stable_model,
    make_stable_record,
    ridge_system,
)
from unbraid import (
    RBF,
    BSpline,
    ConvergenceWarning,
    DecoupledFunction,
    FitWarning,
    Fourier,
    InvalidOptionError,
    PiecewiseLinear,
    Polynomial,
)
from unbraid.errors import DivergenceError
from unbraid.model._branch import Branch
from unbraid.model._curves import Nonparametric
from unbraid.narx import NARX, RefinementStatus, fit_polynomial_narx


@pytest.fixture(scope="module")
def small():
    """A decoupled model of the default system."""
    return fit_polynomial_narx(*ridge_system(), (0, 1), (1, 2), 3).decouple(2, random_state=0)


def test_refinement_reaches_the_noise_level():
    u, y = ridge_system(noise=0.05)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple(2, random_state=0)
    tuned = small.refine(u, y)
    clean = ridge_system(noise=0.0)
    assert tuned.score(*clean).percent < small.score(*clean).percent < 1.0
    assert abs(tuned.score(u, y).percent - 5.0) < 0.15
    assert tuned.refinement.converged
    assert tuned.refinement.stages == (1.0,)
    fresh = ridge_system(1000, 7, 0.0)
    assert tuned.score(*fresh).percent < 1.0


def test_units_do_not_matter():
    u, y = ridge_system(500)
    errors = []
    for a, b in ((1.0, 1.0), (1e6, 1e-6)):
        reference = fit_polynomial_narx(a * u, b * y, (0, 1), (1, 2), 3)
        tuned = reference.decouple(2, random_state=0).refine(a * u, b * y)
        errors.append(tuned.score(a * u, b * y).percent)
    assert abs(errors[0] - errors[1]) < 1e-3 * errors[0]


def test_continuation_stabilises_a_diverging_start(small):
    u, y = ridge_system()
    wild = replace(small.function, W=6.0 * small.function.W)
    lost = replace(small, function=wild)
    assert lost.score(u, y).percent == np.inf
    found = lost.refine(u, y)
    assert found.score(u, y).percent < 1.3
    assert found.refinement.stages[0] == 0.0
    assert found.refinement.stages[-1] == 1.0


def test_keeps_the_best_step_on_a_held_out_record():
    records = [ridge_system(800, seed) for seed in (1, 2, 3)]
    u, y = [a for a, _ in records], [b for _, b in records]
    reference = fit_polynomial_narx(u[:2], y[:2], (0, 1), (1, 2), 3)
    small = reference.decouple(2, random_state=0)
    tuned = small.refine(u[:2], y[:2], held_out=(u[2], y[2]))
    seen = tuned.refinement.held_out_errors
    assert abs(tuned.score(u[2], y[2]).percent - min(seen)) < 0.01 * min(seen)
    assert tuned.score(u[2], y[2]).percent < 1.002 * small.score(u[2], y[2]).percent


def test_refines_splines_that_extrapolate_linearly():
    u, y = ridge_system()
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple(2, basis=BSpline(8), random_state=0)
    tuned = small.refine(u, y, held_out=0.0)  # all samples, as they are scored
    assert tuned.score(u, y).percent < min(1.2, small.score(u, y).percent)
    assert np.allclose(np.linalg.norm(tuned.function.V, axis=0), 1.0)


def test_normal_form_does_not_change_the_error(small):
    u, y = ridge_system()
    tuned = small.refine(u, y, held_out=0.0)
    assert abs(tuned.score(u, y).percent - min(tuned.refinement.errors)) < 1e-6
    largest = np.argmax(np.abs(tuned.function.V), axis=0)
    assert np.all(np.take_along_axis(tuned.function.V, largest[None], 0) > 0)


def test_samples_of_weight_0_do_not_count():
    u, y = ridge_system(1500)
    spoilt = y.copy()
    spoilt[300:400] += 5.0
    weights = np.ones(1500)
    weights[300:400] = 0.0
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    kept = small.refine(u, spoilt, weights=weights, held_out=0)
    spoiled = small.refine(u, spoilt, held_out=0)
    assert kept.score(u, y).percent < 1.1 < spoiled.score(u, y).percent


def test_keeps_parameters_without_effect_on_the_data():
    """The input begins after the fitted part: its weights must survive."""
    rng = np.random.default_rng(0)
    u, y = np.r_[np.zeros(900), rng.standard_normal(600)], np.zeros(1500)
    y[:2] = 1.0
    for t in range(2, 1500):
        y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 2] + np.tanh(u[t - 1])
    y += 0.01 * rng.standard_normal(1500)
    small = fit_polynomial_narx(u, y, (1,), (1, 2), 3).decouple(2, random_state=0)
    before, part = small.score(u, y).percent, slice(0, 1000)
    tuned = small.refine(u[part], y[part])
    assert tuned.score(u, y).percent < 1.2 * before


@pytest.mark.slow
@pytest.mark.parametrize(
    "basis", [Polynomial(5), BSpline(7), Fourier(2), RBF(5), PiecewiseLinear(6)]
)
def test_normal_form_does_not_change_the_error_in_any_basis(basis):
    u, y = ridge_system(1200)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    how = {"extrapolate": "linear", "spread": 0.5, "n_starts": 2, "random_state": 0}
    small = reference.decouple(2, basis=basis, **how)
    told = []
    tuned = small.refine(u, y, held_out=0, callback=lambda _, e: told.append(e) or len(told) > 3)
    assert abs(tuned.score(u, y).percent - min(tuned.refinement.errors)) < 1e-6


def test_warns_if_the_held_out_record_diverges():
    u, y = ridge_system(1000)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    with pytest.warns(unbraid.FitWarning, match="held-out"):
        tuned = small.refine(u, y, held_out=(100 * u, y))
    assert tuned.score(u, y).percent < 1.2


def test_callback_sees_steps_and_can_stop():
    u, y = ridge_system(1000)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    told = []
    tuned = small.refine(u, y, callback=lambda step, error: told.append((step, error)) or step >= 2)
    assert [step for step, _ in told] == [0, 1, 2]
    assert tuned.refinement.stop_reason == "stopped by the callback"


def test_warns_at_max_iterations():
    u, y = ridge_system(1000)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        small.refine(u, y, max_iterations=1)


def test_rejects_branches_without_a_basis():
    d = make_stable_function()
    z = np.linspace(-3, 3, 50)
    loose = Branch(Nonparametric(z, z, np.ones(z.size)))
    coarse = NARX(DecoupledFunction(d.W, d.V, (loose, loose), d.offset), (0,), (1,))
    with pytest.raises(InvalidOptionError, match="basis="):
        coarse.refine(*make_stable_record())


def test_rejects_held_out_that_is_no_pair():
    with pytest.raises(InvalidOptionError, match="held_out"):
        make_stable_model().refine(*make_stable_record(), held_out=(INPUT,))


def test_raises_if_continuation_does_not_help():
    with pytest.raises(DivergenceError, match="more branches"):
        make_stable_model(limit=1e-9).refine(INPUT, 1e-12 * INPUT)


def test_chaotic_record_ends_with_a_stated_result():
    rng = np.random.default_rng(0)
    u, y = 1e-3 * rng.normal(size=1500), np.empty(1500)
    y[0] = 0.3
    for k in range(1499):
        y[k + 1] = np.clip(3.9 * y[k] * (1 - y[k]) + u[k], 0, 1)
    model = fit_polynomial_narx(u, y, (1,), (1,), 2).decouple(1, random_state=0)
    with pytest.warns(FitWarning, match="too sensitive"):
        refined = model.refine(u, y, held_out=0)
    assert refined.refinement.status is RefinementStatus.SENSITIVE
    assert refined.refinement.n_steps == 0
    assert np.all(np.isfinite(refined.function.V))
