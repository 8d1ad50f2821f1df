"""The published numbers."""

import numpy as np
import pytest

from unbraid.reproduce import _published as published


def test_published_means_follow_from_errors():
    for r, errors in published.TABLE3_ERRORS["implicit"].items():
        assert np.mean(errors) == pytest.approx(published.TABLE3_MEANS[r], abs=0.051), r
