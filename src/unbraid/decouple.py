"""The front door."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ._checks import positive_integer
from .bases import Basis, BSpline
from .branches import Extrapolate, check_basis, check_extrapolate, fit_branch
from .errors import ConvergenceWarning, FitWarning, InvalidOption, InvalidSamples
from .function import DecoupledFunction
from .metrics import jacobian_error, relative_error
from .samples import Samples
from .solvers import METHODS
from .solvers.base import Candidate, Solution, Solver
from .sources import sample
from .tensor import Array

FEWEST_POINTS = 4
POOR, SUSPICIOUS = 10.0, 5.0  # error in % and ratio of errors that call for an explanation
DEFAULT_BASIS = BSpline(12)


def decouple(
    f: Samples | Callable[..., Any],
    points: Any = None,
    n_branches: int | None = None,
    *,
    method: str | Solver = "implicit",
    basis: Basis | None = DEFAULT_BASIS,
    extrapolate: Extrapolate = "linear",
    jacobian: Callable[..., Any] | None = None,
    **options: Any,
) -> DecoupledFunction:
    """Write f as ``W g(V' p) + c`` with functions g of one variable.

    Parameters
    ----------
    f : callable or Samples
        A function of m inputs and n outputs (see ``sample``), or samples of one.
    points : (N, m)
        Operating points that cover the domain of interest; not with Samples.
    n_branches : int
        Number of univariate functions, r.
    method : {"implicit", "explicit", "cpd"} or a solver object
        The paper's two methods and their ancestor.
    basis : Basis or None
        What the branches are made of: ``Polynomial(degree)``, ``BSpline(n_coefficients)``,
        ``PiecewiseLinear``, ``Fourier``, ``RBF``, ``CustomBasis``; None keeps the nonparametric
        estimate itself.
    extrapolate : {"linear", "basis", "nan"}
        How a branch goes on outside the range of the data.
    jacobian : callable, optional
        Jacobian of f, see ``sample``.
    **options
        Of the method: ``n_starts``, ``max_iterations``, ``random_state``, ``callback``,
        ``weights`` and its own, see ``unbraid.solvers``.

    Returns
    -------
    DecoupledFunction

    Examples
    --------
    >>> import numpy as np, unbraid
    >>> points = unbraid.sampling.uniform(80, [-1, -1], [1, 1], random_state=0)
    >>> d = decouple(lambda p: np.sin(p[:, :1] + p[:, 1:]), points, n_branches=1, random_state=0)
    >>> bool(d.fitted_error[0] < 1)
    True
    """
    n_branches = _branch_count(n_branches)
    solver = _solver(method, options)
    check_basis(basis)
    check_extrapolate(extrapolate)
    samples = _samples(f, points, jacobian)
    if samples.n_points < FEWEST_POINTS:
        raise InvalidSamples(
            f"{samples.n_points} points are fewer than a window of a filter needs; points has one "
            f"row a point: use at least {FEWEST_POINTS}, better 50 or more a branch"
        )
    solution = solver.solve(samples, n_branches)
    d = _assemble(samples, solution, basis, extrapolate)
    assert d.solution is not None
    if not d.solution.converged:
        warnings.warn(
            f"{solution.method}: {d.solution.stop_reason}. The best iterate is returned; "
            f"raise max_iterations or n_starts to go on",
            ConvergenceWarning,
            stacklevel=2,
        )
    _warn_if_inconsistent(samples, d)
    return d


def _warn_if_inconsistent(samples: Samples, d: DecoupledFunction) -> None:
    """Say so where the Jacobians were matched and the values were not."""
    assert d.solution is not None
    by_value = float(np.mean(_known(d.fitted_error)))
    by_jacobian = jacobian_error(samples.jacobians, np.nan_to_num(d.jacobian(samples.points)))
    residual = 100 * min(d.solution.objective)
    if by_value < POOR or d.solution.method == "cpd":
        return
    if by_jacobian > SUSPICIOUS * max(residual, 1.0):
        warnings.warn(
            f"the decomposition fits the Jacobians to {residual:.2g} %, its branches in this basis "
            f"to {by_jacobian:.2g} %: they are rougher than the basis can follow; give it more "
            f"coefficients, the method more smoothness, or check that the Jacobians are right",
            FitWarning,
            stacklevel=3,
        )
    elif by_value > SUSPICIOUS * max(by_jacobian, 1.0):
        warnings.warn(
            f"the Jacobians are met to {by_jacobian:.2g} %, the values only to {by_value:.3g} %: "
            f"these Jacobians do not belong to these values (transposed? scaled?)",
            FitWarning,
            stacklevel=3,
        )


def _samples(f: Any, points: Any, jacobian: Any) -> Samples:
    if isinstance(f, Samples):
        if points is not None or jacobian is not None:
            raise InvalidOption(
                "Samples hold their own points and Jacobians: decouple(samples, n_branches=...)"
            )
        return f
    if points is None:
        raise InvalidOption("points are missing: call decouple(f, points, n_branches=...)")
    return sample(f, points, jacobian)


def _branch_count(n_branches: Any) -> int:
    if n_branches is None:
        raise InvalidOption("n_branches is missing: say how many univariate functions to use")
    return positive_integer("n_branches", n_branches)


def _solver(method: str | Solver, options: dict[str, Any]) -> Solver:
    if not isinstance(method, str):
        if not hasattr(method, "solve") or isinstance(method, type):
            raise InvalidOption(f"method is {method!r}: a name or an object with solve() is needed")
        if options:
            raise InvalidOption(f"options {sorted(options)} belong into the solver object")
        return method
    if method not in METHODS:
        raise InvalidOption(f"method is {method!r}: choose one of {', '.join(map(repr, METHODS))}")
    kind = METHODS[method]
    known = [field.name for field in fields(kind)]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise InvalidOption(
            f"{method} has no option {', '.join(map(repr, unknown))}; it takes {', '.join(known)}"
        )
    solver: Solver = kind(**options)
    return solver


def _assemble(
    samples: Samples, solution: Solution, basis: Basis | None, extrapolate: Extrapolate
) -> DecoupledFunction:
    """Fit branches to every candidate and keep the one of least function error (as the paper)."""
    functions = [
        (_fitted(samples, candidate, solution, basis, extrapolate), candidate)
        for candidate in solution.candidates
    ]
    best, chosen = min(functions, key=lambda pair: float(np.mean(_known(pair[0].fitted_error))))
    run = chosen.run
    record = replace(
        solution,
        factors=chosen.factors,
        objective=run.objective,
        start_objectives=chosen.start_objectives or solution.start_objectives,
        stop_reason=run.stop_reason,
        converged=run.converged,
        details={**solution.details, **chosen.details},
    )
    return replace(best, solution=record)


def _known(error: Array | None) -> Array:
    return np.zeros(1) if error is None else np.nan_to_num(error, posinf=1e300)


def _fitted(
    samples: Samples,
    candidate: Candidate,
    solution: Solution,
    basis: Basis | None,
    extrapolate: Extrapolate,
) -> DecoupledFunction:
    factors = candidate.factors
    branches = tuple(
        fit_branch(
            basis,
            factors.z[:, i],
            factors.G[:, i] if solution.fit_on == "values" else None,
            factors.derivatives[:, i],
            extrapolate,
            factors.G[:, i],
        )
        for i in range(factors.n_branches)
    )
    plain = DecoupledFunction(factors.W, factors.V, branches, np.zeros(samples.n_outputs))
    offset = np.mean(samples.values - plain(samples.points), axis=0)  # section 6
    d = replace(plain, offset=offset)
    return replace(d, fitted_error=relative_error(samples.values, d(samples.points)))
