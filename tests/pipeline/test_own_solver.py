"""A user's own solver gets the same treatment as the built-in ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest

from unbraid import ConvergenceWarning, InvalidOptionError, decouple
from unbraid.cases import toy_samples
from unbraid.solvers import Capabilities, Factors, Solution, Status

# Directions along which the toy problem was built.
W = np.array([[1.0, 4.0, 0.5], [2.0, -0.5, 3.0]])
V = np.array([[3.0, 1.0, 0.5], [1.0, 2.0, 3.0]])


@dataclass(frozen=True)
class GivenDirections:
    """A solver that has rough W and V and estimates the branches by least squares."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        postprocess=True, default_held_out=0.2, default_refine=True
    )
    status: Status = Status.CONVERGED
    n_points: list[int] = field(default_factory=list)

    def solve(self, samples, n_branches):
        self.n_points.append(len(samples))
        rng = np.random.default_rng(0)
        directions = V / np.linalg.norm(V, axis=0) + 0.01 * rng.standard_normal(V.shape)
        z = samples.points @ directions
        columns = np.stack([z, z**2, z**3], axis=2)
        design = np.einsum("oi,kiq->koiq", W, columns).reshape(2 * len(z), -1)
        centred = samples.values - samples.values.mean(axis=0)
        coefficients = np.linalg.lstsq(design, centred.ravel(), rcond=None)[0].reshape(3, 3)
        G = np.einsum("kiq,iq->ki", columns, coefficients)
        slopes = np.stack([np.ones_like(z), 2 * z, 3 * z**2], axis=2)
        derivatives = np.einsum("kiq,iq->ki", slopes, coefficients)
        factors = Factors(W, directions, G, z, derivatives)
        return Solution("given directions", factors, (0.1,), self.status)


def test_gets_basis_selection_refinement_uncertainty_and_held_out_points():
    solver = GivenDirections()
    d = decouple(toy_samples(100, random_state=0), n_branches=3, method=solver)
    assert solver.n_points == [80]
    assert d.fitted_error.max() < 1e-5
    assert d.held_out_error.max() < 1e-5
    assert {branch.curve.basis.degree for branch in d.branches} == {3}
    assert d.solution.identified is True
    assert d.fit.method == "given directions"


def test_reports_that_it_did_not_converge():
    solver = GivenDirections(Status.MAX_ITERATIONS)
    with pytest.warns(ConvergenceWarning, match="given directions"):
        d = decouple(toy_samples(100, random_state=0), n_branches=3, method=solver)
    assert d.converged is False


def test_without_capabilities_w_and_v_stay_as_they_are():
    class Plain:
        def solve(self, samples, n_branches):
            return GivenDirections().solve(samples, n_branches)

    d = decouple(toy_samples(100, random_state=0), n_branches=3, method=Plain())
    assert d.held_out_error is None
    assert d.solution.identified is None
    np.testing.assert_allclose(d.V, d.solution.factors.V)


def test_origin_does_not_mention_starts_that_were_not_made():
    d = decouple(toy_samples(100, random_state=0), n_branches=3, method=GivenDirections())
    assert "start" not in d.origin
    assert not any(line == "." for line in d.origin.splitlines())


def test_rejects_a_solution_without_objective():
    class Silent:
        def solve(self, samples, n_branches):
            return replace(GivenDirections().solve(samples, n_branches), objective=())

    with pytest.raises(InvalidOptionError, match="Silent"):
        decouple(toy_samples(100, random_state=0), n_branches=3, method=Silent())
