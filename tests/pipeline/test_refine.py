"""``refine``, and what it does to the record of a fit."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import ConvergenceWarning, Polynomial, refine
from unbraid.cases import toy_samples
from unbraid.solvers import Status


@pytest.fixture(scope="module")
def unconverged():
    samples = toy_samples(random_state=0)
    with pytest.warns(ConvergenceWarning):
        d = unbraid.decouple(
            samples,
            n_branches=3,
            method="implicit",
            basis=Polynomial(3),
            n_starts=2,
            max_iterations=2,
            random_state=0,
        )
    return d, samples


def test_refined_fit_replaces_the_status(unconverged, tmp_path):
    d, samples = unconverged
    assert d.converged is False
    assert d.fit.status is Status.MAX_ITERATIONS
    page = unbraid.report(d, tmp_path / "before.html").read_text(encoding="utf-8")
    assert "It has not converged" in page
    better = refine(d, samples)
    assert better.converged is True
    page = unbraid.report(better, tmp_path / "after.html").read_text(encoding="utf-8")
    assert "It has not converged" not in page


def test_status_is_kept_in_files(unconverged, tmp_path):
    d, samples = unconverged
    for function in (d, refine(d, samples)):
        back = unbraid.load(function.save(tmp_path / "d.json"))
        assert back.fit == function.fit
        assert back.converged == function.converged


def test_too_few_iterations_are_not_converged(unconverged):
    d, samples = unconverged
    assert refine(d, samples, max_iterations=1).converged is False


def test_keeps_names_and_does_not_mutate(unconverged):
    d, samples = unconverged
    before = d.W.copy()
    assert refine(d.named(["a", "b"]), samples).input_names == ("a", "b")
    np.testing.assert_array_equal(d.W, before)
