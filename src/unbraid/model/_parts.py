"""Parts of an output: sums of branches, standardised directions and inputs.

The parts of an output add up to it at any point, as long as inputs that are constant at the points
of a description keep their value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._typing import Array
from ._direction_text import join_terms

if TYPE_CHECKING:
    from ._canonical_form import CanonicalForm
    from ._description import DescribedTerm, Description
    from ._function import DecoupledFunction

MAX_STEPS = 10  # terms of an output that are listed one by one
MIN_LINE_SIZE = 1e-4  # of all slopes times spreads: a smaller linear part is no step


@dataclass(frozen=True, eq=False)
class Part:
    """A weighted sum of branches g, directions z and inputs p, and a constant.

    The maps have the weights by position; z_d is a standardised direction of a description.
    """

    branches: Mapping[int, float] = field(default_factory=dict)
    directions: Mapping[int, float] = field(default_factory=dict)
    inputs: Mapping[int, float] = field(default_factory=dict)
    constant: float = 0.0

    def __add__(self, other: Part) -> Part:
        return Part(
            _add(self.branches, other.branches),
            _add(self.directions, other.directions),
            _add(self.inputs, other.inputs),
            self.constant + other.constant,
        )

    def __mul__(self, factor: float) -> Part:
        maps = (self.branches, self.directions, self.inputs)
        g, z, p = ({key: factor * weight for key, weight in part.items()} for part in maps)
        return Part(g, z, p, factor * self.constant)

    def evaluate(self, d: DecoupledFunction, form: CanonicalForm, points: Array) -> Array:
        """The values (N,) of the part."""
        s = d.transform(points)
        g = [branch(column) for branch, column in zip(d.branches, s.T, strict=True)]
        z = (form.standardise(points) @ form.directions.T).T
        pairs = ((self.branches, g), (self.directions, z), (self.inputs, points.T))
        values = np.full(len(points), self.constant)
        for weights, columns in pairs:
            for key, weight in weights.items():
                values += weight * columns[key]
        return values


def _add(first: Mapping[int, float], second: Mapping[int, float]) -> dict[int, float]:
    total = dict(first)
    for key, weight in second.items():
        total[key] = total.get(key, 0.0) + weight
    return {key: weight for key, weight in total.items() if weight != 0}


class Step(NamedTuple):
    """A part of an output with its name."""

    name: str
    part: Part


def curve_part(form: CanonicalForm, d: int, output: int, slope: float = 0.0) -> Part:
    """The curve of an output along a direction, with a slope."""
    curve = form.curves[d][output]
    branches = zip(form.members[d], curve.weights.tolist(), strict=True)
    return Part(
        {i: weight for i, weight in branches if weight != 0},
        {d: slope - float(curve.slope)},
        constant=-float(curve.level),
    )


def curves_part(description: Description, output: str, term: DescribedTerm) -> Part:
    """The curves of a term with their slopes, without those of single inputs."""
    form, o = description.form, description.outputs.index(output)
    total = Part()
    for d in term.directions:
        slope = description.directions[d].slopes.get(output, 0.0)
        total += curve_part(form, d, o, slope)
    return total


def line_part(form: CanonicalForm, line: Array) -> Part:
    """``line . x`` in standardised inputs x."""
    used = [int(l) for l in np.flatnonzero(line) if form.spread[l] > 0]
    slopes = {l: float(line[l] / form.spread[l]) for l in used}
    return Part(inputs=slopes, constant=-float(sum(s * form.mean[l] for l, s in slopes.items())))


def term_part(description: Description, output: str, term: DescribedTerm) -> Part:
    """A term of an output: its curves, and its linear part."""
    return curves_part(description, output, term) + line_part(description.form, term.line)


def axis_part(form: CanonicalForm, axis: Array) -> Part:
    """``axis . x`` in standardised inputs; along a single input its own value."""
    used = np.flatnonzero(axis)
    return Part(inputs={int(used[0]): 1.0}) if len(used) == 1 else line_part(form, axis)


def divide_steps(d: DecoupledFunction, description: Description, output: str) -> list[Step]:
    """Offset, linear part and terms of an output, which add up to it.

    Terms with the largest share come first. The offset is the value at the mean of the inputs, less
    the means of the curves.
    """
    form, o = description.form, description.outputs.index(output)
    offset = Part(constant=float(form.offset[o] + form.linear[o] @ form.mean))
    terms = description.terms.get(output, ())
    curved = [step for term in terms for step in _divide_term(description, output, term)]
    line = _sum([line_part(form, term.line) for term in terms if _is_divided(term, output)])
    if curved and _is_negligible(form, line, form.linear[o]):
        curved[0] = Step(curved[0].name, curved[0].part + line)
        line = Part()
    steps = [Step("offset", offset)]
    if line.inputs:
        steps.append(Step("linear part", line))
    steps += curved[:MAX_STEPS]
    whole = Part(dict(enumerate(d.W[o].tolist())), constant=float(d.offset[o]))
    rest = whole + _sum([step.part for step in steps]) * -1.0
    if len(curved) > MAX_STEPS or _has_curves(rest, description):
        steps.append(Step("other terms", rest))
    return steps


def _sum(parts: Sequence[Part]) -> Part:
    return sum(parts, Part())


def _is_negligible(form: CanonicalForm, line: Part, linear: Array) -> bool:
    """Whether a linear part is rounding beside the slopes and spreads of an output."""
    effects = [abs(slope) * form.spread[l] for l, slope in line.inputs.items()]
    return bool(sum(effects) < MIN_LINE_SIZE * float(np.abs(linear) @ form.spread))


def _has_curves(part: Part, description: Description) -> bool:
    """Whether a part has branches beside those that are straight lines."""
    curved = {i for direction in description.directions for i in direction.branches}
    return any(i in curved for i in part.branches)


def _is_divided(term: DescribedTerm, output: str) -> bool:
    """Whether the linear part of a term is not part of one step with its curves."""
    if not term.directions:
        return True
    return term.interaction is not None and term.interaction.has_readable_curves(output)


def _divide_term(description: Description, output: str, term: DescribedTerm) -> list[Step]:
    """A term as one step, or one per direction where its curves can be read."""
    if not term.directions:
        return []
    form, o = description.form, description.outputs.index(output)
    if not _is_divided(term, output):
        names = None if term.interaction is None else join_terms(list(term.inputs))
        name = description.directions[term.directions[0]].text if names is None else names
        return [Step(name, term_part(description, output, term))]
    directions = ((d, description.directions[d]) for d in term.directions)
    return [
        Step(part.text, curve_part(form, d, o, part.slopes.get(output, 0.0)))
        for d, part in directions
    ]
