import numpy as np
import pytest

from unbraid import InvalidOptionError, InvalidSamplesError
from unbraid.dynamics._records import make_records
from unbraid.narx import fit_polynomial_narx, select_lags
from unbraid.narx._lag_selection import LagSettings, estimate_delays, shorten_records


def delayed_system(delays=(3,), size=800, seed=0, noise=0.01, scale=1.0):
    """A stable cubic system whose inputs act after the given delays."""
    rng = np.random.default_rng(seed)
    u, y = rng.uniform(-1, 1, (size, len(delays))), np.zeros(size)
    for t in range(max(*delays, 2), size):
        acting = sum((k + 1) * u[t - delay, k] for k, delay in enumerate(delays))
        y[t] = 0.6 * y[t - 1] - 0.2 * y[t - 2] + 0.5 * acting - 0.1 * y[t - 1] ** 3
    return u * scale, y + noise * rng.standard_normal(size)


@pytest.mark.parametrize("delays", [(0,), (1,), (7,), (2, 5)])
def test_delays_are_found(delays):
    u, y = delayed_system(delays)
    assert estimate_delays(make_records(u, y).items, LagSettings()) == delays


def test_delay_of_an_even_effect_is_found():
    rng = np.random.default_rng(0)
    u = rng.standard_normal(600)
    y = np.roll(u, 4) ** 2
    assert estimate_delays(make_records(u, y).items, LagSettings()) == (4,)


def test_input_without_effect_has_no_delay():
    u, y = delayed_system((2,))
    noise = np.random.default_rng(1).standard_normal((len(u), 1))
    records = make_records(np.column_stack([u, noise]), y)
    assert estimate_delays(records.items, LagSettings()) == (2, 0)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_selection_does_not_depend_on_units(scale):
    u, y = delayed_system((3,), 400, noise=1e-3, scale=scale)
    found = select_lags(u, scale * y)
    assert (found.delays, found.degree) == ((3,), 3)
    assert found.input_lags[0][0] == 3


def test_automatic_options_are_those_of_the_selection():
    u, y = delayed_system((3,), 400, noise=0.0)
    model = fit_polynomial_narx(u, y, "auto", "auto", "auto")
    found = select_lags(u, y)
    assert (model.input_lags, model.output_lags) == (found.input_lags, found.output_lags)
    assert model.score(u, y).percent < 1e-6


def test_given_lags_are_kept():
    u, y = delayed_system((3,))
    found = select_lags(u, y, 2, input_lags=(2, 3))
    assert found.input_lags == ((2, 3),)
    assert {candidate.degree for candidate in found.candidates} == {2}


def test_several_records_are_used():
    parts = [delayed_system((3,), 150, seed=k) for k in range(3)]
    found = select_lags([u for u, _ in parts], [y for _, y in parts])
    assert found.delays == (3,)


def test_shortened_records_are_spread_over_the_long_ones():
    u = np.arange(20_000.0)
    short = shorten_records(make_records(u, u), 4000)
    assert [len(record) for record in short.items] == [1000] * 4
    assert short.items[0].u[0, 0] == 0
    assert short.items[-1].u[-1, 0] == 19_999


def test_rejects_other_words_than_auto():
    u, y = delayed_system()
    with pytest.raises(InvalidOptionError, match="input_lags"):
        select_lags(u, y, input_lags="all")


def test_rejects_records_that_are_too_short():
    with pytest.raises(InvalidSamplesError, match="short"):
        select_lags(np.arange(6.0), np.arange(6.0))
