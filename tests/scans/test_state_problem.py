"""Scans of state-space models."""

from __future__ import annotations

from dataclasses import replace

import pytest

import unbraid
from unbraid import InvalidFileError, InvalidOptionError, Polynomial
from unbraid.statespace import fit_linear, fit_polynomial

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")


@pytest.fixture(scope="module")
def linear(cubic_record):
    u, y = cubic_record
    return fit_linear(u[:150], y[:150], 1, sampling_time=0.01)


@pytest.fixture(scope="module")
def tested(cubic_record):
    return tuple(signal[250:] for signal in cubic_record)


@pytest.fixture(scope="module")
def found(linear, tested, tmp_path_factory):
    """Linear models of one and two states, in a store."""
    store = tmp_path_factory.mktemp("scan") / "scan.db"
    how = {"n_branches": 0, "n_states": [1, 2], "test": tested}
    return unbraid.scan(linear, **how, store=store, progress=False)


def test_numbers_of_states_are_compared(found, linear, tested):
    assert found.kind == "statespace"
    assert [row.label for row in found] == ["r = 0, states 1", "r = 0, states 2"]
    assert [row.model.n_states for row in found] == [1, 2]
    for row in found:
        assert row.held_out_error == row.model.score(*tested, initial=37).percent
        assert row.n_parameters == row.model.degrees_of_freedom
        assert row.model.sampling_time == 0.01
    assert found.reference_errors[0] == pytest.approx(found[0].fitted_error, rel=1e-3)
    assert found.best().n_states == 2
    assert "test %" in str(found)


def test_store_gives_the_same_table(found, linear, tested, tmp_path):
    loaded = unbraid.load_scan(found.store)
    assert loaded.table() == found.table()
    assert len(loaded[0].model.data.items[0]) == 150
    with pytest.raises(InvalidFileError, match="another problem"):
        unbraid.scan(linear, n_branches=0, store=found.store, progress=False)
    page = unbraid.report(loaded, tmp_path / "scan.html").read_text(encoding="utf-8")
    assert "the linear model, " in page
    assert "Linear model of order 2" in page


@pytest.mark.slow
def test_branches_and_bases_are_compared(cubic_record, linear):
    u, y = cubic_record
    how = {"n_branches": [0, 1], "n_starts": 1, "basis": ["auto", Polynomial(3)]}
    found = unbraid.scan(linear, **how, n_states=2, data=(u, y), progress=False)
    by = {(row.settings["n_branches"], row.settings["basis"]): row for row in found}
    assert by[1, "Polynomial(3)"].fitted_error < 0.2 * by[0, "auto"].fitted_error
    assert found.best().n_branches == 1


@pytest.mark.slow
def test_coupled_models_are_decoupled(cubic_record):
    u, y = (signal[:200] for signal in cubic_record)
    coupled = fit_polynomial(u, y, 2, 3, max_iterations=10)
    found = unbraid.scan(coupled, n_branches=[1], max_iterations=5, progress=False)
    assert found.coupled_parameters == coupled.degrees_of_freedom
    assert found[0].compression > 1
    assert found[0].model.n_branches == 1
    assert not found[0].failure


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "cpd"}, "'method' does not apply"),
        ({"points": [[1.0]]}, "'points' does not apply"),
        ({"refine": True}, "'refine' does not apply"),
        ({"n_states": 0}, "n_states"),
        ({"n_branches": [-1]}, "n_branches"),
        ({"smoothness": 3.0}, "no option 'smoothness'"),
        ({"grid": {"smoothness": [3.0]}}, "no option 'smoothness'"),
        ({"data": 3}, r"\(u, y\)"),
        ({"basis": 3}, "basis"),
    ],
)
def test_bad_options_are_refused(linear, options, message):
    with pytest.raises(InvalidOptionError, match=message):
        unbraid.scan(linear, **options)


def test_models_that_cannot_be_scanned(linear, cubic_model, smooth):
    with pytest.raises(InvalidOptionError, match="decoupled already"):
        unbraid.scan(cubic_model)
    with pytest.raises(InvalidOptionError, match="holds no data"):
        unbraid.scan(replace(linear, data=None))
    with pytest.raises(InvalidOptionError, match="'n_states' does not apply"):
        unbraid.scan(smooth, [[0.0, 0.0]], n_states=2)
