"""Tests of what the number of states is chosen by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import InvalidOptionError, InvalidSamplesError
from unbraid.dynamics._records import Record
from unbraid.statespace import fit_linear
from unbraid.statespace._order import find_singular_values


@pytest.fixture(scope="module")
def second_order():
    u = np.random.default_rng(0).standard_normal(300)
    y = np.zeros(300)
    for t in range(2, 300):
        y[t] = 1.2 * y[t - 1] - 0.5 * y[t - 2] + u[t - 1]
    return u, y


def test_singular_values_drop_after_the_order(second_order):
    model = fit_linear(*second_order, 2)
    selection = model.order_selection
    assert selection.n_states == 2
    assert selection.errors is None
    assert selection.singular_values[0] == 1
    assert selection.singular_values[1] > 1e-2
    assert selection.singular_values[2] < 1e-4


def test_units_do_not_change_singular_values(second_order):
    u, y = second_order
    model = fit_linear(u, y, 2)
    records = replace(model.data, items=(Record(1e6 * u[:, None], 1e-6 * y[:, None]),))
    scaled = replace(model, data=records).order_selection.singular_values
    np.testing.assert_allclose(scaled, model.order_selection.singular_values, atol=1e-9)


@pytest.mark.slow
def test_automatic_order_keeps_its_errors(second_order):
    pytest.importorskip("matplotlib")
    u, y = second_order
    noisy = y + 0.01 * np.random.default_rng(1).standard_normal(y.size)
    model = fit_linear(u, noisy)
    errors = model.order_selection.errors
    assert model.n_states == 2
    assert errors[0] > 10 * errors[1]
    assert errors[1] < 1.05 * errors.min()
    panels = model.plot_singular_values().axes
    assert [panel.get_ylabel() for panel in panels] == ["singular value", "held-out error (%)"]


def test_models_without_records_have_no_singular_values(second_order):
    with pytest.raises(InvalidOptionError, match="holds no records"):
        _ = replace(fit_linear(*second_order, 1), data=None).order_selection
    short = Record(np.ones((12, 1)), np.ones((12, 1)))
    with pytest.raises(InvalidSamplesError, match="too short"):
        find_singular_values([short])
