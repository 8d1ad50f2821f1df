"""What a model amounts to, in a sentence, and whether it is any good."""

from __future__ import annotations

import numpy as np

from .._typing import Array
from .._util.validation import counted
from ..model._error_summary import ALL_OUTPUTS, POOR, mean_error, missed
from ..solvers._base import NOT_SETTLED
from ._markup import Markup, tag
from ._numbers import counting, percent
from ._views import ModelView

GOOD = 1.0  # percent


def known_error(values: Array) -> float:
    """Mean of the outputs whose error is known; NaN where none is.

    >>> known_error(np.array([1.0, 3.0, np.nan])), known_error(np.array([np.nan]))
    (2.0, nan)
    """
    known = values[~np.isnan(values)]
    return mean_error(known) if known.size else float("nan")


def claim(view: ModelView) -> str:
    """Branches, numbers and error in one sentence."""
    d = view.function
    text = f"{counted(d.n_branches, 'branch', 'es')}, {counting(d.n_parameters)} numbers"
    coupled = view.coupled_parameters
    if coupled is not None and coupled >= d.n_parameters:
        text += f" instead of {counting(coupled)}"
    elif coupled is not None:
        text += f" (the model itself has {counting(coupled)})"
    if view.telling is None:
        return text + "; how far it is off was not measured."
    return f"{text}, {view.telling.name} {percent(known_error(view.telling.values))}."


def _explained(error: float) -> str:
    """The same as a share of the variance.

    >>> _explained(50.0), _explained(120.0)
    (' (R² = 0.75)', '')
    """
    return f" (R² = {1 - (error / 100) ** 2:.2f})" if error < 100 else ""


def verdict(view: ModelView) -> Markup | None:
    """A plain word of warning where the model is poor, runs off or misses a constant."""
    if view.telling is None:
        return None
    errors = view.telling.values
    error = known_error(errors)
    if np.isnan(error):
        return notice("Its error is not known: nothing below says whether it can be trusted.")
    if view.simulation is not None and not np.all(np.isfinite(errors)):
        return notice("This model runs off in simulation. Do not use it as it is.")
    found = missed(np.where(np.isnan(errors), 0.0, errors), view.outputs.short)
    if found is not None:
        what, error = found
        average, their = ("on average ", "their") if what == ALL_OUTPUTS else ("", "its")
        size = "by more than can be said" if np.isinf(error) else f"by {percent(error)}"
        return notice(
            f"This is a poor approximation: {average}it misses {what} {size} of {their} "
            f"spread{_explained(error)}. Noise in the data counts, too. Read the branches below "
            f"as a rough sketch.{'' if _settled(view) else ' ' + NOT_SETTLED}"
        )
    if not _settled(view):
        return notice(NOT_SETTLED)
    if not np.all(np.isfinite(errors)):
        off = [n for n, e in zip(view.outputs.short, errors, strict=True) if np.isinf(e)]
        return notice(f"Constant outputs are missed: {', '.join(off[:6])}.")
    return None


def _settled(view: ModelView) -> bool:
    return NOT_SETTLED not in view.function.origin


def grade(view: ModelView) -> str:
    """For the colour of the number: good, fair or poor."""
    error = np.nan if view.telling is None else known_error(view.telling.values)
    if np.isnan(error):
        return "unknown"
    return "poor" if error >= POOR else "good" if error < GOOD else "fair"


def notice(text: str) -> Markup:
    """A sentence that must not be missed."""
    return tag("p", text, class_="notice", role="note")
