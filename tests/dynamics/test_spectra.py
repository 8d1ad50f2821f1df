"""Tests of spectra of outputs and errors."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid.dynamics._spectra import measure_spectra


def test_density_integrates_to_the_power():
    rng = np.random.default_rng(0)
    outputs = [3 * rng.standard_normal((4000, 2)), 3 * rng.standard_normal((2000, 2))]
    found = measure_spectra(outputs, [y / 10 for y in outputs], 0.01)
    step = found.frequency[1] - found.frequency[0]
    assert found.unit == "Hz"
    assert found.frequency[-1] == pytest.approx(50.0)
    assert step * found.output.sum(axis=0) == pytest.approx([9.0, 9.0], rel=0.05)
    np.testing.assert_allclose(found.error, found.output / 100, rtol=1e-9)


def test_a_line_is_where_it_belongs():
    t = np.arange(1000)
    y = np.sin(2 * np.pi * 0.125 * t)[:, None]
    found = measure_spectra([y], [0 * y], None)
    assert found.unit == "cycles per sample"
    assert found.frequency[np.argmax(found.output[:, 0])] == pytest.approx(0.125, abs=0.01)
    assert np.all(found.error == 0)


def test_short_records_are_left_out():
    y = np.random.default_rng(0).standard_normal((500, 1))
    found = measure_spectra([y, y[:3]], [y, y[:3]], None)
    assert found.frequency.size > 10
    assert measure_spectra([y[:3]], [y[:3]], None) is None
