"""Scales, ticks and charts."""

import re

import numpy as np
import pytest

from report_helpers import Z, make_branch
from unbraid.reports._number_format import format_log_tick, format_ticks
from unbraid.reports.charts._branch import branch_chart
from unbraid.reports.charts._draw import choose_log_ticks, choose_ticks, pad_range
from unbraid.reports.charts._signals import Signals, close_up, overview


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-1e9, 1e9), (1e-9, 3e-9), (1e9, 1e9 + 1), (-0.37, 0.02), (5, 5.001)]
)
def test_ticks_are_round_few_and_distinct(low, high):
    ticks = choose_ticks(low, high, 4)
    assert 2 <= len(ticks) <= 7
    assert low - 1e-9 * abs(low) <= ticks[0] < ticks[-1] <= high * (1 + 1e-9)
    labels, _ = format_ticks(ticks)
    assert len(set(labels)) == len(labels)
    assert max(map(len, labels)) <= 6


def test_range_of_a_single_value_has_width():
    assert pad_range([3.0, 3.0]) == pytest.approx((2.7, 3.3))
    assert pad_range([-3.0, -3.0]) == pytest.approx((-3.3, -2.7))
    assert pad_range([0.0, 0.0]) == (-1.0, 1.0)


def test_short_logarithmic_axis_has_three_ticks():
    ticks = choose_log_ticks(1e-7, 5e-7, 4)
    assert ticks == pytest.approx([1e-7, 2e-7, 5e-7])
    assert [format_log_tick(tick) for tick in ticks] == ["10⁻⁷", "2·10⁻⁷", "5·10⁻⁷"]


def test_equal_data_have_no_histogram():
    spread, alike = (str(branch_chart(make_branch(1.0), 1, "p1", z)) for z in (Z, np.zeros(9)))
    assert re.search(r'class="density" d="M', spread)
    assert not re.search(r'class="density" d="M', alike)
    assert 'class="curve"' in alike


def test_short_record_has_no_close_up():
    assert close_up(Signals("y", np.ones(100), np.zeros(100))) is None
    assert close_up(Signals("y", np.ones(1000), np.full(1000, np.nan))) is None
    assert close_up(Signals("y", np.ones(1000), np.zeros(1000))) is not None


def test_ends_of_records_are_marked(rng):
    y = rng.standard_normal(50)
    for chart in map(str, overview(Signals("y", y, 0.9 * y, [20, 35, 50]))):
        (strokes,) = re.findall(r'class="guide" d="([^"]*)"', chart)
        assert strokes.count("M") == 2
    assert not any('class="guide" d=' in str(c) for c in overview(Signals("y", y, 0.9 * y, [50])))


def test_long_record_keeps_its_peaks():
    signal = np.zeros(50_000)
    signal[12_345] = 1.0
    flat, spiky = overview(Signals("y", signal, 0 * signal, [signal.size]))[:2]
    path = re.search(r'class="error filled" d="([^"]+)"', spiky)[1]
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path)]
    assert len(heights) < 2000
    assert min(heights) < 45 < 90 < max(heights)
    assert "measured filled" in flat
