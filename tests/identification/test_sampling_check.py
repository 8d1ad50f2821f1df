import numpy as np
import pytest
import scipy

from unbraid.dynamics._records import make_records
from unbraid.identification._sampling_check import suggest_decimation


def filtered_noise(bandwidth, size=8000, noise=0.0):
    rng = np.random.default_rng(0)
    b, a = scipy.signal.butter(4, bandwidth)
    signal = scipy.signal.lfilter(b, a, rng.standard_normal(size))
    return signal + noise * signal.std() * rng.standard_normal(size)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_oversampled_signals_are_decimated_to_a_sensible_rate(noise):
    u, y = filtered_noise(0.005, noise=noise), filtered_noise(0.004, noise=noise)
    factor = suggest_decimation(make_records(u, y))
    assert 10 < factor < 60


def test_input_with_fast_changes_is_not_decimated():
    u, y = np.random.default_rng(1).standard_normal(8000), filtered_noise(0.004)
    assert suggest_decimation(make_records(u, y)) == 1


def test_well_sampled_signals_are_kept():
    assert suggest_decimation(make_records(filtered_noise(0.1), filtered_noise(0.1))) == 1


def test_short_records_are_kept():
    signal = filtered_noise(0.005, 200)
    assert suggest_decimation(make_records(signal, signal)) == 1
