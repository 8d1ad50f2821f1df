"""Tests of branch files."""

from __future__ import annotations

import numpy as np
import pytest

from branch_examples import polynomial_branch
from unbraid import InvalidFileError, InvalidOptionError
from unbraid.model._branch import Branch
from unbraid.model._branch_files import branch_from_dict, branch_to_dict


def test_rejects_a_curve_of_unknown_type():
    class Curve:
        interval, n_parameters = (-1.0, 1.0), 1

        def __call__(self, z, order=0):
            return z

    with pytest.raises(InvalidOptionError, match="Curve"):
        branch_to_dict(Branch(Curve()))


Z = np.linspace(-1, 1, 41)


def test_rejects_an_invalid_margin():
    document = {**branch_to_dict(polynomial_branch(1.0)), "margin": -0.5}
    with pytest.raises(InvalidFileError, match="margin"):
        branch_from_dict(document)
