from datetime import datetime, timedelta

import numpy as np
import pytest

from unbraid.dynamics._time_axis import convert_to_seconds, read_time_axis, split_records
from unbraid.errors import InvalidOptionError, InvalidSamplesError

GRID = 0.1 * np.arange(50)


def bounds(axis):
    return [(part.start, part.stop) for part in axis.segments]


def test_uniform_stamps_are_one_segment():
    axis = read_time_axis(GRID)
    assert bounds(axis) == [(0, 50)]
    assert axis.sampling_time == pytest.approx(0.1)
    assert not axis.notices


def test_jitter_within_the_tolerance_is_uniform():
    jitter = np.random.default_rng(0).uniform(-0.008, 0.008, 50)
    assert bounds(read_time_axis(GRID + jitter)) == [(0, 50)]
    with pytest.raises(InvalidSamplesError, match="uniformly"):
        read_time_axis(GRID + jitter, tolerance=0.01)


def test_a_long_record_is_measured_by_its_mean_step():
    assert len(read_time_axis(np.arange(100_000) * (1 / 3)).segments) == 1


def test_missing_samples_split_the_record():
    axis = read_time_axis(np.delete(GRID, [20, 21, 40]))
    assert bounds(axis) == [(0, 20), (20, 38), (38, 47)]
    assert [(gap.sample, gap.n_missing) for gap in axis.gaps] == [(20, 2), (38, 1)]
    assert axis.gaps[0].duration == pytest.approx(0.3)
    assert "2 missing samples after 1.9 s" in axis.notices[0]


def test_a_step_that_is_no_multiple_is_a_gap_too():
    axis = read_time_axis(np.r_[GRID, GRID + 1000.037])
    assert bounds(axis) == [(0, 50), (50, 100)]
    assert axis.sampling_time == pytest.approx(0.1)


def test_time_that_goes_back_begins_a_new_record():
    axis = read_time_axis(np.r_[GRID, GRID[:30], GRID[:10] - 7])
    assert bounds(axis) == [(0, 50), (50, 80), (80, 90)]
    assert axis.restarts == (50, 80)
    assert not axis.gaps
    assert "after row 50, 80" in axis.notices[0]


@pytest.mark.parametrize("scale", [1e-9, 1e9])
@pytest.mark.parametrize("offset", [0.0, -3.0])
def test_units_do_not_change_the_segments(scale, offset):
    stamps = np.r_[np.delete(GRID, 20), GRID] + offset
    axis, scaled = read_time_axis(stamps), read_time_axis(scale * stamps)
    assert axis.segments == scaled.segments
    assert scaled.sampling_time == pytest.approx(scale * axis.sampling_time)


@pytest.mark.parametrize(
    "stamps",
    [
        np.cumsum(np.random.default_rng(0).exponential(size=50)),
        GRID**2,
        np.r_[GRID, 4.93],
        np.r_[GRID[:20], GRID[20:] + 0.03],
        np.r_[np.arange(100.0), 99 + 0.1 * np.arange(1, 200)],
        np.cumsum([0.1, 0.2] * 20),
    ],
    ids=["random", "chirped", "short step", "shift", "two rates", "alternating"],
)
def test_other_stamps_are_refused_with_the_place_and_the_remedy(stamps):
    with pytest.raises(InvalidSamplesError, match=r"steps are .* \(row \d+\).*interp"):
        read_time_axis(stamps)


def test_records_of_different_rates_are_refused():
    with pytest.raises(InvalidSamplesError, match="rows 1 to 50"):
        read_time_axis(np.r_[GRID, 1.1 * GRID])


@pytest.mark.parametrize(
    ("stamps", "words"),
    [
        ([], "at least 2"),
        ([1.0], "at least 2"),
        ([1.0, 1.0, 1.0], "constant"),
        ([0.0, 1.0, np.nan, 3.0], "NaN"),
        ([0.0, 1.0, 1.0, 2.0], "repeats 1 stamp.*row 3"),
        (GRID[::-1], "sort"),
        (np.random.default_rng(0).permutation(GRID), "sort"),
        (["0.1 s", "0.2 s"], "0.1 s.*index 0"),
        (["2024-01-01", "2024-01-02T00:00:00Z"], "time zone"),
        (np.array(["2024-01-01", "NaT", "2024-01-03"], "datetime64[s]"), "index 1"),
        (np.zeros((3, 2)), "vector"),
    ],
)
def test_unusable_stamps_are_refused(stamps, words):
    with pytest.raises(InvalidSamplesError, match=words):
        read_time_axis(stamps)


@pytest.mark.parametrize("tolerance", [0, 0.5, np.nan])
def test_tolerances_without_meaning_are_refused(tolerance):
    with pytest.raises(InvalidOptionError, match="tolerance"):
        read_time_axis(GRID, tolerance=tolerance)


@pytest.mark.parametrize(
    "convert",
    [
        lambda dates: np.array(dates, "datetime64[us]"),
        lambda dates: dates,
        lambda dates: [date.isoformat() for date in dates],
        lambda dates: [f"{date.isoformat(' ')}+02:00" for date in dates],
        lambda dates: pytest.importorskip("pandas").Series(dates),
        lambda dates: pytest.importorskip("pandas").Series(dates).dt.tz_localize("UTC"),
    ],
    ids=["datetime64", "datetime", "ISO text", "with time zone", "pandas", "pandas with zone"],
)
def test_dates_become_seconds_since_the_first(convert):
    start = datetime(2024, 2, 28, 23, 59, 59)
    stamps = convert([start + timedelta(seconds=0.25 * k) for k in range(8)])
    np.testing.assert_allclose(convert_to_seconds(stamps), 0.25 * np.arange(8), atol=1e-9)
    assert read_time_axis(stamps).sampling_time == pytest.approx(0.25)


def test_spans_are_seconds():
    spans = np.array([1500, 2000, 2500], "timedelta64[ms]")
    np.testing.assert_allclose(convert_to_seconds(spans), [1.5, 2.0, 2.5])


def test_signals_are_split_into_lists_of_arrays():
    pandas = pytest.importorskip("pandas")
    axis = read_time_axis(np.r_[GRID, GRID])
    table = pandas.DataFrame({"a": np.arange(100.0)}, index=np.arange(100) % 50)
    u, y = split_records(axis, table, np.arange(100))
    assert [len(part) for part in u] == [50, 50]
    assert list(u[0].columns) == ["a"]
    np.testing.assert_array_equal(y[1], np.arange(50, 100))
    with pytest.raises(InvalidSamplesError, match="99 samples for 100"):
        split_records(axis, np.zeros(99))
