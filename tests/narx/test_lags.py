"""Lags and regressors."""

from __future__ import annotations

import numpy as np
import pytest

from reference import narx as reference_loop
from unbraid import InvalidOptionError
from unbraid.narx import NARX
from unbraid.narx._lags import Lags, check_lags, infer_lags


@pytest.mark.parametrize(("n_u", "n_y"), [(1, 1), (2, 3)])
def test_regressors_follow_the_definition(n_u, n_y):
    rng = np.random.default_rng(0)
    u, y = rng.standard_normal((20, n_u)), rng.standard_normal((20, n_y))
    model = NARX(None, (0, 2), (1, 4))
    expected = reference_loop.regressors(u, y, (0, 2), (1, 4))
    assert np.array_equal(model.regressors(u, y), expected)


def test_lags_never_cross_from_one_record_to_the_next():
    rng = np.random.default_rng(0)
    u, y = [rng.standard_normal(k) for k in (9, 7)], [rng.standard_normal(k) for k in (9, 7)]
    model = NARX(None, (0, 1), (1, 2))
    apart = [model.regressors(a, b) for a, b in zip(u, y, strict=True)]
    assert np.array_equal(model.regressors(u, y), np.concatenate(apart))


def test_lags_may_differ_between_channels():
    lags = Lags.expand([(0,), (2, 3)], (1,), 2, 1)
    assert lags.names == ("u1(t)", "u2(t-2)", "u2(t-3)", "y(t-1)")
    u, y = np.arange(10.0).reshape(5, 2), np.arange(5.0)[:, None]
    assert np.array_equal(lags.table(u, y, 3, 5), [[6, 3, 1, 2], [8, 5, 3, 3]])


def test_infers_number_of_inputs_from_lags_per_channel():
    lags = infer_lags([(0,), (2, 3)], (1,), n_regressors=4, n_outputs=1)
    assert lags.names == ("u1(t)", "u2(t-2)", "u2(t-3)", "y(t-1)")
    with pytest.raises(InvalidOptionError, match="5 inputs"):
        infer_lags([(0,), (2, 3)], (1,), n_regressors=5, n_outputs=1)


def test_rejects_lags_for_more_channels_than_the_data():
    lagged = NARX(None, [(0,), (1,)], (1,))
    with pytest.raises(InvalidOptionError, match="2 channels"):
        lagged.regressors(np.ones(9), np.ones(9))


def test_rejects_ragged_lags():
    with pytest.raises(InvalidOptionError, match="input_lags"):
        check_lags("input_lags", [[[0, 1], 2], [1]])
