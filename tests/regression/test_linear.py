"""Linear functions as decoupled functions."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid.regression._linear import fit_linear_function
from unbraid.regression._rows import merge_equal_rows


def test_fits_a_linear_function_of_several_outputs():
    X = np.random.default_rng(0).uniform(-1, 1, (150, 3))
    slopes = np.array([[1.0, 2.0], [0.0, 1.0], [-1.0, 0.5]])
    rows = merge_equal_rows(X, X @ slopes + [1.0, 2.0], None)
    np.testing.assert_allclose(fit_linear_function(rows)(X), X @ slopes + [1.0, 2.0], atol=1e-12)
