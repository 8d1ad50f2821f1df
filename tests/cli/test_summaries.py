"""Summaries of a model."""

from dataclasses import replace

from hardening.plain import known_function
from unbraid.cli._summaries import describe_branches, describe_poor_fit


def test_branches_without_points_have_no_description():
    d = known_function()
    assert describe_branches(d, None, None) is not None
    bare = [replace(b, estimate=None) for b in d.branches]
    assert describe_branches(replace(d, branches=tuple(bare)), None, None) is None


def test_diverging_model_is_a_poor_fit():
    assert describe_poor_fit(float("inf")) == ["a poor approximation: it diverges"]
