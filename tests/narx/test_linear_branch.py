"""Gathering the linear parts of branches."""

from __future__ import annotations

import numpy as np

from narx.systems import make_branch, make_stable_function
from unbraid import DecoupledFunction
from unbraid.narx._linear_branch import gather_linear_parts


def test_branches_without_linear_parts_have_no_common_one():
    d = make_stable_function()
    even = DecoupledFunction(d.W, d.V, (make_branch(0.0, 0.0), make_branch(0.0, 0.0)), d.offset)
    assert gather_linear_parts(even, np.random.default_rng(8).standard_normal((30, 2))) is None
