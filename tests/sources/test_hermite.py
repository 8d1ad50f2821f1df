"""Polynomials in Hermite terms."""

import numpy as np
import pytest

from unbraid import InvalidSamplesError
from unbraid.sources._hermite import HermitePolynomial, HermiteTerms


def test_rejects_points_of_another_width():
    f = HermitePolynomial(np.array([[0.0, 1.0]]), HermiteTerms(1, 1), np.zeros(1), np.eye(1))
    with pytest.raises(InvalidSamplesError, match=r"\(14, 2\)"):
        f(np.zeros((14, 2)))
    with pytest.raises(InvalidSamplesError, match="1 inputs"):
        f.jacobian(np.zeros(3))
