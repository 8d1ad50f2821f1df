"""A linear model plus curved remainders: how dynamic models are read.

Lagged signals are strongly correlated, so that shares of single inputs say little. The linear part
is one term here, and every direction adds its curve without mean and slope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._typing import Array
from ._description_text import (
    MAX_SENTENCE_TERMS,
    MIN_TABLE_SHARE,
    MIN_UNEXPLAINED,
    TableRow,
)
from ._direction_text import MAX_INPUTS_IN_TEXT, format_percent, join_terms
from ._labels import CurveLabels, ShapeLabel, phrase_label
from ._shape_texts import number
from ._shares import lmg_shares

if TYPE_CHECKING:
    from ._canonical_form import CanonicalForm
    from ._description import Description

MIN_SLOPE_SIZE = 1e-3  # of the largest effect of an input: smaller slopes are left out
MAX_FORMULA_INPUTS = 8
MIN_REMAINDER_SHARE = 1e-6  # of an output: smaller remainders are not mentioned


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Shares of the linear part and of the curved remainders, by output.

    ``remainders[output]`` has the positions of directions with their shares, the largest first.
    ``labels[d]`` has the shapes of the remainders along a direction.
    """

    shares: Mapping[str, float]
    remainders: Mapping[str, Sequence[tuple[int, float]]]
    labels: Sequence[Mapping[str, ShapeLabel]]


def find_linear_model(
    form: CanonicalForm, points: Array, outputs: Sequence[str], remainder: Mapping[str, float]
) -> LinearModel:
    """Divide every output into its linear part and the curves of its directions."""
    z = form.standardise(points) @ form.directions.T
    shares, remainders = {}, {}
    values: list[dict[str, Array]] = [{} for _ in form.directions]
    for o, output in enumerate(outputs):
        if output not in remainder:  # constant
            continue
        curves = [form.curves[d][o](z[:, d]) for d in range(len(form.directions))]
        parts = np.column_stack([points @ form.linear[o], *curves])
        found = (1 - remainder[output]) * lmg_shares(parts)
        shares[output] = float(found[0])
        order = np.argsort(-found[1:].round(12), kind="stable").tolist()
        kept = [(d, float(found[1 + d])) for d in order if found[1 + d] >= MIN_REMAINDER_SHARE]
        remainders[output] = kept
        for d, _ in kept:
            values[d][output] = curves[d]
    labels = [CurveLabels(z[:, d], values[d]) for d in range(len(values))]
    return LinearModel(shares, remainders, labels)


def write_linear_sentence(description: Description, model: LinearModel, output: str) -> str:
    """An output as a linear model and its remainders, in one sentence."""
    if output not in model.shares:
        return f"{output} is constant."
    names = _heaviest_inputs(description, output)
    more = len(names) - MAX_INPUTS_IN_TEXT
    named = [*names[:MAX_INPUTS_IN_TEXT], *([f"{more} more"] if more > 0 else [])]
    text = f"{output} is a linear model"
    if named:
        text += f" of {join_terms(named)}"
    text += f" ({format_percent(model.shares[output])})"
    phrases = [
        f"{phrase_label(model.labels[d][output])} {description.directions[d].text} "
        f"({format_remainder(share)})"
        for d, share in model.remainders[output][: MAX_SENTENCE_TERMS - 1]
    ]
    if phrases:
        text += f", plus {join_terms(phrases)}"
    left = description.remainder[output]
    return f"{text}; {format_percent(left)} unexplained." if left >= MIN_UNEXPLAINED else f"{text}."


def list_linear_rows(description: Description, model: LinearModel) -> list[TableRow]:
    """The linear part and the remainders of every output as rows of a table."""
    rows = []
    for output, share in model.shares.items():
        formula = _format_linear(description, output)
        rows.append(TableRow(format_percent(share), output, "linear", "linear", "", formula))
        for d, part in model.remainders[output]:
            shape = model.labels[d][output]
            term = f"z{d + 1} = {description.directions[d].text}"
            cells = (term, shape, f"{shape.r2:.4f}", shape.formula or "")
            rows.append(TableRow(format_remainder(part), output, *cells))
        left = description.remainder[output]
        if left >= MIN_TABLE_SHARE:
            rows.append(TableRow(format_percent(left), output, "", "unexplained", "", ""))
    return rows


def format_remainder(share: float) -> str:
    """A share in percent; small ones with a digit, since they matter in a simulation.

    >>> format_remainder(0.03), format_remainder(0.00042)
    ('3 %', '0.04 %')
    """
    return format_percent(share) if share >= MIN_TABLE_SHARE else f"{100 * share:.1g} %"


def _heaviest_inputs(description: Description, output: str) -> list[str]:
    """Inputs by the size of their linear effect, without those that hardly have any."""
    form, o = description.form, description.outputs.index(output)
    effects = np.abs(form.linear[o] * form.spread)
    order = np.argsort(-effects.round(12), kind="stable")
    least = MIN_SLOPE_SIZE * float(effects.max(initial=0.0))
    return [description.inputs[l] for l in order if effects[l] > least]


def _format_linear(description: Description, output: str) -> str:
    """The linear part in the units of the inputs, with its constant."""
    form, o = description.form, description.outputs.index(output)
    slopes = dict(zip(description.inputs, form.linear[o].tolist(), strict=True))
    names = _heaviest_inputs(description, output)
    text = ""
    for name in names[:MAX_FORMULA_INPUTS]:
        text += f" {'-' if slopes[name] < 0 else '+'} {number(abs(slopes[name]))} {name}"
    text += " + ..." if len(names) > MAX_FORMULA_INPUTS else ""
    offset = float(form.offset[o])
    text += f" {'-' if offset < 0 else '+'} {number(abs(offset))}"
    return text.removeprefix(" + ").replace(" - ", "-", 1 if text.startswith(" - ") else 0)
