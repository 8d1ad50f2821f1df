"""Whether a model may be read, from its fields."""

from dataclasses import replace

import numpy as np
import pytest

from unbraid.model._fit_record import FitRecord
from unbraid.reports._model_view import view_function
from unbraid.reports._narx_view import view_narx
from unbraid.reports._verdict import Level, list_checks, show_verdict
from unbraid.solvers._status import Status


def levels(view):
    return {check.title: check.level for check in list_checks(view)}


def test_exact_identified_function_may_be_read(toy):
    found = levels(view_function(toy))
    assert found["Error"] is Level.GOOD
    assert found["Identified"] is Level.GOOD
    assert Level.FAIR not in found.values()
    assert 'class="verdict note"' in show_verdict(view_function(toy))


@pytest.mark.parametrize(
    ("fit", "title", "level"),
    [
        (FitRecord("varpro", Status.CONVERGED, True, False), "Not identified", Level.FAIR),
        (FitRecord("varpro", Status.CONVERGED, False, True), "Not identified", Level.FAIR),
        (
            FitRecord("varpro", Status.CONVERGED, None, None),
            "Not known to be identified",
            Level.FAIR,
        ),
        (FitRecord("varpro", Status.MAX_ITERATIONS, True, True), "Fit", Level.POOR),
    ],
)
def test_record_of_the_fit_is_judged(toy, fit, title, level):
    assert levels(view_function(replace(toy, fit=fit)))[title] is level


def test_errors_are_judged_beside_the_noise(toy):
    poor = replace(toy, held_out_error=np.array([30.0, 8.0]))
    assert levels(view_function(poor))["Error"] is Level.POOR
    noisy = replace(poor, noise=np.array([30.0, 8.0]))
    found = levels(view_function(noisy))
    assert found["Error"] is Level.GOOD
    assert found["Noise of the data"] is Level.FAIR
    unknown = replace(toy, held_out_error=None, fitted_error=None)
    assert levels(view_function(unknown))["Error"] is Level.FAIR


def test_points_beyond_the_data_are_counted(toy, samples):
    inside = view_function(toy, data=samples)
    assert levels(inside)["Range"] is Level.GOOD
    far = 5 * samples.points
    outside = view_function(toy, data=(far, toy(far)))
    assert levels(outside)["Extrapolating"] is Level.FAIR


def test_dynamic_model_is_judged_by_its_validation(narx, records):
    found = levels(view_narx(narx, data=tuple(records.test)))
    assert "Residuals" in found
    assert {"Range", "Extrapolating"} & set(found)
