"""The terms of an output: groups with their linear part, and their shares.

The linear part of an output is divided among the terms:

1. Directions of several inputs take the slopes along themselves that leave the least to single
   inputs.
2. What is left of an input belongs to the curve along that input alone, if there is one.
3. Otherwise it belongs to the smallest group that has the input, if that group has several
   directions or the slope is below 1 % of the variance; else it is a separate linear term.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ._canonical_form import CanonicalForm
from ._groups import Group
from ._shares import lmg_shares

MIN_CURVE_SIZE = 0.01  # of the spread of an output: smaller curves attract no linear part
MAX_ABSORBED_SLOPE = 0.1  # of the spread of an output: 1 % of the variance
SLOPE_PENALTY = 0.05  # of a slope along a direction, beside that of an input
CONSTANT_OUTPUT = 1e-10  # of the size of its parts: an output that varies less is constant


@dataclass(frozen=True, eq=False)
class Term:
    """A part of one output: a group, or the linear term of an input (``group`` None).

    ``line`` (m,) are slopes of standardised inputs beside those along directions, and ``values``
    (N,) the values at the points.
    """

    group: Group | None
    inputs: tuple[int, ...]
    line: Array
    values: Array
    share: float = 0.0


@dataclass(frozen=True, eq=False)
class OutputTerms:
    """The terms of one output.

    ``slopes`` (D,) is the linear part along every direction that belongs to it, in units of the
    output per z; ``shares`` (D,) divides the share of a group among its directions.
    """

    terms: tuple[Term, ...]
    slopes: Array
    shares: Array


def find_output_spreads(form: CanonicalForm, points: Array) -> Array:
    """Spread of every output (n,); 0 where its variation is rounding."""
    values = form(points)
    size = np.abs(form.offset) + np.abs(values).max(axis=0)
    size += np.abs(form.linear) @ np.abs(points).max(axis=0)
    spread = values.std(axis=0)
    return np.asarray(np.where(spread > CONSTANT_OUTPUT * size, spread, 0.0))


def divide_output(
    form: CanonicalForm, x: Array, groups: Sequence[Group], output: int
) -> OutputTerms:
    """The terms of one output that is not constant; ``x`` are standardised points."""
    z = x @ form.directions.T
    curves = [form.curves[d][output](z[:, d]) for d in range(len(form.directions))]
    h = np.stack(curves, axis=1) if curves else np.zeros((len(x), 0))
    line = form.linear[output] * form.spread
    scale = float(np.std(h.sum(axis=1) + x @ line))
    sizes = h.std(axis=0) / scale
    slopes = scale * _slopes_of_directions(form.directions, groups, sizes, line / scale)
    rest = line - slopes @ form.directions
    for group in groups:
        if len(group.inputs) == 1:
            leading, l = group.directions[0], group.inputs[0]
            slopes[leading] = rest[l] / form.directions[leading, l]
            rest = rest - slopes[leading] * form.directions[leading]
            rest[l] = 0.0
    parts = h + slopes * z
    owners = _find_owners(groups, sizes, rest / scale)
    terms = []
    for k, group in enumerate(groups):
        own = np.where([owner == k for owner in owners], rest, 0.0)
        values = parts[:, list(group.directions)].sum(axis=1) + x @ own
        terms.append(Term(group, group.inputs, own, values))
    for l, owner in enumerate(owners):
        if owner is None and rest[l] != 0:
            own = np.where(np.arange(len(rest)) == l, rest, 0.0)
            terms.append(Term(None, (l,), own, x @ own))
    shares = lmg_shares(np.stack([term.values for term in terms], axis=1))
    found = tuple(
        Term(t.group, t.inputs, t.line, t.values, float(share))
        for t, share in zip(terms, shares, strict=True)
    )
    return OutputTerms(found, slopes, _divide_shares(found, parts))


def _slopes_of_directions(
    directions: Array, groups: Sequence[Group], sizes: Array, line: Array
) -> Array:
    """Slopes along directions of several inputs that explain the linear part (m,).

    They minimise the sum of the absolute slopes that are left to single inputs; inputs with
    a separate curve do not count.
    """
    slopes = np.zeros(len(directions))
    single = {group.inputs[0] for group in groups if len(group.inputs) == 1}
    several = [
        d
        for group in groups
        if len(group.inputs) > 1
        for d in group.directions
        if sizes[d] >= MIN_CURVE_SIZE
    ]
    counted = [l for l in range(len(line)) if l not in single]
    if several and counted:
        slopes[several] = _least_absolute_fit(directions[several][:, counted].T, line[counted])
    return slopes


def _least_absolute_fit(A: Array, target: Array) -> Array:
    """b of least ``sum |target - A b| + SLOPE_PENALTY sum |b|``: a linear program.

    >>> _least_absolute_fit(np.array([[0.6], [0.8], [0.0]]), np.array([3.0, 4.0, 1.0])).round(9)
    array([5.])
    """
    from scipy.optimize import linprog

    rows, columns = A.shape
    cost = np.concatenate([np.ones(2 * rows), np.full(2 * columns, SLOPE_PENALTY)])
    parts = np.hstack([np.eye(rows), -np.eye(rows), A, -A])  # residual and b as differences
    found = linprog(cost, A_eq=parts, b_eq=target, bounds=(0, None))
    if not found.success:
        return np.zeros(columns)
    b = found.x[2 * rows :]
    return np.asarray(b[:columns] - b[columns:])


def _find_owners(groups: Sequence[Group], sizes: Array, rest: Array) -> list[int | None]:
    """The group that the rest of every input's slope belongs to; None for none."""
    owners: list[int | None] = []
    for l, slope in enumerate(rest):
        having = [
            (len(group.inputs), -float(sizes[list(group.directions)].max()), k)
            for k, group in enumerate(groups)
            if l in group.inputs
        ]
        if not having:
            owners.append(None)
            continue
        k = min(having)[2]
        absorbs = len(groups[k].directions) > 1 or abs(slope) <= MAX_ABSORBED_SLOPE
        owners.append(k if absorbs else None)
    return owners


def _divide_shares(terms: Sequence[Term], parts: Array) -> Array:
    """Shares of directions: those of their groups, in proportion to their variances."""
    shares = np.zeros(parts.shape[1])
    variances = parts.var(axis=0)
    for term in terms:
        if term.group is not None:
            members = list(term.group.directions)
            weights = variances[members] + 1e-300
            shares[members] = term.share * weights / weights.sum()
    return shares
