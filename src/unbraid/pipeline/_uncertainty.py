"""What an answer is worth: is it identified, and how far could it be off?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from .._util.validation import counted
from ..bases import Basis, BSpline, CustomBasis, Polynomial
from ..data._samples import Samples
from ..model._branch import Expansion
from ..model._extrapolation import trial_margin
from ..model._function import DecoupledFunction
from ..solvers._problem import Problem, most_directions
from ..solvers.varpro._joint import Data, Fit, branch_values, evaluate, make_data, solved
from ..solvers.varpro._levenberg import reduced, stretches, unit
from ..solvers.varpro._normal import Normal, normal_equations
from ..solvers.varpro._stack import make_stack
from ._canonical import n_movable
from ._refinement import common_basis, problem_of

FLAT = 1e-9  # curvature, relative to the steepest, below which a direction is not seen by the data
COINCIDENT = 1e-12  # of the cosine of two directions that are one
VAGUE = 0.3  # standard error of an entry of V from which the direction is anybody's guess
MOST_UNKNOWNS = 3000  # beyond which the matrix is not inverted
NODES = 101
FURTHEST = 0.15  # of the range of the data: how far a branch that is no formula is followed
FURTHER = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # ranges: one that is, where no other term can be
ROUNDING = 1e-15  # of the outputs: no fit leaves less
TRUSTED = 0.005  # of the spread of the outputs: what a branch may be off by where it is followed
MOST_POINTS = 20_000


@dataclass(frozen=True, eq=False)
class Worth:
    """Whether W and V are identified, standard errors of V, and bands of the branches.

    ``angle`` is the largest standard error of V with every input in units of its spread;
    ``n_copies`` branches have the direction and the weights of another one, ``n_movable`` are
    straight, and others could carry a part of them.
    """

    identified: bool
    n_free: int
    n_copies: int
    n_movable: int
    angle: float
    V_standard_errors: Array
    bands: tuple[Array, ...]
    margins: tuple[float, ...]

    @property
    def sentence(self) -> str:
        """Identified or not, and how well, in words."""
        if self.n_copies:
            return (
                f"{self.n_copies} branches more than are needed: they go along with others, and "
                f"only their sum is determined"
            )
        moves = self.n_movable * (len(self.bands) - 1)  # ways in which straight branches are free
        if 0 < moves >= self.n_free and (self.n_free or self.angle < VAGUE):
            return (
                f"W and V are identified but for {counted(self.n_movable, 'straight branch', 'es')}"
                f", of which others could carry a part"
            )
        if self.n_free:
            return (
                f"W and V are not identified: they can change in {self.n_free} ways with the same "
                f"fit, only the function they make is determined"
            )
        if not self.identified:
            return (
                f"W and V are hardly identified: standard error of V up to {self.angle:.1g}, "
                f"mixtures of branches fit as well"
            )
        return (
            f"W and V are identified; standard error of V at most {self.angle:.1g} if the residual "
            f"is noise"
        )


def assess(
    d: DecoupledFunction,
    samples: Samples,
    smoothing: float = 0.0,
    weights: Sequence[float] | Array | None = None,
    jacobian_weight: float = 1.0,
    problem: Problem | None = None,
) -> Worth | None:
    """Curvature of the loss around a decoupling, and what noise as large as the residual does.

    Standard errors take the residual for independent noise, of one size in the values and another
    in the Jacobians; the weights are those that d was fitted with. ``problem`` spares a call of
    ``problem_of`` with the samples. None where the branches share no basis or the matrix would be
    too large, or holds what is no number.
    """
    basis = common_basis(d)
    if basis is None or isinstance(basis, CustomBasis) or basis.smoothness < 2:
        return None
    directions = min(d.n_inputs, most_directions(d.n_branches))
    if d.n_branches * (directions + d.n_outputs + basis.n_functions) > MOST_UNKNOWNS:
        return None
    n_all = len(samples)
    if n_all > MOST_POINTS:
        samples = samples.subset(np.linspace(0, n_all - 1, MOST_POINTS).astype(int))
        problem = None
    if problem is None:
        problem = problem_of(d, samples, weights, compress=jacobian_weight > 0)
    data = make_data(problem, jacobian_weight)
    W, V = problem.from_user(d.W, d.V)
    V = unit(V[None])
    stack = make_stack(basis, problem.points @ V)
    fit = evaluate(data, stack, unit(W[None]), V, stack.penalty(smoothing))
    normal = normal_equations(data, fit)
    if not np.all(np.isfinite(normal.matrix)):
        return None
    n_free = _flat_directions(reduced(normal, fit)[0][0])
    covariance = _covariance(data, fit, normal) * (len(samples) / n_all)
    angle = float(_turns(fit, covariance, np.eye(V.shape[1])).max())
    n_copies, movable = _copies(fit.W[0], fit.V[0]), n_movable(d, samples)
    return Worth(
        n_free == n_copies == movable == 0 and angle < VAGUE,
        n_free,
        n_copies,
        movable,
        angle,
        _turns(fit, covariance, problem.lift_V),
        _bands(d, problem, fit, covariance),
        _margins(d, problem, fit, covariance),
    )


def _copies(W: Array, V: Array) -> int:
    """Branches whose unit columns of W and V are, but for signs, those of an earlier branch."""
    alike = np.minimum(np.abs(W.T @ W), np.abs(V.T @ V)) > 1 - COINCIDENT
    return int(np.any(np.triu(alike, 1), axis=0).sum())


def _covariance(data: Data, fit: Fit, normal: Normal) -> Array:
    """Of W, V and c, from the noise that each part shows.

    What only the penalty determines counts as known to the larger of the two noises.
    """
    H = normal.matrix[0].copy()
    outer = slice(None, normal.n_outer)
    H[outer, outer] += stretches(fit, normal.matrix)[0]
    n_points, n, m = data.sizes
    counts = np.array([n_points * n * m, n_points * n]) * [
        data.jacobian_weight > 0,
        data.value_weight > 0,
    ]
    n_unknowns = len(H) - 2 * fit.W.shape[2]
    freedom = np.maximum(counts * (1 - n_unknowns / counts.sum()), 1.0)
    noises = np.array([fit.jacobian_loss[0], fit.value_loss[0]]) / freedom
    parts = [part[0] for part in normal.parts]
    spread = noises.max() * (H - parts[0] - parts[1]) + noises[0] * parts[0] + noises[1] * parts[1]
    scale = 1 / np.sqrt(np.diag(H))
    unit_diagonal = (H * scale * scale[:, None])[None]
    inverse = solved(unit_diagonal, np.eye(len(H))[None])[0] * scale * scale[:, None]
    return np.asarray(inverse @ spread @ inverse)


def _flat_directions(matrix: Array) -> int:
    """Directions of W and V along which nothing changes, the matrix scaled to a unit diagonal."""
    scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    rates = np.linalg.eigvalsh(matrix / scale / scale[:, None])
    return int(np.sum(rates < FLAT * rates[-1]))


def _turns(fit: Fit, covariance: Array, lift: Array) -> Array:
    """Standard errors of the entries of V, lifted and of unit length; (rows of lift, r)."""
    n, r = fit.W.shape[1:]
    m = fit.V.shape[1]
    errors = np.empty((len(lift), r))
    for i in range(r):
        block = slice(r * n + i * m, r * n + (i + 1) * m)
        direction = lift @ fit.V[0, :, i]
        length = np.linalg.norm(direction)
        v = direction / length
        turn = (lift - np.outer(v, v @ lift)) / length
        variance = np.einsum("ab,bc,ac->a", turn, covariance[block, block], turn)
        errors[:, i] = np.sqrt(np.maximum(variance, 0.0))
    return errors


def _branch_errors(fit: Fit, covariance: Array, nodes: Array, i: int) -> Array:
    """Standard errors of the (centred) branch i at nodes on its interval [-1, 1]."""
    n, r = fit.W.shape[1:]
    m, K = fit.V.shape[1], fit.C.shape[2]
    begin = r * (n + m) + i * K
    block = slice(begin, begin + K)
    z = fit.stack.centre + fit.stack.half * nodes[None, :, None]
    shape = (fit.stack.design(z, 0) - fit.sums.mean[:, None])[0, :, i]
    variance = np.einsum("na,na->n", shape @ covariance[block, block], shape)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _bands(
    d: DecoupledFunction, problem: Problem, fit: Fit, covariance: Array
) -> tuple[Array, ...]:
    """z and twice the standard error of each (centred) branch on a grid."""
    nodes = np.linspace(-1, 1, NODES)
    bands = []
    for i, branch in enumerate(d.branches):
        size = np.linalg.norm(problem.lift_W @ fit.W[0, :, i])
        half = 2 * size * _branch_errors(fit, covariance, nodes, i)
        grid = np.linspace(*branch.interval, NODES)
        bands.append(np.column_stack([grid, half]))
    return tuple(bands)


def _reach(basis: Basis) -> float:
    """How far a bound basis may be followed beyond the data at most, as a share of their range.

    A polynomial is one formula; the last piece of a spline knows only its own neighbourhood.
    """
    if isinstance(basis, BSpline):
        knots = np.unique(basis.knots or ())
        return float(min(FURTHEST, 1.5 * min(np.diff(knots)[[0, -1]]) / np.ptp(knots)))
    return 1.0 if isinstance(basis, Polynomial) else FURTHEST


def _own_noise(problem: Problem, fit: Fit) -> tuple[Array, Array]:
    """Noise of the outputs that each branch feeds, and relative to that of all of them; (r,)."""
    g, _ = branch_values(fit, problem.points)
    W = problem.value_map @ fit.W[0]
    rest = g @ W.T - (problem.values - problem.values.mean(axis=0))
    noise = np.mean(rest**2, axis=0)
    share = W**2 / np.maximum(np.sum(W**2, axis=0), 1e-300)
    return np.sqrt(noise @ share), np.sqrt(noise @ share / max(noise.mean(), 1e-300))


def _further(basis: Basis, noise: float) -> Array:
    """Shares beyond one range where a polynomial is still the function itself.

    What is left of the outputs could be a term of the next degree: it must not matter there.
    """
    if not isinstance(basis, Polynomial):
        return np.array([])
    shares = np.array(FURTHER)
    grown = np.cosh((basis.degree + 1) * np.arccosh(1 + 2 * shares))  # Chebyshev's polynomial
    return np.asarray(shares[max(noise, ROUNDING) * grown <= TRUSTED])


def _margins(
    d: DecoupledFunction, problem: Problem, fit: Fit, covariance: Array
) -> tuple[float, ...]:
    """How far each branch can be trusted beyond the data: while it is known to TRUSTED.

    Or as far as it goes on better than a straight line at the ends of the data.
    """
    noise, relative = _own_noise(problem, fit)
    weight = np.linalg.norm(problem.value_map @ fit.W[0], axis=0) * relative
    margins = []
    for i, branch in enumerate(d.branches):
        assert isinstance(branch.curve, Expansion)
        reach = _reach(branch.curve.basis)
        shares = np.append(np.linspace(0, reach, 11), _further(branch.curve.basis, noise[i]))
        outward = 1 + 2 * shares
        errors = _branch_errors(fit, covariance, np.concatenate([-outward, outward]), i)
        worst = np.maximum(errors[: len(shares)], errors[len(shares) :])
        known = np.cumprod(2 * worst * weight[i] <= TRUSTED)  # up to the first that is not
        trusted = float(shares[max(known.sum() - 1, 0)])
        margins.append(trusted if known.all() else max(trusted, trial_margin(branch, reach)))
    return tuple(margins)


def with_worth(d: DecoupledFunction, worth: Worth | None) -> DecoupledFunction:
    """The function with a band and a margin on every branch."""
    if worth is None:
        return d
    branches = [
        replace(branch, band=band, margin=margin)
        for branch, band, margin in zip(d.branches, worth.bands, worth.margins, strict=True)
    ]
    return replace(d, branches=tuple(branches))
