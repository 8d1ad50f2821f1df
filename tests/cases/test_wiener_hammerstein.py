"""The simulated Wiener-Hammerstein system."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import InvalidOptionError
from unbraid.cases import wiener_hammerstein


def test_noise_is_as_stated_and_draws_are_reproducible():
    clean = wiener_hammerstein(2000, 500, signal_to_noise=np.inf, random_state=1)
    noisy = wiener_hammerstein(2000, 500, signal_to_noise=40, random_state=1)
    again = wiener_hammerstein(2000, 500, signal_to_noise=40, random_state=1)
    ratio = np.std(noisy.train.y - clean.train.y) / clean.train.y.std()
    assert abs(ratio - 0.01) < 0.001
    assert np.array_equal(noisy.test.y, again.test.y)


def test_it_saturates_on_one_side():
    from unbraid.cases._wiener_hammerstein import _respond

    step = np.full(2000, 2.0)
    low, high = _respond(-step)[-1], _respond(step)[-1]
    assert abs(high) < 0.5 * abs(low)


def test_bad_noise_is_refused():
    with pytest.raises(InvalidOptionError):
        wiener_hammerstein(signal_to_noise=0)
