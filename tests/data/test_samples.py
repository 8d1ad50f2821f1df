"""Samples: what is refused, and that they are frozen copies."""

import numpy as np
import pytest

from sources.functions import POINTS, table, table_jacobian
from unbraid import InvalidSamplesError, Samples


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((POINTS, table(POINTS), np.ones((12, 2))), r"need \(12, 2, 2\)"),
        ((POINTS, table(POINTS)[:5], table_jacobian(POINTS)), "values has"),
        ((POINTS, table(POINTS), np.full((12, 2, 2), np.nan)), "jacobians holds"),
        ((POINTS, 1j * table(POINTS), table_jacobian(POINTS)), "complex"),
        ((np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 2, 2))), "empty"),
    ],
)
def test_rejects_bad_samples(parts, message):
    with pytest.raises(InvalidSamplesError, match=message):
        Samples(*parts)


def test_samples_are_frozen_copies():
    points = POINTS.copy()
    samples = Samples(points, table(points), table_jacobian(points))
    points[:] = 0
    assert np.all(samples.points == POINTS)
    with pytest.raises(ValueError, match="read-only"):
        samples.points[0] = 1
    assert len(samples) == 12
