from types import SimpleNamespace

import numpy as np
import pytest

from unbraid import DivergenceError, InvalidSamplesError
from unbraid.dynamics._records import make_records
from unbraid.identification._held_out import HeldOutBlocks


@pytest.fixture
def blocks():
    rng = np.random.default_rng(0)
    u = [rng.standard_normal(200), rng.standard_normal(300)]
    y = [5 * rng.standard_normal((200, 2)), 5 * rng.standard_normal((300, 2))]
    return HeldOutBlocks(make_records(u, y), 0.2)


def model_with_error(shift, diverged_at=None):
    def simulate(records, initial):
        return [SimpleNamespace(y=r.y + shift, diverged_at=diverged_at) for r in records.items]

    return SimpleNamespace(simulate_from_outputs=simulate)


def test_fitted_parts_and_held_out_blocks_share_no_sample(blocks):
    assert sum(map(len, blocks.fitted.items)) + sum(m.sum() for m in blocks.masks) == 500
    held = np.concatenate([r.u[m] for r, m in zip(blocks.records.items, blocks.masks, strict=True)])
    fitted = np.concatenate([record.u for record in blocks.fitted.items])
    assert not set(held.ravel()) & set(fitted.ravel())


def test_errors_are_in_variances_of_the_outputs(blocks):
    y = np.concatenate([record.y for record in blocks.records.items])
    errors = blocks.squared_errors(model_with_error(np.array([1.0, 2.0])))
    assert errors.shape == (100, 2)
    np.testing.assert_allclose(errors, [[1.0, 4.0] / y.var(axis=0)] * 100)


def test_diverging_model_has_infinite_errors(blocks):
    assert blocks.squared_errors(model_with_error(0.0, diverged_at=3)).mean() == np.inf

    def diverge(records, initial):
        raise DivergenceError("the simulation diverges", 3)

    model = SimpleNamespace(simulate_from_outputs=diverge)
    assert blocks.squared_errors(model).mean() == np.inf


def test_rejects_a_record_of_a_few_samples():
    with pytest.raises(InvalidSamplesError, match="samples"):
        HeldOutBlocks(make_records(np.arange(9.0), np.arange(9.0)), 0.2)
