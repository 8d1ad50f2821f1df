"""Post-optimisation: W, V, the branch coefficients and the offset on the values of f, eq. (4).

The machine is that of ``solvers.joint``; here it works in the basis the branches are made of, from
where they are, and gives a function back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .._typing import Array
from .._util.validation import finite_array, non_negative, positive_integer
from ..bases import Basis, CustomBasis
from ..data._samples import Samples
from ..errors import InvalidOption, InvalidSamples
from ..metrics import relative_error
from ..model._branch import Expansion, fit_branch
from ..model._function import DecoupledFunction
from ..model._residuals import residuals_of
from ..solvers._problem import Problem, make_problem, most_directions
from ..solvers.varpro._joint import Data, Fit, branch_values, evaluate, make_data
from ..solvers.varpro._levenberg import Patience, minimise, unit
from ..solvers.varpro._smoothing import cross_validated
from ..solvers.varpro._stack import Stack, make_stack

MOST_MARKS = 2000  # points of the estimate kept with a branch
LITTLE = 1e-12  # smoothing under which generalised cross-validation begins


def refine(
    d: DecoupledFunction,
    samples: Samples,
    *,
    basis: Basis | None = None,
    jacobian_weight: float = 0.0,
    value_weight: float = 1.0,
    smoothing: float | Literal["auto"] = 0.0,
    weights: Sequence[float] | Array | None = None,
    point_weights: Sequence[float] | Array | None = None,
    cancellation: float = 0.0,
    max_iterations: int = 50,
) -> DecoupledFunction:
    """Improve a decoupled function on samples, all of its numbers at once.

    Parameters
    ----------
    d : DecoupledFunction
        Branches must share one basis (not a CustomBasis) unless ``basis`` is given.
    samples : Samples
    basis : Basis, optional
        Another basis for the branches.
    jacobian_weight, value_weight : float
        The default minimises eq. (4), the error of the values alone; a little weight on the
        Jacobians keeps branches quiet where values are few.
    smoothing : float or "auto"
        Weight of a penalty on g'''; "auto" asks generalised cross-validation.
    weights : (n,), optional
        How much each output counts, beside its own spread.
    point_weights : (N,), optional
        How much each point counts.
    cancellation : float
        Weight of a penalty on the variance of the branches: against large parts of them that
        cancel in their sum (1e-5 is little, 1e-2 much).
    max_iterations : int
        Levenberg-Marquardt steps; 0 fits the coefficients only.

    Examples
    --------
    >>> import unbraid
    >>> samples = unbraid.cases.toy_samples(random_state=0)
    >>> rough = unbraid.decouple(samples, n_branches=3, method="implicit", random_state=0,
    ...                          basis=unbraid.Polynomial(3))
    >>> bool(refine(rough, samples).fitted_error.max() < 1e-6 < rough.fitted_error.max())
    True
    """
    _check(d, samples, jacobian_weight, value_weight, smoothing, max_iterations)
    better = refined(
        d,
        samples,
        problem_of(d, samples, weights, compress=jacobian_weight > 0),
        basis=basis,
        part_weights=(jacobian_weight, value_weight),
        penalty=Penalty(smoothing, non_negative("cancellation", cancellation)),
        point_weights=_point_weights(point_weights, samples),
        patience=Patience(max_iterations),
    )
    return with_marks(better, samples)


def refined(
    d: DecoupledFunction,
    samples: Samples,
    problem: Problem,
    *,
    basis: Basis | None,
    part_weights: tuple[float, float],
    penalty: Penalty,
    point_weights: Array | None = None,
    patience: Patience,
) -> DecoupledFunction:
    """``refine``, without marks, of samples in the solver's coordinates (``problem_of``)."""
    chosen = common_basis(d) if basis is None else basis
    if not isinstance(chosen, Basis) or isinstance(chosen, CustomBasis):
        raise InvalidOption(
            "refine needs branches in one basis that is not a CustomBasis: pass basis=, say "
            "BSpline(12)"
        )
    chosen = chosen.reduced(min(np.unique(column).size for column in d.transform(samples.points).T))
    rows = point_weights
    inside = None if rows is None else rows[np.argsort(problem.row_of_sample)]
    data = make_data(problem, *part_weights, inside)
    W, V = problem.from_user(d.W, d.V)
    fit = _fit(data, problem, chosen, unit(W[None]), unit(V[None]), penalty)
    if patience.max_iterations:
        descent = minimise(data, fit, patience)
        fit = _fit(data, problem, chosen, descent.fit.W, descent.fit.V, penalty)
    better = assembled(samples, problem, fit, chosen, d, rows)
    origin = f"{d.origin}\nRefined on {samples.words}." if d.origin else ""
    return replace(better, origin=origin).named(d.input_names, d.output_names)


def _point_weights(weights: Sequence[float] | Array | None, samples: Samples) -> Array | None:
    if weights is None:
        return None
    rows = finite_array("point_weights", weights, ndim=1)
    if rows.shape != (len(samples),) or np.any(rows < 0) or not np.any(rows > 0):
        raise InvalidOption(
            f"point_weights must be {len(samples)} numbers >= 0, one a point and not all 0"
        )
    return rows


def _check(
    d: DecoupledFunction,
    samples: Samples,
    jacobian_weight: Any,
    value_weight: Any,
    smoothing: Any,
    max_iterations: Any,
) -> None:
    if not isinstance(d, DecoupledFunction) or not isinstance(samples, Samples):
        raise InvalidOption(
            f"refine(d, samples) takes a DecoupledFunction and Samples, got {type(d).__name__} and "
            f"{type(samples).__name__}"
        )
    weights = (
        non_negative("jacobian_weight", jacobian_weight),
        non_negative("value_weight", value_weight),
    )
    if sum(weights) == 0:
        raise InvalidOption("jacobian_weight and value_weight are both 0: nothing to fit")
    if not isinstance(smoothing, str) or smoothing != "auto":
        non_negative("smoothing", smoothing)
    positive_integer("max_iterations", max_iterations, least=0)
    if (samples.n_inputs, samples.n_outputs) != (d.n_inputs, d.n_outputs):
        raise InvalidSamples(
            f"the function has {d.n_inputs} inputs and {d.n_outputs} outputs, the samples "
            f"{samples.n_inputs} and {samples.n_outputs}"
        )


def problem_of(
    d: DecoupledFunction,
    samples: Samples,
    weights: Sequence[float] | Array | None,
    compress: bool = True,
) -> Problem:
    """Samples in the solver's coordinates, which hold d's directions."""
    most = most_directions(d.n_branches)
    return make_problem(
        samples, d.n_branches, weights, most_inputs=most, keep=d.V, compress=compress
    )


@dataclass(frozen=True)
class Penalty:
    """What is held against a branch: to be rough, and to be large."""

    smoothing: float | Literal["auto"]
    cancellation: float = 0.0

    def of(self, stack: Stack, smoothing: float) -> Array | None:
        rough = stack.penalty(smoothing)
        if self.cancellation == 0:
            return rough
        large = self.cancellation * stack.energy()
        return large if rough is None else large + rough


def _fit(data: Data, problem: Problem, basis: Basis, W: Array, V: Array, penalty: Penalty) -> Fit:
    """The best coefficients; how smooth they are to be, if that is open, is asked here."""
    stack = make_stack(basis, problem.points @ V)
    smoothing = penalty.smoothing
    if smoothing == "auto":
        smoothing = cross_validated(data, evaluate(data, stack, W, V, penalty.of(stack, LITTLE)))
    return evaluate(data, stack, W, V, penalty.of(stack, smoothing))


def common_basis(d: DecoupledFunction) -> Basis | None:
    """The basis all branches are made of, or None."""
    bases = [b.curve.basis if isinstance(b.curve, Expansion) else None for b in d.branches]
    kinds = [None if basis is None else basis.unbound() for basis in bases]
    return bases[0] if all(kind == kinds[0] for kind in kinds) else None


def assembled(
    samples: Samples,
    problem: Problem,
    fit: Fit,
    basis: Basis,
    like: DecoupledFunction,
    point_weights: Array | None = None,
) -> DecoupledFunction:
    """A fit in the user's units; branches go on beyond the data in the manner of ``like``."""
    G, slopes = branch_values(fit, problem.points)
    factors, order = problem.factors(fit.W[0], fit.V[0], G, slopes)
    branches = []
    for i, old in enumerate(like.branches[k] for k in order):
        branch = fit_branch(basis, factors.z[:, i], factors.G[:, i], None, old.extrapolate)
        branches.append(replace(branch, margin=old.margin))
    plain = DecoupledFunction(factors.W, factors.V, tuple(branches), np.zeros(samples.n_outputs))
    return with_offset(plain, samples, point_weights)


def with_offset(
    d: DecoupledFunction, samples: Samples, point_weights: Array | None = None
) -> DecoupledFunction:
    """The offset that centres the residual (section 6), and the error it leaves."""
    before = d(samples.points)
    shift = np.average(samples.values - before, axis=0, weights=point_weights)
    approximation = before + shift
    return replace(
        d,
        offset=d.offset + shift,
        spread=samples.points.std(axis=0),
        fitted_error=relative_error(samples.values, approximation),
        residuals=residuals_of(samples.values, approximation),
    )


def with_marks(d: DecoupledFunction, samples: Samples) -> DecoupledFunction:
    """Partial residuals as the estimate of each branch: what the points say, all else granted.

    Outputs count by their spread, so that units do not matter.
    """
    rows = np.unique(np.linspace(0, len(samples) - 1, min(MOST_MARKS, len(samples))).astype(int))
    points = samples.points[rows]
    spread = samples.values.std(axis=0)
    least = np.min(spread[spread > 0], initial=np.inf)
    size = np.divide(least, spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    energy = np.sum((size * d.W) ** 2, axis=0)
    rest = (samples.values[rows] - d(points)) @ (size**2 * d.W / np.where(energy > 0, energy, 1))
    z = d.transform(points)
    return replace(
        d,
        branches=tuple(
            replace(branch, estimate=np.column_stack([z[:, i], branch(z[:, i]) + rest[:, i]]))
            for i, branch in enumerate(d.branches)
        ),
    )
