"""Stage 1: the solver."""

from __future__ import annotations

import pytest

from hardening.plain import F, J, P
from unbraid import InvalidOptionError, Samples, decouple

SAMPLES = Samples(P, F, J)


def test_rejects_a_solver_that_returns_no_solution():
    class Careless:
        def solve(self, samples, n_branches):
            return samples.points, samples.points

    with pytest.raises(InvalidOptionError, match="Careless"):
        decouple(SAMPLES, n_branches=1, method=Careless())
