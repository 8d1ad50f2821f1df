"""Tests of error summary."""

from __future__ import annotations

import numpy as np

from unbraid.model._error_summary import NOT_A_NUMBER_PERCENT, mean_error, worst_output_error


def test_mean_of_unknown_errors():
    assert mean_error(None) == 0
    assert mean_error(np.array([1.0, np.nan])) == NOT_A_NUMBER_PERCENT
    assert mean_error(np.array([1.0, 3.0, np.inf])) == 2


def test_worst_output_error():
    assert worst_output_error(np.array([1.0, 2.0])) is None
    assert worst_output_error(np.array([0.0, np.inf])) == (None, np.inf)
    assert worst_output_error(np.array([1.0, 40.0, 1.0, 1.0, 1.0, 1.0, 1.0])) == ("f2", 40.0)
