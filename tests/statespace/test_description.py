"""Tests of state-space models in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.systems import random_equations
from statespace.twins import twin, two_by_two
from unbraid import Polynomial
from unbraid.statespace import StateSpace, fit_linear, identify

OSCILLATOR = [[0.0, 1.0, 0.0], [-0.9, 1.5, 1.0], [1.0, 0.0, 0.0]]


def scale(model, u, y):
    """The same model of inputs and outputs in other units."""
    n, d = model.n_states, model.function
    inner = np.concatenate([np.ones(n), np.full(model.n_inputs, u)])
    outer = np.concatenate([np.ones(n), np.full(model.n_outputs, y)])
    function = replace(
        d,
        W=outer[:, None] * d.W,
        V=d.V / inner[:, None],
        offset=outer * d.offset,
        spread=d.spread * inner,
        points=d.points * inner,
    )
    linear = outer[:, None] * model.linear / inner
    return replace(model, linear=linear, offset=outer * model.offset, function=function)


def without_levels(model):
    """The words without operating points, whose inputs and gains have units."""
    return [line for line in model.describe().lines if "% level of" not in line]


def test_summary_names_order_and_curve(cubic_model):
    description = cubic_model.describe()
    assert description.summary.startswith(
        "Linear model of order 2 (1 input, 1 output) plus one cubic curve of z1 = 0.9"
    )
    text = str(description)
    assert "12 degrees of freedom." in text
    assert "time constant" in text
    assert " s." in text
    assert description.is_stable
    (curve,) = description.curves
    assert curve.label == "cubic"
    assert curve.label.r2 > 0.999
    assert "z1^3" in curve.sentence
    assert np.linalg.norm(list(curve.weights.values())) == pytest.approx(1)


@pytest.mark.parametrize(("u", "y"), [(1e6, 1e-6), (1e-6, 1e6)])
def test_units_do_not_change_the_words(cubic_model, u, y):
    assert without_levels(scale(cubic_model, u, y)) == without_levels(cubic_model)


@pytest.mark.slow
def test_units_of_the_record_do_not_change_the_words(cubic_record, cubic_model):
    u, y = cubic_record
    how = {"n_starts": 1, "random_state": 0, "sampling_time": 0.01}
    again = identify(1e6 * u, 1e-6 * y, 2, 1, Polynomial(3), **how)
    assert without_levels(again) == without_levels(cubic_model)


def test_notebooks_show_facts_and_words(cubic_model):
    html = cubic_model._repr_html_()
    assert "12 degrees of freedom" in html
    assert "one cubic curve of z1" in html


def test_gain_is_in_the_units_of_the_record(cubic_model):
    gain = scale(cubic_model, 1e3, 1.0).describe().gain
    np.testing.assert_allclose(1e3 * gain, cubic_model.describe().gain)
    integrator = StateSpace(None, 1, [[1.0, 1.0], [1.0, 0.0]])
    assert integrator.describe().gain is None
    assert "an integrator" in str(integrator.describe())
    assert "not stable" in str(integrator.describe())


def test_resonance_in_hertz_or_cycles_per_sample():
    oscillator = StateSpace(None, 2, OSCILLATOR, sampling_time=0.1)
    (mode,) = oscillator.describe().modes
    assert mode.pole == pytest.approx(np.roots([1, -1.5, 0.9])[0])
    rate = np.log(mode.pole) / 0.1
    assert mode.frequency == pytest.approx(abs(rate) / 2 / np.pi)
    assert mode.damping == pytest.approx(-rate.real / abs(rate))
    assert f"resonance at {mode.frequency:.3g} Hz" in str(oscillator.describe())
    plain = str(replace(oscillator, sampling_time=None).describe())
    assert f"{mode.frequency / 10:.3g} cycles per sample" in plain


def test_other_nonlinear_parts_are_named():
    assert "a static map of states and inputs (cube)" in str(StateSpace(cube, 1).describe())


def cube(p):
    return np.stack([p[:, 0] ** 3, p[:, 0]], axis=1)


def test_saturating_actuator_of_two_inputs():
    u, y = two_by_two(600)
    curve = replace(
        random_equations(3, 2, 2, 1, seed=1), V=np.array([[0.0], [0.0], [0.0], [1.0], [0.0]])
    )
    model = StateSpace(_function(curve, np.column_stack([np.zeros((600, 3)), u])), 3, curve.linear)
    assert "one saturating curve of z1 = u1." in model.describe().summary
    assert fit_linear(u, y, 3).describe().zeros != ()


def _function(e, points):
    from unbraid.model import DecoupledFunction

    return DecoupledFunction(e.W, e.V, e.branches, np.zeros(len(e.W)), points=points)


def test_several_curves_are_listed():
    e = random_equations(2, 1, 1, 2)
    points = np.random.default_rng(0).standard_normal((300, 3))
    words = StateSpace(_function(e, points), 2, e.linear).describe().summary
    assert "plus two curves: a saturating curve of z1 = " in words
    assert " and a cubic curve of z2 = " in words


@pytest.mark.slow
def test_two_seeds_print_the_same_words():
    u, y, _ = twin(lambda z: 0.3 * z**3, 600, amplitude=0.8)
    models = [identify(u, y, 2, 1, Polynomial(3), n_starts=1, random_state=s) for s in (0, 5)]
    np.testing.assert_allclose(models[0].A, models[1].A, atol=1e-4)
    for name in ("V", "W"):
        found = [getattr(model.function, name) for model in models]
        np.testing.assert_allclose(*found, atol=1e-3)
    assert models[0].describe().summary == models[1].describe().summary
