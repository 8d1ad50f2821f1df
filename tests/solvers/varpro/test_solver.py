"""Tests of solver."""

import pytest

from unbraid import InvalidOptionError
from unbraid.cases import toy_samples
from unbraid.solvers import VarPro


def test_rejects_a_basis_that_is_text():
    with pytest.raises(InvalidOptionError, match="basis is 'spline'"):
        VarPro(basis="spline").solve(toy_samples(60, random_state=0), 2)
