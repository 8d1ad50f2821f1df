"""The simulated Duffing oscillator."""

from __future__ import annotations

import numpy as np

from unbraid.cases import duffing


def test_duffing_has_the_stated_noise_and_growing_input():
    clean = duffing(4096, 512, signal_to_noise=np.inf, random_state=1)
    noisy = duffing(4096, 512, random_state=1)
    assert np.array_equal(clean.train.u, noisy.train.u)
    ratio = np.std(noisy.train.y - clean.train.y) / clean.train.y.std()
    assert abs(ratio - 0.01) < 0.001
    assert np.abs(clean.arrow.y[:250]).max() < np.abs(clean.arrow.y[-250:]).max()
    assert np.array_equal(
        duffing(256, 256, random_state=3).test.y, duffing(256, 256, random_state=3).test.y
    )
