"""Tests of validation."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import InvalidFileError
from unbraid._util import documents
from unbraid.sampling import uniform


@pytest.mark.parametrize("path", [3.5, None, ["a"]])
def test_rejects_what_is_not_a_path(path):
    with pytest.raises(InvalidFileError, match="the path"):
        documents.read_document(path)


PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda d: unbraid.load_scan(None),
        lambda d: unbraid.read_samples(3),
        lambda d: unbraid.scan(bent, PLANE, n_branches=1, store=5),
        lambda d: unbraid.export.to_c(d, 3),
        lambda d: unbraid.export.to_matlab(d, 5),
        lambda d: unbraid.export.to_onnx(d, []),
    ],
)
def test_public_calls_reject_what_is_not_a_path(smooth, call):
    for package in ("joblib", "onnx"):
        pytest.importorskip(package, reason="needed by one of these")
    with pytest.raises(InvalidFileError, match="no path"):
        call(smooth)
