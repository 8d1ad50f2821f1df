"""Groups of directions that are read together.

Directions closer than 15 degrees form a cluster, since their curves may cancel: a product is the
limit of two curves along nearly the same direction. Clusters over the same two or three inputs are
one group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .._typing import Array
from ._canonical_form import CanonicalForm
from ._interactions import is_one_product

MAX_CLUSTER_ANGLE = 15.0  # degrees
MIN_SUPPORT_WEIGHT = 0.05  # of the largest entry of a direction: inputs with more are named
MIN_EFFECT = 0.03  # of the spread of an output: effect of an input that is named
MAX_BLOCK_INPUTS = 3  # of a group of several clusters
CURVE_KNOTS = 16  # of the broken line that tells whether values are a function of z
MIN_CURVE_R2 = 0.995  # of that line


@dataclass(frozen=True)
class Group:
    """Directions over one set of inputs, as indices."""

    inputs: tuple[int, ...]
    directions: tuple[int, ...]


def group_directions(form: CanonicalForm, x: Array, output: int, scale: float) -> tuple[Group, ...]:
    """Groups of the directions that an output has a curve along.

    ``x`` (N, m) are standardised points, ``scale`` is the spread of the output.
    """
    found: dict[tuple[int, ...], list[int]] = {}
    active = [d for d, curves in enumerate(form.curves) if np.any(curves[output].weights != 0)]
    for cluster in _cluster(form.directions[active]):
        members = [active[k] for k in cluster]
        support = _find_support(form, x, output, scale, members)
        key = support if len(support) <= MAX_BLOCK_INPUTS else (*support, -1 - members[0])
        found.setdefault(key, []).extend(members)
    groups = [
        Group(tuple(l for l in key if l >= 0), tuple(sorted(members)))
        for key, members in found.items()
    ]
    return tuple(_join_products(form, x, output, groups))


def is_curve(z: Array, values: Array) -> bool:
    """Whether values are a function of z, as a broken line shows.

    >>> z, other = np.random.default_rng(0).uniform(-1, 1, (2, 300))
    >>> is_curve(z, np.tanh(3 * z)), is_curve(z, z * other)
    (True, False)
    """
    knots = np.unique(np.quantile(z, np.linspace(0, 1, CURVE_KNOTS)))
    if len(knots) < 3 or len(z) < 2 * len(knots):
        return True
    hats = np.stack([np.interp(z, knots, row) for row in np.eye(len(knots))], axis=1)
    left = values - hats @ np.linalg.lstsq(hats, values, rcond=None)[0]
    return bool(np.sum(left**2) <= (1 - MIN_CURVE_R2) * np.sum((values - values.mean()) ** 2))


def _join_products(form: CanonicalForm, x: Array, output: int, groups: list[Group]) -> list[Group]:
    """Pairs of inputs together with curves of single ones that complete a product.

    With the mean of one factor, ``(a + x_1) h(x_2)`` is a curve of ``x_2`` and a smaller product.
    """
    for pair in [group for group in groups if len(group.inputs) == 2]:
        inside = [g for g in groups if len(g.inputs) == 1 and g.inputs[0] in pair.inputs]
        inputs = list(pair.inputs)
        directions = tuple(sorted(chain.from_iterable(g.directions for g in [pair, *inside])))
        values = x[:, inputs] @ (form.linear[output] * form.spread)[inputs]
        for d in directions:
            values = values + form.curves[d][output](x @ form.directions[d])
        if inside and is_one_product(values, x[:, inputs]):
            groups = [g for g in groups if g is not pair and g not in inside]
            groups.append(Group(pair.inputs, directions))
    return groups


def _cluster(directions: Array) -> list[list[int]]:
    """Directions that are connected by small angles."""
    close = np.abs(directions @ directions.T) >= np.cos(np.radians(MAX_CLUSTER_ANGLE))
    clusters: list[list[int]] = []
    for d in range(len(directions)):
        joined = [c for c in clusters if np.any(close[d, c])]
        rest = [c for c in clusters if not np.any(close[d, c])]
        clusters = [*rest, sorted([*chain.from_iterable(joined), d])]
    return sorted(clusters)


def _find_support(
    form: CanonicalForm, x: Array, output: int, scale: float, members: Sequence[int]
) -> tuple[int, ...]:
    """Inputs that the description of a cluster names.

    They have a large entry, or the sum of the curves changes without them by more than a line.
    """
    entries = np.abs(form.directions[list(members)])
    heavy = np.any(entries >= MIN_SUPPORT_WEIGHT * entries.max(axis=1)[:, None], axis=0)
    if len(members) > 1:
        for l in np.flatnonzero(~heavy & (entries.max(axis=0) > 0)):
            heavy[l] = _effect(form, x, output, members, int(l)) >= MIN_EFFECT * scale
    return tuple(np.flatnonzero(heavy).tolist())


def _effect(form: CanonicalForm, x: Array, output: int, members: Sequence[int], l: int) -> float:
    """Change of an output, less a line, when an input is left out."""
    change = np.zeros(len(x))
    for d in members:
        z = x @ form.directions[d]
        curve = form.curves[d][output]
        change += curve(z) - curve(z - form.directions[d, l] * x[:, l])
    line = np.column_stack([np.ones(len(x)), x[:, l]])
    change -= line @ np.linalg.lstsq(line, change, rcond=None)[0]
    return float(change.std())
