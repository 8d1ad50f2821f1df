"""The equations of a model: outputs, directions, branches."""

import numpy as np

from .._util.markup import Markup, tag
from ._extrapolation_text import describe_extrapolation
from ._mathml import (
    STORED_VARIABLE,
    align_equations,
    parenthesise,
    row,
    subscript,
    symbol,
    weighted_sum,
    write_branch,
)
from ._model_view import ModelView

MOST_EQUATIONS = 12  # equations of outputs
MOST_EQUATION_INPUTS = 12  # inputs in the equation of an s
Line = tuple[Markup, str, Markup]


def write_equations(view: ModelView) -> Markup:
    """Return all equations in a scrollable box, and a note on what they leave out."""
    branches = _write_branches(view)
    box = tag(
        "div",
        align_equations([*_write_outputs(view), *_write_directions(view), *branches]),
        class_="scroll math",
        tabindex="0",
        role="group",
        aria_label="the formula",
    )
    return tag("div", box, tag("p", _write_note(view, branches), class_="note"))


def _write_note(view: ModelView, branches: list[Line]) -> str:
    parts = [
        "The stored form, in the units of the inputs: branch gᵢ is a function of sᵢ, a sum of "
        "inputs as they are. The z of the table and of the terms are standardised and numbered by "
        "share; the table says what each of them adds."
    ]
    if view.function.n_outputs > MOST_EQUATIONS:
        parts.append(f"And {view.function.n_outputs - MOST_EQUATIONS} more outputs.")
    if any(sign == "≈" for _, sign, _ in branches):
        parts.append("g ≈ is the simple shape nearest to a branch of many pieces or terms.")
    kinds = {branch.extrapolate for branch in view.function.branches}
    if kinds - {"basis"}:
        rule = describe_extrapolation(view.function)
        parts.append(f"{rule[0].upper()}{rule[1:]}.")
    return " ".join(parts)


def _write_outputs(view: ModelView) -> list[Line]:
    d = view.function
    numbers = range(1, d.n_branches + 1)
    calls = [row(subscript("g", i), *parenthesise(subscript(STORED_VARIABLE, i))) for i in numbers]
    return [
        (symbol(name), "=", weighted_sum([(level, None), *zip(weights, calls, strict=True)]))
        for name, level, weights in zip(
            view.outputs.short[:MOST_EQUATIONS], d.offset.tolist(), d.W.tolist(), strict=False
        )
    ]


def _write_directions(view: ModelView) -> list[Line]:
    """Return every s as a sum of its heaviest inputs, in their original order."""
    d = view.function
    spread = np.ones(d.n_inputs) if d.spread is None else d.spread
    lines = []
    for i, direction in enumerate(d.V.T, 1):
        order = np.argsort(-np.abs(direction) * spread, kind="stable")
        chosen = sorted(order[:MOST_EQUATION_INPUTS].tolist())
        terms = [(float(direction[l]), symbol(view.inputs.short[l])) for l in chosen]
        lines.append(
            (subscript(STORED_VARIABLE, i), "=", weighted_sum(terms, d.n_inputs - len(chosen)))
        )
    return lines


def _write_branches(view: ModelView) -> list[Line]:
    lines = []
    for b in sorted(view.branches, key=lambda b: b.index):
        left = row(subscript("g", b.index + 1), *parenthesise(tag("mi", STORED_VARIABLE)))
        lines.append((left, *write_branch(view.function.branches[b.index], b.shape.formula)))
    return lines
