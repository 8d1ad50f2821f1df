"""NARX models in files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from narx.systems import INPUT, cubic_system, make_stable_record
from unbraid import InvalidFileError, InvalidOptionError, InvalidSamplesError, PolynomialFunction
from unbraid.narx import NARX, fit_polynomial_narx, load
from unbraid.narx._model import narx_from_dict


def test_loads_what_was_saved(tmp_path):
    u, y = cubic_system(noise=0.01)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    for model in (reference, reference.decouple(2, random_state=0)):
        again = load(model.save(tmp_path / "model.json"))
        assert np.array_equal(again.simulate(u, y[:2]), model.simulate(u, y[:2]))
        assert again.input_lags == (0, 1)
        assert np.array_equal(again.limit, model.limit)


def test_names_of_channels_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    u = pandas.DataFrame(np.random.default_rng(0).uniform(-1, 1, (80, 2)), columns=["a", "b"])
    y = (u["a"] - 0.5 * u["b"]).rename("speed").to_frame()
    model = fit_polynomial_narx(u, y, (0,), (1,), 1)
    again = load(model.save(tmp_path / "model.json"))
    assert (again.input_names, again.output_names) == (("a", "b"), ("speed",))
    for here in (model, again):
        assert here.score(u[["b", "a"]], y).percent < 1e-9
        simulated = here.simulate(u[["b", "a"]], y[:1])
        np.testing.assert_allclose(simulated, y, atol=1e-9)
        with pytest.raises(InvalidSamplesError, match="no column 'b'"):
            here.predict(u[["a"]], y)
    with pytest.raises(InvalidOptionError, match="input_names must be a list"):
        NARX(None, (0,), (1,), input_names="ab")


def test_rejects_damaged_files(tmp_path):
    u, y = cubic_system(noise=0.01)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    plain = small.function.save(tmp_path / "function.json")
    with pytest.raises(InvalidFileError, match="no NARX"):
        load(plain)
    path = small.save(tmp_path / "model.json")
    text = path.read_text()
    for old, new in (
        ('"decoupled"', '"other"'),
        ('"input_lags": [', '"input_lags": [-1, '),
        ('"W"', '"X"'),
    ):
        path.write_text(text.replace(old, new))
        with pytest.raises(InvalidFileError):
            load(path)
    with pytest.raises(InvalidOptionError, match="saved"):
        NARX(abs, (0,), (1,)).save(tmp_path / "x.json")


def test_loads_a_model_around_monomials(tmp_path):
    f = PolynomialFunction([[1.0, -0.5]], [[1, 0], [0, 2]])
    path = NARX(f, (0,), (1,)).save(tmp_path / "m.json")
    again = load(path)
    np.testing.assert_array_equal(
        again.simulate(INPUT[:9], [0.1]), NARX(f, (0,), (1,)).simulate(INPUT[:9], [0.1])
    )
    assert isinstance(again.function, PolynomialFunction)


def test_rejects_a_polynomial_with_too_many_terms(tmp_path):
    path = fit_polynomial_narx(*make_stable_record(), (0,), (1,), degree=2).save(
        tmp_path / "m.json"
    )
    document = json.loads(path.read_text())
    del document["checksum"]
    document["function"]["degree"] = 10**9
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidFileError, match="degree 1000000000"):
        load(path)


def test_loads_a_file_of_version_0_1_0():
    model = load(Path(__file__).parent / "files" / "coupled_0_1_0.json")
    assert (model.input_lags, model.output_lags) == ((0, 1), (1, 2))
    assert np.all(np.isfinite(model.simulate(0.1 * np.sin(np.arange(50.0)), [0.0, 0.0])))


def test_sampling_time_is_kept_in_files_and_shown(tmp_path):
    u = np.random.default_rng(0).normal(size=200)
    y = np.r_[0.0, np.cumsum(0.1 * u)[:-1]]
    model = fit_polynomial_narx(u, y, (1,), (1,), 1, sampling_time=0.25)
    assert "0.25 s" in model._repr_html_()
    assert load(model.save(tmp_path / "m.json")).sampling_time == 0.25
    assert load(Path(__file__).with_name("files") / "coupled_0_1_0.json").sampling_time is None
    document = model.to_dict()
    document["narx"]["sampling_time"] = "fast"
    with pytest.raises(InvalidFileError, match="sampling_time"):
        narx_from_dict(document, "m.json")
    with pytest.raises(InvalidOptionError, match="sampling_time"):
        fit_polynomial_narx(u, y, (1,), (1,), 1, sampling_time=0)
