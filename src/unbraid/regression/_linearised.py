"""Functions as linear in their parameters, in standardised inputs and outputs."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .._typing import Array
from ..bases import BSpline
from ..bases._knots import count_distinct
from ..model._function import DecoupledFunction
from ._penalised_fit import Penalty
from ._rows import Rows

SPLINE = BSpline(16)  # of every branch
PENALISED_DERIVATIVE = 3
ROUGHNESS_NODES = 400  # at which the roughness of a spline is averaged
CHANGE_SPREAD = 1.0  # prior of changes of unit directions and weights, and of slopes
MAX_WEIGHTED_OUTPUTS = 10  # with more outputs, the weights of branches are taken as known


class Design(Protocol):
    """The derivatives of a function by its parameters, and their prior."""

    @property
    def penalties(self) -> list[Penalty]: ...

    @property
    def ridge(self) -> Array: ...

    def table(self, x: Array) -> Array: ...

    def variance_outside(self, x: Array, weights: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class Scaling:
    """Mean and spread of inputs (m,) and outputs (n,); 1 where there is no spread."""

    mean: Array
    spread: Array
    level: Array
    size: Array

    def standardise(self, X: Array) -> Array:
        return np.asarray((X - self.mean) / self.spread)


def make_scaling(rows: Rows) -> Scaling:
    """The scaling of rows of data."""
    spread = rows.X.std(axis=0)
    varies = spread > 1e-12 * np.abs(rows.X).max(axis=0)
    return Scaling(rows.X.mean(axis=0), np.where(varies, spread, 1.0), rows.mean, rows.output_scale)


@dataclass(frozen=True, eq=False)
class LinearDesign:
    """A linear function of the inputs: slopes of every output, then the offset."""

    n_inputs: int
    n_outputs: int

    @property
    def penalties(self) -> list[Penalty]:
        return []

    @property
    def ridge(self) -> Array:
        slopes = np.full(self.n_inputs * self.n_outputs, 1 / CHANGE_SPREAD**2)
        return np.concatenate([slopes, np.zeros(self.n_outputs)])

    def table(self, x: Array) -> Array:
        """Derivatives (N, n, q) by the parameters."""
        one = np.eye(self.n_outputs)
        slopes = np.einsum("nl,oe->noel", x, one).reshape(len(x), self.n_outputs, -1)
        return np.concatenate([slopes, np.broadcast_to(one, (len(x), *one.shape))], axis=2)

    def variance_outside(self, x: Array, weights: Array) -> Array:
        return np.zeros((len(x), self.n_outputs))


@dataclass(frozen=True, eq=False)
class Spline:
    """Functions of one variable, of which each has its own roughness.

    They are combinations of B-splines: the columns of ``modes``. ``rates`` (K,) are the mean
    squares of their third derivatives over the interval, taken as [-1, 1].
    """

    basis: BSpline
    modes: Array
    rates: Array

    @property
    def interval(self) -> tuple[float, float]:
        return self.basis.interval

    @property
    def half_width(self) -> float:
        low, high = self.interval
        return 0.5 * (high - low)

    @property
    def n_functions(self) -> int:
        return self.basis.n_functions

    def design(self, z: Array, order: int = 0) -> Array:
        """The functions or their derivatives at z (N,), inside the interval."""
        return np.asarray(self.basis.design(z, order) @ self.modes)

    def continued(self, z: Array) -> Array:
        """The functions at z (N,); they continue as parabolas outside the interval."""
        inside = np.clip(z, *self.interval)
        table, out = self.design(inside), np.flatnonzero(inside != z)
        if out.size:
            edge, steps = inside[out], (z - inside)[out, None]
            table[out] += steps * self.design(edge, 1) + 0.5 * steps**2 * self.design(edge, 2)
        return table


def make_spline(z: Array) -> Spline:
    """A spline over the range of z; parabolas have no roughness."""
    basis = SPLINE.reduced(int(count_distinct(z, SPLINE.n_functions))).bind(z)
    low, high = basis.interval
    nodes = np.linspace(low, high, ROUGHNESS_NODES)
    third = basis.design(nodes, PENALISED_DERIVATIVE) * (0.5 * (high - low)) ** PENALISED_DERIVATIVE
    rates, modes = np.linalg.eigh(third.T @ third / len(nodes))
    rates[: PENALISED_DERIVATIVE - 1] = 0.0
    return Spline(basis, modes, np.maximum(rates, 0.0))


@dataclass(frozen=True, eq=False)
class BranchDesign:
    """A decoupled function: a spline, a direction and output weights per branch.

    The parameters are the coefficients of all splines; changes of the directions; changes of the
    weights; the offset. W (n, r) and V (m, r) have unit columns. ``heights * g(starts + scales z)``
    is a branch in standardised units.
    """

    function: DecoupledFunction
    W: Array
    V: Array
    starts: Array
    scales: Array
    heights: Array
    splines: tuple[Spline, ...]
    axes: Array  # (m, k): directions may change along them

    def place(self, i: int) -> slice:
        """Where the coefficients of a spline are among the parameters."""
        begin = sum(spline.n_functions for spline in self.splines[:i])
        return slice(begin, begin + self.splines[i].n_functions)

    @property
    def penalties(self) -> list[Penalty]:
        """The roughness of the splines that have any."""
        pairs = enumerate(self.splines)
        return [Penalty(self.place(i), spline.rates) for i, spline in pairs if any(spline.rates)]

    @property
    def ridge(self) -> Array:
        n_splines = sum(spline.n_functions for spline in self.splines)
        n = len(self.W)
        weights = n if self._has_weights else 0
        changes = len(self.splines) * (self.axes.shape[1] + weights)
        return np.concatenate(
            [np.zeros(n_splines), np.full(changes, 1 / CHANGE_SPREAD**2), np.zeros(n)]
        )

    def table(self, x: Array) -> Array:
        """Derivatives (N, n, q) by the parameters; splines continue as parabolas."""
        z, n = x @ self.V, len(self.W)
        curves, turns, mixes = [], [], []
        for i, spline in enumerate(self.splines):
            curves.append(np.einsum("nk,o->nok", spline.continued(z[:, i]), self.W[:, i]))
            branch, inside = self.function.branches[i], np.clip(z[:, i], *spline.interval)
            place = self.starts[i] + self.scales[i] * inside
            slope = self.heights[i] * self.scales[i] * branch.derivative(place)
            turned = x @ _remove_along(self.axes, self.V[:, i])
            turns.append(np.einsum("n,nk,o->nok", slope, turned, self.W[:, i]))
            if self._has_weights:
                value = self.heights[i] * branch(place)
                mixed = _remove_along(np.eye(n), self.W[:, i])
                mixes.append(np.einsum("n,ok->nok", value, mixed))
        offset = np.broadcast_to(np.eye(n), (len(x), n, n))
        return np.concatenate([*curves, *turns, *mixes, offset], axis=2)

    def variance_outside(self, x: Array, weights: Array) -> Array:
        """Variance (N, n) of what the third derivatives may do outside the data.

        ``weights`` are those of the penalties.
        """
        z, total = x @ self.V, np.zeros((len(x), len(self.W)))
        by_place = dict(zip([p.place.start for p in self.penalties], weights, strict=True))
        for i, spline in enumerate(self.splines):
            weight = by_place.get(self.place(i).start)
            if weight is None:
                continue
            inside = np.clip(z[:, i], *spline.interval)
            beyond = np.abs(z[:, i] - inside) / spline.half_width
            # a prior of white noise in g''', integrated three times; its penalty is a mean over
            # the interval [-1, 1], of length 2
            variance = 2 * beyond**5 / (20 * weight)
            total += np.outer(variance, self.W[:, i] ** 2)
        return total

    @property
    def _has_weights(self) -> bool:
        return 1 < len(self.W) <= MAX_WEIGHTED_OUTPUTS


def make_branch_design(
    d: DecoupledFunction, scaling: Scaling, X: Array, n_most: int
) -> BranchDesign:
    """The design of a decoupled function, with splines over the range of the data.

    It has at most ``n_most`` parameters, if it can have so few.
    """
    V = d.V * scaling.spread[:, None]
    scales = np.linalg.norm(V, axis=0)
    scales = np.where(scales > 0, scales, 1.0)
    W = d.W / scaling.size[:, None]
    heights = np.linalg.norm(W, axis=0)
    heights = np.where(heights > 0, heights, 1.0)
    x = scaling.standardise(X)
    z = x @ (V / scales)
    splines = tuple(make_spline(column) for column in z.T)
    starts = scaling.mean @ d.V
    mixed = len(W) if 1 < len(W) <= MAX_WEIGHTED_OUTPUTS else 0
    used = sum(spline.n_functions + mixed for spline in splines) + len(W)
    axes = _choose_axes(x, max((n_most - used) // len(splines), 0))
    return BranchDesign(d, W / heights, V / scales, starts, scales, heights, splines, axes)


def _choose_axes(x: Array, n_most: int) -> Array:
    """All inputs as axes, or the ``n_most`` combinations that vary most."""
    if x.shape[1] <= n_most:
        return np.eye(x.shape[1])
    return np.asarray(np.linalg.eigh(x.T @ x)[1][:, ::-1][:, :n_most])


def _remove_along(axes: Array, unit: Array) -> Array:
    """Axes without their part along a unit vector."""
    return np.asarray(axes - np.outer(unit, unit @ axes))
