"""Comparisons on the same draw, and weights of outputs."""

import pytest

import unbraid
from unbraid.reproduce._experiments import compare_with_paper, output_weights
from unbraid.reproduce._results import Comparison, Trial
from unbraid.reproduce._tables import TABLE1


def test_compares_only_same_draws():
    trials = [
        Trial(0, "varpro", 2, (1.0,), 0.0),
        Trial(1, "varpro", 2, (5.0,), 0.0),
        Trial(0, "implicit", 2, (3.0,), 0.0),
        Trial(0, "explicit", 2, (2.0,), 0.0),
        Trial(1, "implicit", 2, (4.0,), 0.0),
        Trial(1, "implicit", 3, (0.1,), 0.0),
    ]
    assert compare_with_paper(trials, "varpro") == (
        Comparison(0, 2, 1.0, 2.0),
        Comparison(1, 2, 5.0, 4.0),
    )


def test_output_weights_undo_scaling():
    """The larger output counts more, as published: it is met better than where both count alike."""
    samples = TABLE1.samples(0)
    options = {"n_branches": 1, "method": "implicit", "basis": unbraid.Polynomial(3)}
    raw, alike = (
        unbraid.decouple(
            samples, **options, n_starts=2, random_state=0, weights=weights
        ).fitted_error
        for weights in (output_weights(samples), None)
    )
    assert samples.values.std(axis=0).argmax() == 1
    assert raw[1] < alike[1]
    assert raw[0] > 1.2 * alike[0]
    scaled = unbraid.Samples(samples.points, 7 * samples.values, 7 * samples.jacobians)
    assert output_weights(scaled) == pytest.approx(7 * output_weights(samples))
