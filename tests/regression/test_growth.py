"""Growth of the number of branches."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid import DegenerateBranchError, Polynomial, Samples
from unbraid.regression import _growth as growth
from unbraid.regression._growth import decouple_in_turn

X = np.random.default_rng(4).uniform(-1, 1, (40, 2))
Y = X @ np.array([1.0, -2.0])
COUPLED = Samples(X, Y[:, None], np.broadcast_to([[1.0, -2.0]], (40, 1, 2)))


def test_stops_if_no_more_branches_are_found(monkeypatch):
    real, most = growth.solve, 1

    def solve(settings, points, n_branches, known):
        if n_branches > most:
            raise DegenerateBranchError("no start survived")
        return real(settings, points, n_branches, known)

    monkeypatch.setattr(growth, "solve", solve)
    found = list(decouple_in_turn(COUPLED, [1, 2, 3], Polynomial(1), 0))
    assert [d.n_branches for d in found] == [1]
    most = 0
    with pytest.raises(DegenerateBranchError):
        next(decouple_in_turn(COUPLED, [1, 2, 3], Polynomial(1), 0))
