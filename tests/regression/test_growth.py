"""Growth of the number of branches."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid import DegenerateBranchError, Polynomial, Samples
from unbraid.regression import _growth as growth
from unbraid.regression._growth import Fold, cross_validate_function, decouple_in_turn
from unbraid.regression._rows import Rows

X = np.random.default_rng(4).uniform(-1, 1, (40, 2))
Y = X @ np.array([1.0, -2.0])
ROWS = Rows(X, Y[:, None], np.ones(40))
COUPLED = Samples(X, Y[:, None], np.broadcast_to([[1.0, -2.0]], (40, 1, 2)))


def test_stops_if_no_more_branches_are_found(monkeypatch):
    real, most = growth.decouple, 1

    def decouple(*arguments, n_branches, **options):
        if n_branches > most:
            raise DegenerateBranchError("no start survived")
        return real(*arguments, n_branches=n_branches, **options)

    monkeypatch.setattr(growth, "decouple", decouple)
    found = list(decouple_in_turn(COUPLED, [1, 2, 3], Polynomial(1), 0))
    assert [d.n_branches for d in found] == [1]
    most = 0
    with pytest.raises(DegenerateBranchError):
        next(decouple_in_turn(COUPLED, [1, 2, 3], Polynomial(1), 0))


def test_constant_coupled_model_has_the_error_of_the_mean():
    d = next(decouple_in_turn(COUPLED, [1], Polynomial(1), 0))
    constant = Samples(X, np.ones((40, 1)), np.zeros((40, 1, 2)))
    scale = Y.std(keepdims=True)
    folds = [Fold(ROWS, coupled, ROWS, scale) for coupled in (COUPLED, constant)]
    errors = cross_validate_function(d, folds, Polynomial(1), (None, 0.1))
    for table in errors.values():
        assert table[0] < 1e-6
        assert table[1] == folds[1].constant_error == pytest.approx(1)
