"""Tests of the state-space model: simulation, scores, description, files, figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from statespace.twins import twin
from unbraid import (
    DivergenceError,
    InvalidFileError,
    InvalidOptionError,
    InvalidSamplesError,
)
from unbraid.statespace import StateSpace, fit_linear, fit_polynomial, load
from unbraid.statespace._model import statespace_from_dict

U, Y, _ = twin(lambda z: 0.3 * z**3, 400, amplitude=0.8)


@pytest.fixture(scope="module")
def model(cubic_model):
    return cubic_model


@pytest.fixture(scope="module")
def linear():
    return fit_linear(U, Y, 2)


@pytest.fixture(scope="module")
def coupled():
    return fit_polynomial(U, Y, 2, 3, max_iterations=20)


def test_initial_states_are_those_of_the_simulation(model):
    for first in (None, Y[:40]):
        x0 = model.find_initial_state(U, first)
        np.testing.assert_array_equal(model.simulate(U, x0=x0), model.simulate(U, first))


def test_score_has_rmse_percent_and_fit(model):
    score = model.score(U, Y, initial=50)
    error = (model.simulate(U, initial=Y[:50]) - Y)[50:]
    assert score.rmse == pytest.approx(np.sqrt(np.mean(error**2)))
    assert score.fit == pytest.approx(
        100 * (1 - np.linalg.norm(error) / np.linalg.norm(Y[50:] - Y[50:].mean()))
    )
    assert score.percent + score.fit == pytest.approx(100)


def test_initial_states_given_estimated_or_steady(model):
    run = model.simulate_records(model.data)[0]
    exact = model.simulate(U[100:], x0=run.x[100])
    np.testing.assert_allclose(exact, run.y[100:, 0], atol=1e-9)
    estimated = model.simulate(U[100:], initial=run.y[100:150, 0])
    np.testing.assert_allclose(estimated, exact, atol=1e-4)
    steady = model.simulate(np.full(50, 0.3))
    np.testing.assert_allclose(steady, steady[0], atol=1e-6)


def test_several_records_at_once(model):
    outputs = model.simulate([U[:200], U[200:300]], initial=[Y[:40], Y[200:240]])
    assert [len(y) for y in outputs] == [200, 100]
    assert model.score([U[:200], U[200:]], [Y[:200], Y[200:]]).percent < 2


def test_divergence_is_an_error_with_its_sample(model):
    unstable = replace(model, linear=model.linear * 1.6)
    with pytest.raises(DivergenceError, match="sample") as caught:
        unstable.simulate(np.ones(5000), x0=[0.1, 0.1])
    assert 0 < caught.value.sample < 5000
    assert np.all(np.isfinite(caught.value.y))
    for initial in (0, 50):
        score = replace(unstable, linear=3 * model.linear).score(U, Y, initial=initial)
        assert score.percent == np.inf
        assert score.diverged_at is not None


def test_saturated_outputs_are_clipped():
    clipped = np.minimum(Y, np.quantile(Y, 0.9))
    model = fit_linear(U, clipped, 2)
    assert model.bounds[1][0] == clipped.max()
    assert model.simulate(3 * U).max() == clipped.max()
    assert "clipped" in str(model.describe())
    assert load(model.save(_temporary("clipped.json"))).bounds[1][0] == clipped.max()


def _temporary(name):
    import tempfile
    from pathlib import Path

    return Path(tempfile.mkdtemp()) / name


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_files_keep_the_simulation(model, coupled, linear, tmp_path, suffix):
    for k, saved in enumerate((model, coupled, linear)):
        path = saved.save(tmp_path / f"{k}.{suffix}")
        again = (load, unbraid.load)[k % 2](path)
        np.testing.assert_array_equal(again.simulate(U, Y[:50]), saved.simulate(U, Y[:50]))
        assert again.sampling_time == saved.sampling_time
        assert again.degrees_of_freedom == saved.degrees_of_freedom


def test_other_files_and_functions_are_refused(model, tmp_path):
    path = model.function.save(tmp_path / "function.json")
    with pytest.raises(InvalidFileError):
        load(path)
    with pytest.raises(InvalidOptionError, match="cannot be saved"):
        StateSpace(lambda p: p, 1).save(tmp_path / "callable.json")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_states", 1),
        ("n_states", "2"),
        ("sampling_time", -1.0),
        ("sampling_time", "fast"),
        ("output_names", ["a", "b"]),
        ("output_spread", [1.0, 2.0]),
        ("output_spread", None),
        ("initial_states", [1.0]),
        ("linear", [[1.0]]),
        ("linear", None),
        ("offset", [1.0]),
        ("bounds", [[0.0]]),
    ],
)
def test_damaged_files_are_refused(model, name, value):
    document = model.to_dict()
    document["statespace"][name] = value
    with pytest.raises(InvalidFileError, match="damaged"):
        statespace_from_dict(document, "x.json")


def test_figures(model, tmp_path):
    pytest.importorskip("matplotlib")
    model.plot(U, Y, path=tmp_path / "simulation.png")
    model.plot_branches(tmp_path / "branches.png")
    assert (tmp_path / "branches.png").stat().st_size > 1000
    with pytest.raises(InvalidOptionError, match="decouple"):
        fit_linear(U, Y, 1).plot_branches()


@pytest.mark.slow
def test_figures_of_the_linear_part_and_of_the_order(model):
    pytest.importorskip("matplotlib")
    response, poles = model.plot_linear().axes
    assert response.get_xlabel() == "frequency (Hz)"
    assert poles.get_title().startswith("poles")
    (values,) = replace(model, sampling_time=None).plot_singular_values().axes
    assert values.get_yscale() == "log"


def test_a_polynomial_model_is_decoupled_and_refined(coupled, linear):
    linear = linear.score(U, Y).percent
    assert coupled.score(U, Y).percent < 0.2 * linear
    assert coupled.n_branches is None
    small = coupled.decouple(1, random_state=0).refine(U, Y, max_iterations=20)
    assert small.n_branches == 1
    assert small.degrees_of_freedom < coupled.degrees_of_freedom
    assert small.score(U, Y).percent < 0.2 * linear


def test_a_polynomial_model_may_leave_out_variables_and_degrees():
    model = fit_polynomial(U, Y, 2, (3,), variables=(0, 1), max_iterations=2)
    exponents = model.function.terms.exponents
    used = np.any(model.function.coefficients != 0, axis=0)
    assert not np.any(used & (exponents.sum(axis=1) == 2))
    with pytest.raises(InvalidOptionError, match="variables"):
        fit_polynomial(U, Y, 2, variables=(7,))
    with pytest.raises(InvalidOptionError):
        fit_polynomial(U, Y, 2, degree=1)
    with pytest.raises(InvalidSamplesError, match="coefficients"):
        fit_polynomial(U[:60], Y[:60], 2, degree=7)


def test_any_callable_is_simulated_decoupled_and_refined():
    def tank(p):
        level = p[:, 0] + 0.1 * (p[:, 1] - np.sqrt(np.maximum(p[:, 0], 1e-3)))
        return np.stack([level, p[:, 0]], axis=1)

    u = np.random.default_rng(0).uniform(0.5, 1.5, 400)
    outer = StateSpace(tank, n_states=1)
    y = outer.simulate(u, x0=[1.0])
    x = [1.0]
    for k in range(399):
        x.append(x[-1] + 0.1 * (u[k] - np.sqrt(x[-1])))
    np.testing.assert_allclose(y, x, atol=1e-9)
    small = outer.decouple(1, points=np.column_stack([y, u]), random_state=0)
    assert small.score(u, y).percent < 1
    assert small.refine(u, y, max_iterations=10).score(u, y).percent < 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.simulate(U, initial=Y[:50], x0=[1.0]),
        lambda m: m.simulate(np.ones((50, 3))),
        lambda m: m.simulate(U[:20], initial=Y[:50]),
        lambda m: m.simulate([U, U], initial=[Y[:50]]),
        lambda m: m.score(U, Y[:-1]),
        lambda m: m.score(U, Y, initial=len(U)),
        lambda m: m.score(U, np.column_stack([Y, Y])),
        lambda m: m.refine(np.column_stack([U, U]), Y),
    ],
)
def test_wrong_records_are_refused(model, call):
    with pytest.raises(InvalidSamplesError):
        call(model)


@pytest.mark.parametrize(
    "make",
    [
        lambda: StateSpace(None, 0),
        lambda: StateSpace(None, 2, np.zeros((2, 3))),
        lambda: StateSpace(None, 1, np.zeros((2, 2)), offset=np.zeros(3)),
        lambda: fit_linear(U, Y, 1).decouple(1),
        lambda: StateSpace(lambda p: p, 1).decouple(1),
        lambda: StateSpace(lambda p: p, 1).refine(U, Y),
    ],
)
def test_wrong_models_are_refused(make):
    with pytest.raises(InvalidOptionError):
        make()


def test_is_printed_in_one_line(cubic_model):
    assert repr(cubic_model).startswith("StateSpace(2 states, 1 input, 1 output, 1 branch, ")
