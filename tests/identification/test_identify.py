import numpy as np
import pytest

import unbraid
from statespace.twins import saturation, twin
from unbraid import FitWarning, InvalidOptionError, InvalidSamplesError
from unbraid.narx import NARX
from unbraid.statespace import StateSpace


def linear_record(size=500, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    u, y = rng.standard_normal(size), np.zeros(size)
    for t in range(size - 1):
        y[t + 1] = 0.8 * y[t] + u[t]
    return u, y + noise * y.std() * rng.standard_normal(size)


def test_linear_record_gives_the_linear_model():
    model = unbraid.identify(*linear_record(300), sampling_time=0.1, random_state=0)
    assert isinstance(model, StateSpace)
    assert (model.n_states, model.n_branches, model.sampling_time) == (1, 0, 0.1)
    assert [row.is_chosen for row in model.candidates] == [True]


def test_names_of_tables_are_kept():
    pandas = pytest.importorskip("pandas")
    u, y = linear_record(150)
    model = unbraid.identify(pandas.DataFrame({"pump": u}), pandas.Series(y, name="level"))
    assert (model.input_names, model.output_names) == (("pump",), ("level",))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_nonlinear_record_gives_a_decoupled_model(scale):
    u, y, _ = twin(saturation, 1500, noise=0.01)
    u_test, y_test, _ = twin(saturation, 1000, seed=1, noise=0.01)
    model = unbraid.identify(scale * u, y / scale, input_names=["force"], random_state=0)
    table = model.candidates
    assert table[0].is_linear
    assert table.chosen.n_branches >= 1
    assert table.is_complete
    assert model.input_names == ("force",)
    assert {type(row.model) for row in table} == {NARX, StateSpace}
    error = model.score(scale * u_test, y_test / scale, 50).percent
    assert error < 2.5  # of which 1 is noise
    assert error < 0.3 * table[0].model.score(scale * u_test, y_test / scale, 50).percent


@pytest.mark.slow
def test_same_seed_gives_the_same_model():
    u, y, _ = twin(saturation, 600, noise=0.01)
    models = [unbraid.identify(u, y, max_seconds=None, random_state=0) for _ in range(2)]
    simulated = [model.simulate(u, y[:50]) for model in models]
    np.testing.assert_array_equal(*simulated)


@pytest.mark.slow
def test_time_limit_returns_what_was_found():
    u, y, _ = twin(saturation, 3000, noise=0.01)
    with pytest.warns(FitWarning, match="max_seconds"):
        model = unbraid.identify(u, y, max_seconds=1, random_state=0)
    assert not model.candidates.is_complete
    assert np.all(np.isfinite(model.simulate(u, y[:50])))


def test_oversampled_record_is_reported():
    rng = np.random.default_rng(0)
    u = np.cumsum(np.repeat(rng.choice([-1.0, 1.0], 10), 100)) / 100
    u = np.convolve(u, np.hanning(201) / 100, "same")
    y = 2 * u + 1e-3 * rng.standard_normal(u.size)
    with pytest.warns(FitWarning, match="decimate"):
        model = unbraid.identify(u, y, max_seconds=5, random_state=0)
    assert "decimate" in model.candidates.notices[0]


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"u": np.ones(500)}, InvalidSamplesError, "constant"),
        ({"y": np.ones(500)}, InvalidSamplesError, "constant"),
        ({"u": np.arange(9.0), "y": np.arange(9.0)}, InvalidSamplesError, "samples"),
        ({"u": np.arange(400.0)}, InvalidSamplesError, "400"),
        ({"max_seconds": 0}, InvalidOptionError, "max_seconds"),
        ({"held_out": 0.9}, InvalidOptionError, "held_out"),
        ({"n_jobs": 0}, InvalidOptionError, "n_jobs"),
        ({"input_names": ["a", "b"]}, InvalidOptionError, "input_names"),
        ({"sampling_time": -1.0}, InvalidOptionError, "sampling_time"),
        ({"progress": "yes"}, InvalidOptionError, "progress"),
    ],
)
def test_rejects_bad_input(options, error, word):
    u, y = linear_record()
    with pytest.raises(error, match=word):
        unbraid.identify(**{"u": u, "y": y, **options})
