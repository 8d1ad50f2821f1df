"""Summaries of a model: as text, and as a JSON document."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import count_noun
from ..model._data_fit import remove_noise
from ..model._description import Description
from ..model._error_summary import worst_output_error
from ..model._fit_record import NOT_CONVERGED
from ..model._function import DecoupledFunction
from ..model._names import resolve_names
from ._output import format_error, format_errors

MAX_SENTENCES = 3  # of a summary; the others are those of `unbraid show`


def describe_model(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> Description | None:
    """The function in words; None if it keeps no points."""
    if d.points is None:
        return None
    return replace(d.describe(names=names, outputs=outputs), missed=None)  # printed before


def summarise_function(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None, file: Path
) -> str:
    """The first sentences of a description; ``file`` has the model."""
    description = describe_model(d, names, outputs)
    lines = [] if description is None else description.words.split("\n")[:MAX_SENTENCES]
    return "\n".join([*lines, f"`unbraid show {file}` prints all terms and their curves."])


def check_name_counts(
    n_inputs: int, n_outputs: int, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> None:
    """Raise an error before the work if the number of names is wrong."""
    resolve_names("names", names, n_inputs, "p")
    resolve_names("output names", outputs, n_outputs, "f")


def format_summary(
    d: DecoupledFunction,
    names: Sequence[str] | None,
    outputs: Sequence[str] | None,
    cross_validated: float | None = None,
) -> str:
    """A few lines: sizes, errors, and the function in words."""
    lines = [
        f"{count_noun(d.n_inputs, 'input')}, {count_noun(d.n_outputs, 'output')}, "
        f"{count_noun(d.n_branches, 'branch', 'es')}, {count_noun(d.n_parameters, 'parameter')}"
    ]
    if d.fitted_error is not None or d.held_out_error is not None:
        text = f"error: {format_errors(d.fitted_error)} fitted"
        if cross_validated is not None:
            text += f", {format_errors(cross_validated)} cross-validated"
        elif d.held_out_error is not None:
            text += f", {format_errors(d.held_out_error)} on new points"
        lines.append(text)
        error = d.largest_error
        error = None if error is None else remove_noise(error, d.noise)
        lines += describe_poor_fit(error, outputs or d.output_names)
    if d.converged is False:
        lines.append(NOT_CONVERGED)
    if cross_validated is None:  # else the solution is of the model fitted first, not of the data
        lines += _describe_identification(d)
    description = describe_model(d, names, outputs)
    return "\n".join(lines if description is None else [*lines, "", str(description)])


def _describe_identification(d: DecoupledFunction) -> list[str]:
    """Whether W and V are determined, in one line."""
    if d.solution is None:
        return []
    if d.solution.unique is False:
        return [d.solution.remark]
    return [] if d.solution.uncertainty is None else [d.solution.uncertainty.sentence]


def describe_poor_fit(error: float | Array | None, names: Sequence[str] | None = None) -> list[str]:
    """Return a line if the mean error in %, or that of one output, is large.

    >>> describe_poor_fit(37.2), describe_poor_fit([0.4, 12.0])
    (['a poor approximation: 37.2 % of the outputs is missed'],
     ['a poor approximation: 12 % of f2 is missed'])
    """
    found = None if error is None else worst_output_error(np.atleast_1d(error), names)
    if found is None:
        return []
    if not math.isfinite(found[1]):
        return ["a poor approximation: it diverges"]
    what = found[0] or "the outputs"
    return [f"a poor approximation: {format_error(found[1])} % of {what} is missed"]


def make_document(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> dict[str, Any]:
    """The entries of a model in a JSON document."""
    description = describe_model(d, names, outputs)
    return {
        "n_inputs": d.n_inputs,
        "n_outputs": d.n_outputs,
        "n_branches": d.n_branches,
        "n_parameters": d.n_parameters,
        "degrees_of_freedom": d.degrees_of_freedom,
        "input_names": d.input_names,
        "output_names": d.output_names,
        "fitted_error": d.fitted_error,
        "held_out_error": d.held_out_error,
        "held_out_error_se": d.held_out_error_se,
        "held_out_error_inside": d.held_out_error_inside,
        "noise": d.noise,
        "words": None if description is None else description.words,
        **({} if description is None else _make_entries(description)),
        "W": d.W,
        "V": d.V,
        "offset": d.offset,
        "diagnosis": None if d.solution is None else d.solution.diagnosis,
        "origin": getattr(d, "origin", ""),
    }


def _make_entries(description: Description) -> dict[str, Any]:
    """The canonical form: linear part, directions with their shapes, shares."""
    return {
        "notes": description.notes,
        "linear": description.linear,
        "linear_shares": dict(description.linear_shares),
        "remainder": dict(description.remainder),
        "interactions": [
            {"inputs": block.inputs, "shares": dict(block.shares), "labels": dict(block.labels)}
            for block in description.interactions
        ],
        "directions": [
            {
                "weights": dict(direction.weights),
                "shares": dict(direction.shares),
                "branches": [i + 1 for i in direction.branches],
                "shapes": {
                    output: {"label": str(label), "r2": label.r2, "formula": label.formula}
                    for output, label in direction.labels.items()
                },
            }
            for direction in description.directions
        ],
    }
