"""The bases of all branches of all starts, evaluated at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._typing import Array, Index
from ...bases import Basis, BSpline, Polynomial
from ...bases._knots import count_distinct
from ...bases._legendre import legendre_designs
from ...bases._spline_tables import evaluate_splines

MIN_PENALTY = 1e-15  # smoothing weight that rounding hides wherever there are data
MAX_PENALTY = 1e6  # smoothing weight at which branches are parabolas already
N_QUADRATURE_NODES = 200  # per interval, for means over it


@dataclass(frozen=True)
class Stack:
    """One bound basis per branch (r) and start (S).

    A branch with few distinct z has fewer functions than the others; the rest of its K columns are
    zero. Polynomials (``bound`` is None) and B-splines of one size (with ``knots``) are evaluated
    for all branches at once, other bases one by one.
    """

    n_functions: int
    centre: Array  # of the interval of z, (S, 1, r)
    half: Array  # half its width
    bound: tuple[tuple[Basis, ...], ...] | None
    supported: Array | None = None  # of polynomials: which columns are not zero, (S, 1, r, K)
    knots: Array | None = None  # of B-splines of one size, (S, 1, r, n_knots)

    def design(self, z: Array, order: int) -> Array:
        """Return functions or derivatives (S, N, r, K) at z (S, N, r)."""
        return self.designs(z, (order,))[0]

    def designs(self, z: Array, orders: Sequence[int]) -> list[Array]:
        """Return several derivatives at once."""
        if self.bound is None:
            t = (z - self.centre) / self.half
            tables = legendre_designs(t, self.n_functions, orders)
            if self.supported is not None:
                tables = [table * self.supported for table in tables]
            return [
                table * (self.half**-order)[..., None] if order else table
                for table, order in zip(tables, orders, strict=True)
            ]
        if self.knots is not None:
            degree = self.knots.shape[-1] - self.n_functions - 2
            return evaluate_splines(z, self.knots, degree, orders, skip_first=True)
        tables = [np.zeros((*z.shape, self.n_functions)) for _ in orders]
        for s, bases in enumerate(self.bound):
            for i, basis in enumerate(bases):
                found = basis.designs(z[s, :, i], orders)
                for table, design in zip(tables, found, strict=True):
                    table[s, :, i, : basis.n_functions] = design
        return tables

    def bound_basis(self, start: int, branch: int) -> Basis:
        """Return the basis of one branch of one start."""
        if self.bound is not None:
            return self.bound[start][branch]
        degree = self.n_functions
        if self.supported is not None:
            degree = int(self.supported[start, 0, branch].sum())
        centre, half = (float(x[start, 0, branch]) for x in (self.centre, self.half))
        return Polynomial(degree, centre - half, centre + half)

    def select(self, starts: Index) -> Stack:
        """Return the stack of some of the starts."""
        bound = None if self.bound is None else tuple(self.bound[s] for s in starts)
        supported = None if self.supported is None else self.supported[starts]
        knots = None if self.knots is None else self.knots[starts]
        return Stack(
            self.n_functions, self.centre[starts], self.half[starts], bound, supported, knots
        )

    def penalty(self, weight: float | Array) -> Array | None:
        """Return ``weight``, or one per start, times the roughness, or None.

        Other bases than polynomials get a tiny weight at least: a knot span may hold no data.
        """
        least = 0.0 if self.bound is None else MIN_PENALTY
        weights = np.clip(weight, least, MAX_PENALTY)
        return weights.reshape(-1, 1, 1, 1) * self.roughness if np.any(weights) else None

    @cached_property
    def energy(self) -> Array:
        """Matrices (S, r, K, K) of the variance of branches on intervals."""
        table = self.design(self._nodes, 0)
        return _average_products(table - table.mean(axis=1, keepdims=True))

    @cached_property
    def roughness(self) -> Array:
        """Matrices (S, r, K, K) of the mean square of g''', as a slope.

        For bases without a smooth second derivative it is that of g''.
        """
        kinds = [] if self.bound is None else [basis.smoothness for basis in self.bound[0]]
        order = 2 if min(kinds, default=2) < 2 else 3
        table = self.design(self._nodes, order) * (self.half ** (order - 1))[..., None]
        return _average_products(table)

    @property
    def _nodes(self) -> Array:
        nodes = np.linspace(-1, 1, N_QUADRATURE_NODES)
        return np.asarray(self.centre + self.half * nodes[None, :, None])


def _average_products(table: Array) -> Array:
    """Average the products of functions (S, N, r, K) over the points: (S, r, K, K)."""
    table = table.transpose(0, 2, 1, 3)
    return np.asarray(table.swapaxes(-1, -2) @ table / table.shape[2])


def make_stack(basis: Basis | Sequence[Basis], z: Array, margin: float = 0.0) -> Stack:
    """Bind a basis, or one per branch, to the ranges of z (S, N, r).

    A margin around them is a share of their width.
    """
    bases = [basis] * z.shape[2] if isinstance(basis, Basis) else list(basis)
    largest = max(bases, key=lambda each: each.n_functions)
    low, high = z.min(axis=1, keepdims=True), z.max(axis=1, keepdims=True)
    centre, half = 0.5 * (low + high), 0.5 * (1 + margin) * (high - low)
    half = np.where(half > 1e-12 * np.abs(centre), half, 1.0)  # z is constant
    distinct = count_distinct(z, largest.n_functions, axis=1)
    if isinstance(largest, Polynomial) and all(each == largest for each in bases):
        return Stack(largest.degree, centre, half, None, _find_supported(largest, distinct))

    def bind(s: int, i: int) -> Basis:
        column = z[s, :, i]
        if margin or low[s, 0, i] == high[s, 0, i]:
            ends = centre[s, 0, i] + half[s, 0, i] * np.array([-1.0, 1.0])
            column = np.append(column, ends)
        return bases[i].reduced(int(distinct[s, i])).bind(column)

    n_starts, _, r = z.shape
    bound = tuple(tuple(bind(s, i) for i in range(r)) for s in range(n_starts))
    return Stack(
        largest.n_functions, centre, half, bound, knots=_join_knots(bound, largest.n_functions)
    )


def _join_knots(bound: Sequence[Sequence[Basis]], n_functions: int) -> Array | None:
    """The knots (S, 1, r, n_knots) of B-splines of this size; None for others."""
    knots, degrees = [], set()
    for basis in (basis for bases in bound for basis in bases):
        if not isinstance(basis, BSpline) or basis.n_functions < n_functions:
            return None
        knots.append(basis.knots)
        degrees.add(basis.degree)
    if len(degrees) > 1:
        return None
    return np.array(knots, dtype=float).reshape(len(bound), 1, len(bound[0]), -1)


def _find_supported(basis: Polynomial, distinct: Index) -> Array | None:
    """Which powers the distinct z (S, r) support; None where all are."""
    if distinct.min() > basis.degree:
        return None
    powers = np.arange(1, basis.degree + 1)
    return np.asarray((powers < distinct[:, None, :, None]) | (powers == 1), dtype=float)
