"""Errors and residuals on a page."""

import numpy as np

from unbraid.reports._error_section import show_output_residuals


def test_output_without_finite_residuals_has_no_chart():
    said = str(show_output_residuals(np.ones(3), np.full(3, np.nan), "lift", with_name=True))
    assert "lift: no finite residuals." in said
    assert "<svg" not in said
