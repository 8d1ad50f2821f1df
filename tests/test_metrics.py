"""Tests of metrics."""

import numpy as np
import pytest

import unbraid
from unbraid import InvalidOptionError, InvalidSamplesError, metrics


def test_relative_error_is_that_of_the_paper():
    f = np.array([[1.0, 10.0], [3.0, 30.0]])
    np.testing.assert_allclose(unbraid.relative_error(f, f + np.array([1, 10])), [100, 100])
    np.testing.assert_allclose(unbraid.relative_error([1.0, 1.0], [1.0, 1.0]), [0])
    assert np.isinf(unbraid.relative_error([1.0, 1.0], [1.0, 2.0]))[0]
    with pytest.raises(InvalidSamplesError):
        unbraid.relative_error([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(InvalidSamplesError):
        metrics.jacobian_error(np.ones((2, 1, 1)), np.ones((3, 1, 1)))


def test_parameter_counts_are_those_of_the_paper():
    assert metrics.paper_parameter_count(5, 1, 3, 5, "table2") == 36
    assert metrics.paper_parameter_count(5, 1, 3, 3, "narx") == 30
    ratios = [382 / metrics.paper_parameter_count(2, 2, r, 7, "table3") for r in (1, 6, 10)]
    np.testing.assert_allclose(ratios, [27.3, 5.5, 3.4], atol=0.06)
    assert metrics.monomial_count(5, 6, lowest=2) == 456
    assert metrics.monomial_count(2, 3, lowest=0) == 10
    with pytest.raises(InvalidOptionError):
        metrics.paper_parameter_count(1, 1, 1, 1, "table9")
