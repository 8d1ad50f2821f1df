"""Tests of files."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import InvalidFileError, Polynomial
from unbraid.bases._files import basis_from_dict

Z = np.linspace(-1, 1, 41)


def test_rejects_an_invalid_interval():
    document = {**Polynomial(2).bind(Z).to_dict(), "high": -3.0}
    with pytest.raises(InvalidFileError, match="interval"):
        basis_from_dict(document)
