"""Scans of NARX models: the same call, with free-run errors on records."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import InvalidFileError, InvalidOptionError, Polynomial
from unbraid.errors import InvalidSamplesError
from unbraid.narx import NARX, fit_polynomial_narx

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")

U = np.random.default_rng(2).standard_normal(90)
Y = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,)).simulate(U, [0.0])


@pytest.mark.slow
def test_scans_narx_models(spring, tmp_path):
    data, reference = spring
    path = tmp_path / "scan.db"
    grid = {"n_branches": [1, 2], "refine": [False, True], "n_starts": 2}
    found = unbraid.scan(reference, **grid, test=data.arrow, initial=50, store=path, progress=False)
    assert found.kind == "narx"
    assert found.coupled_parameters == 56
    by = {(row.n_branches, row.settings["refine"]): row for row in found.rows}
    for row in found.rows:
        assert row.fitted_error == row.model.score(*data.train, initial=50).percent
        assert row.held_out_error == row.model.score(*data.arrow, initial=50).percent
    fitted, tested = found.reference_errors
    assert fitted == reference.score(*data.train, initial=50).percent
    assert by[2, True].held_out_error < tested
    assert by[2, True].compression == 56 / by[2, True].n_parameters
    assert found.best().function.n_branches == 2
    assert "reference: training" in str(found)
    loaded = unbraid.load_scan(path)
    assert loaded.table() == found.table()
    assert len(loaded.rows[0].model.data.items[0]) == 4096
    pytest.importorskip("matplotlib")
    assert found.plot().axes[0].get_ylabel() == "test error (%)"


def test_rejects_store_of_another_reference(spring, tmp_path):
    data, reference = spring
    path = tmp_path / "scan.db"
    unbraid.scan(reference, n_branches=1, refine=False, store=path, progress=False)
    other = fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 2)
    with pytest.raises(InvalidFileError, match="another problem"):
        unbraid.scan(other, n_branches=1, refine=False, store=path)


NARX_ABUSE = {
    "points": (
        lambda m, d: unbraid.scan(m, [[1.0]]),
        InvalidOptionError,
        "'points' does not apply",
    ),
    "no data": (
        lambda m, d: unbraid.scan(NARX(lambda p: p[:, 0], (0,), ())),
        InvalidOptionError,
        "data=",
    ),
    "half of the data": (lambda m, d: unbraid.scan(m, data=3), InvalidOptionError, r"\(u, y\)"),
    "a short test": (
        lambda m, d: unbraid.scan(m, n_branches=1, test=([1.0], [1.0])),
        InvalidSamplesError,
        "1 samples",
    ),
}


@pytest.mark.parametrize("case", NARX_ABUSE)
def test_rejects_invalid_narx_call(spring, case):
    data, reference = spring
    call, kind, words = NARX_ABUSE[case]
    with pytest.raises(kind, match=words):
        call(reference, data)


def test_scans_model_of_several_records():
    model = fit_polynomial_narx([U[:50], U[50:]], [Y[:50], Y[50:]], (0,), (1,), degree=1)
    found = unbraid.scan(model, n_branches=1, refine=False, progress=False)
    assert "90 samples" in found.problem
    assert np.isfinite(found.rows[0].fitted_error)


def test_keeps_model_whose_refinement_diverges():
    model = NARX(lambda p: p @ [[1.0], [0.5]], (0,), (1,), limit=1e-9)
    cell = {"n_branches": 1, "basis": Polynomial(1), "refine": True, "progress": False}
    row = unbraid.scan(model, data=(U, 1e-12 * U), **cell).rows[0]
    assert not row.failure
    assert row.model.function.n_branches == 1
    assert any(text.startswith("not refined: the simulation") for text in row.warnings)
