from itertools import count

import numpy as np

from unbraid._util.deadline import is_time_up, limit_time, seconds_left


def test_without_a_limit_time_is_never_up():
    assert seconds_left() == np.inf
    assert not is_time_up()


def test_limit_passes_with_the_clock():
    ticks = count()
    with limit_time(2.5, lambda: next(ticks)):
        assert [is_time_up() for _ in range(4)] == [False, False, True, True]
    assert not is_time_up()


def test_earlier_of_nested_limits_counts():
    with limit_time(10.0, lambda: 0.0):
        with limit_time(100.0, lambda: 0.0):
            assert seconds_left() == 10.0
        with limit_time(1.0, lambda: 0.0):
            assert seconds_left() == 1.0
        with limit_time(None):
            assert seconds_left() == 10.0
