"""The splits are the official ones."""

from __future__ import annotations

import numpy as np
import pytest

from records import require_record
from unbraid.public_benchmarks import BENCHMARKS, Start, load

from .made_up import make_arrays


def open_record(name):
    """The record of a benchmark and the arrays of its file, or a skip."""
    path = require_record(BENCHMARKS[name].files[0])
    return load(name, path), np.load(path)


def check_part(signals, data, key):
    part = slice(*data[key])
    np.testing.assert_array_equal(signals.u, data["u"][part])
    np.testing.assert_array_equal(signals.y, data["y"][part])


def test_silverbox():
    record, data = open_record("silverbox")
    check_part(record.training[0], data, "train_val_range")
    keys = ("test_multisine_range", "test_arrow_full_range", "test_arrow_no_extrapolation_range")
    for test, key in zip(record.tests.values(), keys, strict=True):
        check_part(test, data, key)
        assert test.initial == data["init_window"]
    assert record.sampling_time == pytest.approx(1 / data["fs"], rel=1e-5)


def test_wiener_hammerstein():
    record, data = open_record("wiener-hammerstein")
    check_part(record.training[0], data, "train_range")
    check_part(record.tests["test"], data, "test_range")
    assert record.tests["test"].initial == data["init_window"]
    assert record.sampling_time == 1 / data["fs"]


def test_cascaded_tanks():
    record, data = open_record("cascaded-tanks")
    np.testing.assert_array_equal(record.training[0].y, data["y_train"])
    np.testing.assert_array_equal(record.tests["test"].u, data["u_test"])
    assert record.tests["test"].initial == data["init_window"]
    assert record.sampling_time == data["sampling_time"]


def test_bouc_wen():
    record, data = open_record("bouc-wen")
    assert record.training[0].u.size == 4 * data["period"]
    assert record.sampling_time == pytest.approx(1 / data["fs"])
    assert {name: test.start for name, test in record.tests.items()} == {
        "multisine": Start.PERIODIC,
        "sine sweep": Start.REST,
    }
    assert record.tests["sine sweep"].u.size == 153_000


def test_lengths_of_the_whole_records(tmp_path):
    expected = {
        "silverbox": ([65_062], [21_688, 40_475, 32_000]),
        "wiener-hammerstein": ([100_000], [78_800]),
        "ced": ([400, 400], [100, 100]),
    }
    for name, (training, tests) in expected.items():
        np.savez(tmp_path / BENCHMARKS[name].files[0], **make_arrays(name))
        record = load(name, tmp_path)
        assert [recording.u.size for recording in record.training] == training
        assert [test.u.size for test in record.tests.values()] == tests


def test_periods_of_the_parallel_record_follow_each_other(tmp_path):
    arrays = make_arrays("parwh")
    np.savez(tmp_path / "parwh.npz", **arrays)
    record = load("parwh", tmp_path)
    assert len(record.training) == 15
    whole = np.concatenate([arrays["u_train"][:, period, 1, 3] for period in (0, 1)])
    np.testing.assert_array_equal(record.training[5 + 3].u, whole)
    whole = np.concatenate([arrays["y_test"][:, period, 0, 4] for period in (0, 1)])
    np.testing.assert_array_equal(record.tests["level 5"].y, whole)
    assert record.sampling_time == 1 / 78125
