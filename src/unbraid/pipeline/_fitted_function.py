"""From a fit in the solver's coordinates to a function in the user's units."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..metrics import relative_error
from ..model._branch import Branch
from ..model._branch_fit import fit_branch
from ..model._curves import Expansion
from ..model._function import DecoupledFunction
from ..model._operating_points import sample_points
from ..model._residuals import sample_residuals
from ..solvers._factors import signed_norms
from ..solvers._problem import Problem
from ..solvers.varpro._joint import Fit


def function_from_fit(
    samples: Samples,
    problem: Problem,
    fit: Fit,
    start: int,
    branch_values: tuple[Array, Array],
    bases: Sequence[Basis],
    like: DecoupledFunction,
    point_weights: Array | None,
) -> DecoupledFunction:
    """One start of a fit as a function; branches extrapolate as those of ``like``.

    ``branch_values`` are g and g' (N, r) at the points of the problem.
    """
    W, V = fit.W[start], fit.V[start]
    G, slopes = branch_values
    means = G.mean(axis=0)
    factors, order = problem.factors(W, V, G - means, slopes)
    turned = signed_norms(problem.lift_V @ V) < 0
    scales = signed_norms(problem.lift_W @ W)
    branches = []
    for i, k in enumerate(order):
        z, g, old = factors.z[:, i], factors.G[:, i], like.branches[k]
        moved = fit.stack.bound_basis(start, k).moved(
            fit.C[start, k], float(z.min()), float(z.max()), bool(turned[k])
        )
        if moved is None:
            branch = fit_branch(bases[k], z, g, None, old.extrapolate)
        else:
            basis, coefficients, constant = moved
            marks = np.column_stack([z, g + scales[k] * (means[k] - constant)])
            branch = Branch(Expansion(basis, scales[k] * coefficients), old.extrapolate, marks)
        branches.append(replace(branch, margin=old.margin))
    plain = DecoupledFunction(factors.W, factors.V, tuple(branches), np.zeros(samples.n_outputs))
    return with_offset(plain, samples, point_weights, _values_at_estimates(plain))


def _values_at_estimates(function: DecoupledFunction) -> Array:
    """Values without the offset, where the estimates of the branches are."""
    marks = [branch.estimate[:, 1] for branch in function.branches if branch.estimate is not None]
    return np.asarray(np.column_stack(marks) @ function.W.T)


def with_offset(
    function: DecoupledFunction,
    samples: Samples,
    point_weights: Array | None = None,
    values: Array | None = None,
) -> DecoupledFunction:
    """The function with the offset that centres the residual, and its errors.

    ``values`` are those of the function at the samples, where they are known.
    """
    before = function(samples.points) if values is None else values
    shift = np.average(samples.values - before, axis=0, weights=point_weights)
    approximation = before + shift
    return replace(
        function,
        offset=function.offset + shift,
        spread=samples.points.std(axis=0),
        points=sample_points(samples.points),
        fitted_error=relative_error(samples.values, approximation),
        residuals=sample_residuals(samples.values, approximation),
    )
