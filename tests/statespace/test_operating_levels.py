"""Tests of static gains and time constants at levels of the inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.test_operating_points import INTEGRATOR, make_model
from unbraid.statespace import StateSpace, load


def test_gain_and_speed_are_those_of_the_linearised_model():
    model = make_model(1, 1)
    levels = model.describe().operating_levels
    assert [level.level for level in levels] == [0.05, 0.5, 0.95]
    for level in levels:
        linear = model.linearise(level.u).describe()
        np.testing.assert_allclose(level.gain, linear.gain[:, 0])
        assert level.modes[0].time_constant == pytest.approx(linear.modes[0].time_constant)


def test_levels_are_printed_below_the_poles(cubic_model):
    lines = cubic_model.describe().lines
    places = [k for k, line in enumerate(lines) if "% level of u" in line]
    assert len(places) == 3
    assert lines[places[0] - 1].startswith("Pole")
    assert "static gain" in lines[places[0]]
    assert lines[places[0]].endswith(" s.")


def test_saved_models_have_the_same_words(cubic_model, tmp_path):
    again = load(cubic_model.save(tmp_path / "model.json"))
    assert str(again.describe()) == str(cubic_model.describe())


def test_every_input_and_output_has_a_gain():
    model = make_model()
    levels = model.describe().operating_levels
    assert [level.input_name for level in levels] == ["u1"] * 3 + ["u2"] * 3
    assert " to y1, " in str(model.describe())


def test_models_without_branches_or_rest_have_no_levels():
    assert INTEGRATOR.describe().operating_levels == ()
    assert StateSpace(None, 1, [[0.5, 1.0], [1.0, 0.0]]).describe().operating_levels == ()
    model = make_model(1, 1)
    linear = model.linear.copy()
    linear[:3, :3] = 3 * np.eye(3)
    assert replace(model, linear=linear).describe().operating_levels == ()
