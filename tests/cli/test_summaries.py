"""Summaries of a model."""

from dataclasses import replace

from hardening.plain import known_function
from unbraid.cli._summaries import describe_model, describe_poor_fit


def test_functions_without_points_have_no_description():
    d = known_function()
    assert describe_model(d, None, None) is not None
    assert describe_model(replace(d, points=None), None, None) is None


def test_diverging_model_is_a_poor_fit():
    assert describe_poor_fit(float("inf")) == ["a poor approximation: it diverges"]
