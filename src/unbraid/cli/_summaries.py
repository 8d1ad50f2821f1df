"""What is said of a model: in words, and as a document for other programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import counted
from ..model._description import Description, checked_names
from ..model._error_summary import missed
from ..model._function import DecoupledFunction
from ..solvers._base import NOT_UNIQUE
from ._output import percent, size


def described(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> Description | None:
    """The branches in words; none where they keep no points."""
    if any(branch.estimate is None for branch in d.branches):
        return None
    return replace(d.describe(names=names, outputs=outputs), missed=None)  # which is said above


def check_names(
    n_inputs: int, n_outputs: int, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> None:
    """Refuse names that do not fit before any work is done."""
    checked_names("names", names, n_inputs, "p")
    checked_names("output names", outputs, n_outputs, "f")


def summary(
    d: DecoupledFunction,
    names: Sequence[str] | None,
    outputs: Sequence[str] | None,
    cross_validated: float | None = None,
) -> str:
    """A few lines: sizes, errors, and the branches in words."""
    lines = [
        f"{counted(d.n_inputs, 'input')}, {counted(d.n_outputs, 'output')}, "
        f"{counted(d.n_branches, 'branch', 'es')}, {counted(d.n_parameters, 'number')}"
    ]
    if d.fitted_error is not None or d.held_out_error is not None:
        text = f"error: {percent(d.fitted_error)} fitted"
        if cross_validated is not None:
            text += f", {percent(cross_validated)} cross-validated"
        elif d.held_out_error is not None:
            text += f", {percent(d.held_out_error)} on points held out"
        lines.append(text)
        error = d.fitted_error if d.held_out_error is None else d.held_out_error
        lines += poor(cross_validated or error, outputs or d.output_names)
    if cross_validated is None:  # else it is that of the model fitted first, not of the data
        lines += _worth(d)
    words = described(d, names, outputs)
    return "\n".join([*lines, "", str(words)] if words is not None else lines)


def _worth(d: DecoupledFunction) -> list[str]:
    """Are the directions facts, or one choice of many?"""
    if d.solution is None:
        return []
    unique = [part for part in d.solution.diagnosis.split("; ") if part.startswith(NOT_UNIQUE)]
    worth = d.solution.details.get("worth")
    return unique or ([worth] if worth else [])


def poor(error: float | Array | None, names: Sequence[str] | None = None) -> list[str]:
    """A plain word where the error, or that of one output, is too large to mean much.

    >>> poor(37.2), poor([0.4, 12.0])
    (['a poor approximation: 37.2 % of the outputs is missed'],
     ['a poor approximation: 12 % of f2 is missed'])
    """
    found = None if error is None else missed(np.atleast_1d(error), names)
    if found is None:
        return []
    if not math.isfinite(found[1]):
        return ["a poor approximation: it runs off"]
    return [f"a poor approximation: {size(found[1])} % of {found[0]} is missed"]


def document(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> dict[str, Any]:
    """The same for a program."""
    words = described(d, names, outputs)
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
        "words": None if words is None else words.words,
        "branches": [] if words is None else _branches(words),
        "W": d.W,
        "V": d.V,
        "offset": d.offset,
        "diagnosis": None if d.solution is None else d.solution.diagnosis,
        "origin": getattr(d, "origin", ""),
    }


def _branches(words: Description) -> list[dict[str, Any]]:
    """Every branch, the one that contributes most first."""
    return [
        {
            "branch": b.index + 1,
            "share": b.share,
            "shape": b.shape.words,
            "r2": b.shape.r2,
            "formula": b.shape.formula,
            "interval": b.interval,
            "range": b.range,
            "direction": dict(b.inputs),
        }
        for b in words.branches
    ]
