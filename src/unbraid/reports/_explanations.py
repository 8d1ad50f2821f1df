"""Notes on what the sentences and cards of a model show."""

import numpy as np

from .._util.validation import count_noun
from ..model._panels import ContourPanel, CurvePanel
from ._model_view import ModelView
from ._number_format import format_percent
from ._summary import mean_known_error

SUM_OF_TERMS = (
    "Each output is the sum of its terms: curves along directions, which are combinations of the "
    "inputs."
)
NO_BREAK = "\u00a0"  # a space at which no line ends
LEAST_RELATED_PERCENT = 0.1  # errors below are not related to shares by an example
LINEAR_TERMS = (
    "Each output is a linear model of past inputs and outputs plus curved remainders, which have "
    "no mean and no slope."
)


def explain_shares(view: ModelView) -> str:
    """Return how shares in the variance are related to errors."""
    text = "Shares are of the variance of an output, errors are rms over its standard deviation"
    error = np.nan if view.main_errors is None else mean_known_error(view.main_errors.values)
    if not LEAST_RELATED_PERCENT <= error < np.inf:
        return f"{text}."
    square = format_percent(error**2 / 100)
    example = f"an error of {format_percent(error)} is {square} of the variance"
    return f"{text}: {example.replace(' %', NO_BREAK + '%')}."


def explain_terms(view: ModelView) -> str:
    """Return what the cards of the terms show."""
    d, curves = view.function, [p for p in view.panels if isinstance(p, CurvePanel) and p.x.size]
    directions = len(view.description.directions)
    parts = [LINEAR_TERMS] if view.dynamic else [SUM_OF_TERMS]
    if not view.dynamic and 0 < directions < d.n_branches:
        parts.append(
            f"The {count_noun(d.n_branches, 'branch', 'es')} of the formula lie along "
            f"{count_noun(directions, 'direction')} z; branches along one are one curve."
        )
    if curves:
        line = "the remainder" if view.dynamic else "the curve, with the linear part along it"
        parts.append(f"Line: {line}; panels of one output have the same scale.")
        parts += _explain_bands(curves)
        parts.append("At the bottom: histogram of the data.")
    if any(isinstance(p, ContourPanel) for p in view.panels):
        parts.append("Maps: colours show the contribution, dots the data.")
    if view.uniform_z:
        parts.append(
            "The function keeps no points: shares of the variance are those at points at which "
            "every z is about uniform."
        )
    return " ".join(part for part in parts if part)


def _explain_bands(curves: list[CurvePanel]) -> list[str]:
    """Return what shaded areas and dots are, where there are some."""
    parts = []
    bands = [(p.band, p.y) for p in curves if p.band is not None and np.any(p.band > 0)]
    if bands:
        wide = any(np.any(band > np.ptp(y)) for band, y in bands)
        grey = ", grey where the data do not determine the curve" * wide
        parts.append(f"Shaded: twice the standard error{grey}.")
    if any(p.marks is not None and len(p.marks) for p in curves):
        parts.append("Dots: the estimate at the data, where a curve is a single branch.")
    return parts
