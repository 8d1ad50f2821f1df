"""Runs of configurations: rows, seeds, failures."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from cli_helpers import make_raiser
from records import require_record
from unbraid import FitWarning, InvalidOptionError, MissingExtraError
from unbraid.public_benchmarks import (
    BENCHMARKS,
    CONFIGURATIONS,
    Configuration,
    load,
    run,
    run_rows,
)
from unbraid.public_benchmarks._fits import LinearFit


def configure(monkeypatch, *configurations):
    monkeypatch.setitem(CONFIGURATIONS, "emps", configurations)


def test_a_row_has_errors_freedom_and_seconds(folder, tiny):
    (row,) = run("emps", folder)
    assert (row.benchmark, row.configuration, row.failure) == ("emps", "tiny", "")
    test = load("emps", folder).tests["test"]
    model = tiny.fit(load("emps", folder), 0)
    assert row.errors == {"test": (1000 * model.score(test.u, test.y, 20).rmse,)}
    assert row.degrees_of_freedom == model.degrees_of_freedom
    assert row.seconds >= 0
    assert row.ratio("test") == pytest.approx(row.median("test") / 2.64)
    assert row.to_dict()["tests"]["test"]["worst"] == row.worst("test")


def test_seeds_are_run_where_they_matter(folder, monkeypatch):
    seeds = []

    def fit(record, seed):
        seeds.append(seed)
        warnings.warn(f"seed {seed % 2}", FitWarning, stacklevel=1)
        return LinearFit(1)(record, seed)

    fixed = Configuration("fixed", LinearFit(1), random=False)
    configure(monkeypatch, Configuration("drawn", fit), fixed)
    drawn, fixed = run("emps", folder, seeds=3)
    assert seeds == [0, 1, 2]
    assert (drawn.n_seeds, fixed.n_seeds) == (3, 1)
    assert drawn.warnings == ("seed 0", "seed 1")


@pytest.mark.parametrize(
    "error",
    [InvalidOptionError("too short"), np.linalg.LinAlgError("too short"), MemoryError("too short")],
)
def test_a_fit_that_fails_is_a_row_that_says_why(folder, monkeypatch, error, tiny):
    configure(monkeypatch, Configuration("failing", make_raiser(error)), tiny)
    failed, good = run("emps", folder)
    assert failed.failure == "seed 0: too short"
    assert failed.errors == {}
    assert good.errors


def test_rows_come_one_by_one(folder, monkeypatch, tiny):
    configure(monkeypatch, tiny, Configuration("endless", make_raiser(KeyboardInterrupt())))
    rows = run_rows("emps", folder)
    assert next(rows).configuration == "tiny"
    with pytest.raises(KeyboardInterrupt):
        next(rows)


def test_of_all_benchmarks_those_without_a_record_say_so(folder, monkeypatch, tiny):
    monkeypatch.setenv("UNBRAID_DATA", str(folder))
    (folder / "ced.npz").write_bytes(b"PK\x03\x04broken")
    rows = {row.benchmark: row for row in run()}
    assert list(rows) == list(BENCHMARKS)
    assert rows["emps"].errors
    assert "silverbox.npz" in rows["silverbox"].failure
    assert "ced.npz" in rows["ced"].failure
    with pytest.raises(MissingExtraError, match=r"silverbox\.npz"):
        run("silverbox")


def test_configurations_are_selected_by_name_and_size(folder, monkeypatch, tiny):
    large = Configuration("large", LinearFit(1))
    configure(monkeypatch, tiny, large)
    assert [row.configuration for row in run("emps", folder, quick=True)] == ["tiny"]
    assert [row.configuration for row in run("emps", folder, configurations="large")] == ["large"]
    assert [row.benchmark for row in run(["emps", "f16"], folder, configurations=["large"])] == [
        "emps"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "goldbox"}, "cascaded-tanks"),
        ({"name": "emps", "seeds": 0}, "seeds"),
        ({"name": "emps", "configurations": ["huge"]}, "'linear'"),
    ],
)
def test_wrong_options_are_refused(folder, options, message):
    with pytest.raises(InvalidOptionError, match=message):
        run(path=folder, **options)


def test_one_file_is_the_record_of_one_benchmark(folder):
    with pytest.raises(InvalidOptionError, match="one file"):
        run("all", folder / "emps.npz")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_a_linear_and_a_default_configuration(name):
    found = {c.name: c for c in CONFIGURATIONS[name]}
    assert len(found) == len(CONFIGURATIONS[name])
    assert {"linear", "default"} <= set(found)
    assert found["linear"].quick


@pytest.mark.slow
def test_the_tanks_without_options_are_better_than_a_linear_model():
    path = require_record("cascaded_tanks.npz")
    linear, default = run("cascaded-tanks", path, configurations=["linear", "default"])
    assert default.median("test") < 0.6 * linear.median("test")
    assert default.median("test") < 0.306  # the best published black box
