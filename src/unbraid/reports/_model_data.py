"""Models as data for the script of the page, which evaluates them itself."""

from typing import Any

import numpy as np

from ..bases._piecewise import Pieces
from ..export._formula import (
    Bumps,
    Formula,
    FunctionFormula,
    Harmonics,
    Legendre,
    Smooth,
    translate_function,
)
from ..export._step_model import StepModel
from ..model._function import DecoupledFunction
from ..model._parts import Part
from .charts._values import pack


def function_data(d: DecoupledFunction) -> dict[str, Any]:
    """Return a function as plain data; branches of Python functions are refused.

    ``intervals`` are the ranges of the data of the branches.
    """
    intervals = [list(map(float, branch.interval)) for branch in d.branches]
    return {**_formula_data(translate_function(d)), "intervals": intervals}


def step_data(step: StepModel) -> dict[str, Any]:
    """Return a dynamic model as the equations of one sample."""
    bounds = None if step.bounds is None else np.transpose(step.bounds)
    return {
        "map": _formula_data(step.formula),
        "arguments": step.arguments,
        "updates": step.updates,
        "sizes": [step.n_states, step.n_inputs, step.n_outputs],
        "bounds": None
        if bounds is None
        else [[None if np.isinf(b) else float(b) for b in pair] for pair in bounds],
    }


def part_data(part: Part) -> dict[str, Any]:
    """Return the weights of a part of an output."""
    maps = {"g": part.branches, "z": part.directions, "p": part.inputs}
    listed = {key: [[i, w] for i, w in weights.items()] for key, weights in maps.items() if weights}
    return {**listed, "c": part.constant} if part.constant else listed


def _formula_data(formula: FunctionFormula) -> dict[str, Any]:
    """Return matrices row by row, V transposed, in double precision."""
    return {
        "sizes": [formula.n_inputs, formula.n_outputs, formula.n_branches],
        "V": pack(formula.V.T, "f8"),
        "W": pack(formula.W, "f8"),
        "offset": pack(formula.offset, "f8"),
        "linear": None if formula.linear is None else pack(formula.linear, "f8"),
        "branches": [_branch_data(branch) for branch in formula.branches],
    }


def _branch_data(formula: Formula) -> dict[str, Any]:
    curve, tails = formula.curve, formula.tails
    if isinstance(curve, Pieces):
        content: dict[str, Any] = {
            "kind": "pieces",
            "breaks": pack(curve.breaks[:-1], "f8"),
            "table": pack(curve.coefficients.T, "f8"),
        }
    else:
        content = _smooth_data(curve)
    if tails is not None:
        content["tails"] = [tails.low, tails.high, tails.low_slope, tails.high_slope]
    if formula.bounds is not None:
        content["bounds"] = list(map(float, formula.bounds))
    return content


def _smooth_data(curve: Smooth) -> dict[str, Any]:
    """Return a curve of ``t = (z - low) rate - 1``."""
    frame: dict[str, Any] = {"low": float(curve.low), "rate": float(curve.rate)}
    if isinstance(curve, Legendre):
        return {"kind": "legendre", **frame, "c": pack(curve.coefficients, "f8")}
    if isinstance(curve, Harmonics):
        rows = np.column_stack([curve.frequencies, curve.sines, curve.cosines])
        return {"kind": "waves", **frame, "line": float(curve.line), "rows": pack(rows, "f8")}
    assert isinstance(curve, Bumps)
    rows = np.column_stack([curve.centres, curve.heights])
    return {"kind": "bumps", **frame, "width": float(curve.width), "rows": pack(rows, "f8")}
