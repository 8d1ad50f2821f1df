"""Describe a decoupled function at its operating points."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_magnitude, finite_array
from ..errors import InvalidOptionError, InvalidSamplesError
from ._branch import Branch
from ._canonical_form import CanonicalForm, make_canonical_form
from ._description import DescribedTerm, Description, Direction
from ._groups import Group, group_directions, is_curve
from ._interactions import Interaction, find_product, label_block
from ._labels import CurveLabels
from ._linear_model import find_linear_model
from ._names import resolve_names
from ._product_formulas import write_product
from ._terms import OutputTerms, Term, divide_output, find_output_spreads

MIN_DESCRIBED_POINTS = 5
MIN_CURVE_SHARE = 1e-3  # of an output: curves with less are left out of the description
MIN_WEIGHT = 1e-9  # of a direction: smaller entries are zeros
STRONG_CORRELATION = 0.9  # of two inputs
MAX_PAIRS_LISTED = 3  # of correlated inputs


def describe(
    W: Array,
    V: Array,
    branches: Sequence[Branch],
    offset: Array,
    points: Array,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    error: Array | None = None,
    dynamic: bool = False,
) -> Description:
    """Describe the function at the points; ``error`` (n,) is in percent.

    A dynamic model is read as a linear model plus curved remainders.
    """
    inputs = resolve_names("names", names, len(V), "p")
    targets = resolve_names("outputs", outputs, len(W), "f")
    points = _points_in_range(V, branches, points)
    form = make_canonical_form(W, V, branches, offset, points)
    x, spreads = form.standardise(points), find_output_spreads(form, points)
    divided = {
        o: divide_output(form, x, group_directions(form, x, o, float(spreads[o])), o)
        for o in np.flatnonzero(spreads > 0).tolist()
    }
    remainder = {o: _remainder(error, o) for o in divided}
    form, divided = _order_directions(form, divided, remainder)
    z = x @ form.directions.T
    found = tuple(
        _describe_direction(form, d, z[:, d], divided, remainder, inputs, targets)
        for d in range(len(form.directions))
    )
    interactions = _find_interactions(form, x, divided, remainder, inputs, targets)
    terms = {
        targets[o]: _describe_terms(
            form, z, parts, 1 - remainder[o], inputs, targets[o], interactions
        )
        for o, parts in divided.items()
    }
    named_remainder = {targets[o]: share for o, share in remainder.items()}
    return Description(
        inputs,
        targets,
        form.offset,
        form.linear,
        found,
        terms,
        {
            name: float(sum(term.share for term in listed if not term.directions))
            for name, listed in terms.items()
        },
        named_remainder,
        interactions,
        _write_notes(form, points, inputs, correlations=not dynamic),
        form,
        linear_model=find_linear_model(form, points, targets, named_remainder) if dynamic else None,
    )


def check_described_points(points: Any, n_inputs: int) -> Array:
    """The points that a user passed to describe, or an error."""
    if isinstance(points, (list, tuple)) and all(isinstance(part, str) for part in points):
        raise InvalidOptionError(f"points is {points!r}: pass names as names=..., outputs=...")
    table = finite_array("points", points, ndim=2)
    if table.shape[1] != n_inputs:
        raise InvalidSamplesError(
            f"points has {table.shape[1]} columns, the function {n_inputs} inputs"
        )
    if len(table) < MIN_DESCRIBED_POINTS:
        raise InvalidSamplesError(
            f"{len(table)} points say little of a branch: pass at least {MIN_DESCRIBED_POINTS}"
        )
    return check_magnitude("points", table)


def _points_in_range(V: Array, branches: Sequence[Branch], points: Array) -> Array:
    """The points at which all branches are defined."""
    z = points @ V
    g = np.stack([branch(column) for branch, column in zip(branches, z.T, strict=True)])
    inside = np.isfinite(g).all(axis=0)
    if not inside.any():
        raise InvalidSamplesError("no point lies inside the range of all branches: pass others")
    return points[inside]


def _remainder(error: Array | None, output: int) -> float:
    """Share of the variance that is missed; 0 where the error is unknown."""
    if error is None or np.isnan(error[output]):
        return 0.0
    return float(min(1.0, min(float(error[output]), 100.0) / 100) ** 2)


def _order_directions(
    form: CanonicalForm, divided: dict[int, OutputTerms], remainder: dict[int, float]
) -> tuple[CanonicalForm, dict[int, OutputTerms]]:
    """The form and its terms with the directions of the largest shares first."""
    shares = [(1 - remainder[o]) * parts.shares for o, parts in divided.items()]
    largest = np.max(shares, axis=0) if shares else np.zeros(len(form.directions))
    order = np.argsort(-largest.round(9), kind="stable").tolist()
    place = {d: k for k, d in enumerate(order)}
    form = replace(
        form,
        directions=form.directions[order],
        members=tuple(form.members[d] for d in order),
        curves=tuple(form.curves[d] for d in order),
    )
    moved = {
        o: OutputTerms(
            tuple(replace(term, group=_move(term.group, place)) for term in parts.terms),
            parts.slopes[order],
            parts.shares[order],
        )
        for o, parts in divided.items()
    }
    return form, moved


def _move(group: Group | None, place: dict[int, int]) -> Group | None:
    if group is None:
        return None
    return replace(group, directions=tuple(sorted(place[d] for d in group.directions)))


def _describe_direction(
    form: CanonicalForm,
    index: int,
    z: Array,
    divided: dict[int, OutputTerms],
    remainder: dict[int, float],
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Direction:
    entries = form.directions[index]
    heaviest = np.argsort(-np.abs(entries).round(9), kind="stable")
    shares = {o: float((1 - remainder[o]) * parts.shares[index]) for o, parts in divided.items()}
    kept = [o for o, share in shares.items() if share >= MIN_CURVE_SHARE]
    slopes = {o: float(divided[o].slopes[index]) for o in kept}
    curves = {outputs[o]: form.curves[index][o] for o in kept}
    values = {outputs[o]: form.curves[index][o](z) + slopes[o] * z for o in kept}
    return Direction(
        {inputs[l]: float(entries[l]) for l in heaviest if abs(entries[l]) > MIN_WEIGHT},
        curves,
        {outputs[o]: share for o, share in shares.items()},
        {outputs[o]: slope for o, slope in slopes.items()},
        CurveLabels(z, values),
        z,
        form.members[index],
    )


def _find_interactions(
    form: CanonicalForm,
    x: Array,
    divided: dict[int, OutputTerms],
    remainder: dict[int, float],
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> tuple[Interaction, ...]:
    """Blocks of several directions over the same inputs, the largest share first."""
    found: dict[Group, list[tuple[int, Term]]] = {}
    for o, parts in divided.items():
        for term in parts.terms:
            group = term.group
            if group is None or len(group.inputs) == 1 or len(group.directions) == 1:
                continue
            if not is_curve(x @ form.directions[group.directions[0]], term.values):
                found.setdefault(group, []).append((o, term))
    blocks = []
    for group, listed in found.items():
        names = [inputs[l] for l in group.inputs]
        columns = list(group.inputs)
        directions = form.directions[list(group.directions)][:, columns]
        shares = {outputs[o]: (1 - remainder[o]) * term.share for o, term in listed}
        labels, formulas, r2 = {}, {}, {}
        own = x[:, columns]
        for o, term in listed:
            name = outputs[o]
            if shares[name] >= MIN_CURVE_SHARE:
                product = find_product(term.values, directions, own)
                labels[name] = label_block(product, term.values, own, names)
                points = form.mean[columns] + form.spread[columns] * own
                formulas[name] = write_product(product, term.values, points, names)
                r2[name] = 0.0 if product is None else product.r2
        if labels:
            sizes = {outputs[o]: _cancellation(form, x, divided[o], o, term) for o, term in listed}
            found_block = (tuple(names), group.directions, shares, labels, sizes, formulas, r2)
            blocks.append(Interaction(*found_block))
    return tuple(sorted(blocks, key=lambda block: -max(block.shares.values())))


def _cancellation(
    form: CanonicalForm, x: Array, parts: OutputTerms, output: int, term: Term
) -> float:
    """Sum of the variances of the curves of a block over the variance of the block."""
    assert term.group is not None
    total = 0.0
    for d in term.group.directions:
        z = x @ form.directions[d]
        total += float(np.var(form.curves[d][output](z) + parts.slopes[d] * z))
    return total / max(float(np.var(term.values)), 1e-300)


def _describe_terms(
    form: CanonicalForm,
    z: Array,
    parts: OutputTerms,
    explained: float,
    inputs: Sequence[str],
    output: str,
    interactions: Sequence[Interaction],
) -> tuple[DescribedTerm, ...]:
    """The terms of an output, the largest share first."""
    blocks = {block.directions: block for block in interactions if output in block.labels}
    found = []
    for term in parts.terms:
        directions = () if term.group is None else term.group.directions
        block = blocks.get(directions)
        members = term.inputs
        if directions and block is None:  # read along the first direction
            members = tuple(np.flatnonzero(np.abs(form.directions[directions[0]]) > MIN_WEIGHT))
        labels = CurveLabels(z[:, directions[0]], {output: term.values}) if directions else {}
        found.append(
            DescribedTerm(
                tuple(inputs[l] for l in members),
                directions,
                explained * term.share,
                term.line,
                block,
                labels,
            )
        )
    return tuple(sorted(found, key=lambda term: -round(term.share, 9)))


def _write_notes(
    form: CanonicalForm, points: Array, inputs: Sequence[str], correlations: bool
) -> tuple[str, ...]:
    """Constant inputs, and on request those that are strongly correlated."""
    notes = []
    constant = [inputs[l] for l in np.flatnonzero(form.spread == 0).tolist()]
    if constant:
        listed = ", ".join(constant[:MAX_PAIRS_LISTED])
        listed += " and others" if len(constant) > MAX_PAIRS_LISTED else ""
        notes.append(f"Constant at the points, so that their effect is not known: {listed}.")
    if not correlations:
        return tuple(notes)
    x = form.standardise(points)
    correlation = np.triu(x.T @ x / len(x), 1)
    strong = np.argwhere(np.abs(correlation) >= STRONG_CORRELATION)
    strong = strong[np.argsort(-np.abs(correlation[tuple(strong.T)]).round(6), kind="stable")]
    if len(strong):
        pairs = [
            f"{inputs[a]} and {inputs[b]} ({correlation[a, b]:.2f})"
            for a, b in strong[:MAX_PAIRS_LISTED]
        ]
        more = len(strong) - len(pairs)
        also = f" and {more} more pairs" if more > 0 else ""
        notes.append(
            f"Strongly correlated inputs, whose shares cannot be told apart: "
            f"{', '.join(pairs)}{also}."
        )
    return tuple(notes)
