"""Whether a model may be read: its error, identification, range and noise."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from .._typing import Array
from .._util.markup import Markup, tag
from ..dynamics._validation import Validation
from ..dynamics._validation_text import SMALLEST_P
from ..model._data_fit import remove_noise
from ..model._error_summary import POOR_PERCENT
from ..model._fit_record import NOT_CONVERGED
from ._extrapolation_text import describe_extrapolation
from ._model_view import ModelView
from ._number_format import format_number, format_percent, format_share
from ._page_view import PageView
from ._state_view import StateView
from ._summary import GOOD_ERROR_PERCENT, find_misfit, mean_known_error

LARGE_SHARE_OUTSIDE = 0.01  # of the points given: above it, the model extrapolates


class Level(Enum):
    """How a check ended; the value of a member is its class in the style sheet."""

    GOOD = "good"
    NOTE = "note"
    FAIR = "fair"
    POOR = "poor"

    @property
    def mark(self) -> str:
        return {Level.GOOD: "✓", Level.NOTE: "○", Level.FAIR: "!", Level.POOR: "✕"}[self]


VERDICT_TEXTS = {
    Level.GOOD: "This model may be read as it is.",
    Level.NOTE: "This model may be read as it is.",
    Level.FAIR: "Read this model with care.",
    Level.POOR: "Do not rely on this model as it is.",
}


@dataclass(frozen=True)
class Check:
    """One reason for or against reading a model; at most one of every kind."""

    kind: str
    level: Level
    title: str
    text: str


def show_verdict(view: PageView, *, brief: bool = False) -> Markup:
    """Return whether the model may be read, and the reasons unless it is brief."""
    checks = list_checks(view)
    worst = max((check.level for check in checks), key=list(Level).index, default=Level.NOTE)
    verdict = tag("p", VERDICT_TEXTS[worst], class_=f"verdict {worst.value}")
    if brief:
        return verdict
    items = [
        tag(
            "li",
            tag("span", check.level.mark, class_="mark-of", aria_hidden="true"),
            tag("span", tag("b", f"{check.title}: "), check.text),
            class_=f"check {check.level.value}",
            data_check=check.kind,
        )
        for check in checks
    ]
    return tag("div", verdict, tag("ul", items, class_="checks"), class_="judgement")


def list_checks(view: PageView) -> list[Check]:
    """Return the checks of a model, in the order in which they matter."""
    found = [_check_error(view), _check_convergence(view)]
    if isinstance(view, ModelView):
        found += [_check_proof(view), _check_identified(view), _check_range(view)]
        found += [] if view.dynamic else [_check_noise(view)]
    if view.dynamic:
        found += [_check_stability(view), _check_residuals(view), _check_record_range(view)]
    return [check for check in found if check is not None]


def _check_error(view: PageView) -> Check:
    problem = find_misfit(view)
    if problem is not None:
        return Check("error", Level.POOR, "Error", problem)
    if view.main_errors is None:
        return Check(
            "error", Level.FAIR, "Error", "not measured: nothing here shows how good the model is."
        )
    errors = view.main_errors.values
    beside = remove_noise(errors, None if view.dynamic else view.noise)
    text = f"{view.main_errors.name} {format_percent(mean_known_error(errors))} of the spread"
    if view.noise is not None and not view.dynamic:
        text += f", {format_percent(mean_known_error(beside))} beside the noise"
    good = mean_known_error(beside) < GOOD_ERROR_PERCENT
    return Check("error", Level.GOOD if good else Level.FAIR, "Error", f"{text}.")


def _check_convergence(view: PageView) -> Check | None:
    return (
        Check("convergence", Level.POOR, "Fit", NOT_CONVERGED) if view.converged is False else None
    )


def _check_proof(view: ModelView) -> Check | None:
    count = view.description.n_unproven
    if count is None:
        return None
    text = f"{count} points are too few to know the error at others."
    return Check("points", Level.FAIR, "Points", text)


def _check_identified(view: ModelView) -> Check:
    """Whether the data determine directions and curves, or only the function."""
    fit = view.function.fit
    identified = None if fit is None else fit.identified
    if fit is not None and fit.unique is False:
        identified = False
    if identified:
        return Check(
            "identified", Level.GOOD, "Identified", "the data determine directions and curves."
        )
    if identified is None:
        text = "whether other directions and curves fit as well was not tested."
        return Check("identified", Level.FAIR, "Not known to be identified", text)
    text = (
        "other directions and curves fit as well. Use the outputs, but do not read single curves."
    )
    return Check("identified", Level.FAIR, "Not identified", text)


def _check_range(view: ModelView) -> Check | None:
    """How many of the points given are beyond the data of the fit."""
    rule = describe_extrapolation(view.function)
    share = find_share_outside(view)
    if view.dynamic or share is None:
        return None if view.dynamic else Check("range", Level.NOTE, "Range", f"{rule}.")
    if share > LARGE_SHARE_OUTSIDE:
        text = f"{format_share(share)} of the points given are beyond the data of the fit; {rule}."
        return Check("range", Level.FAIR, "Extrapolating", text)
    return Check(
        "range", Level.GOOD, "Range", f"the points given are within the data of the fit; {rule}."
    )


def find_share_outside(view: ModelView) -> float | None:
    """Return the share of the points given that leave the range of a branch."""
    if view.z is None:
        return None
    ends: Array = np.array([branch.interval for branch in view.function.branches]).T
    low, high = ends if ends.size else (np.zeros(0), np.zeros(0))
    room = 1e-9 * (high - low)
    return float(np.mean(np.any((view.z < low - room) | (view.z > high + room), axis=1)))


def _check_noise(view: ModelView) -> Check | None:
    if view.noise is None:
        return None
    size = float(np.mean(view.noise))
    text = f"about {format_percent(size)} of the spread of the outputs."
    return Check(
        "noise", Level.FAIR if size >= POOR_PERCENT else Level.GOOD, "Noise of the data", text
    )


def _check_stability(view: PageView) -> Check | None:
    if not isinstance(view, StateView) or view.description.is_stable:
        return None
    return Check("stability", Level.FAIR, "Stability", "the linear part is not stable.")


def _check_residuals(view: PageView) -> Check | None:
    """Whether the validation finds structure in the errors."""
    found = view.validation
    if found is None or found.diverges:
        return None
    verdicts = (found.is_white, found.is_independent_of_input, found.is_independent_of_squares)
    if False not in verdicts:
        if None in verdicts:
            return None
        text = f"white, and not correlated with past inputs{_write_threshold(found)}."
        return Check("residuals", Level.GOOD, "Residuals", text)
    parts = ["are not white noise"] if verdicts[0] is False else []
    if verdicts[1] is False:
        parts.append("are correlated with past inputs")
    elif verdicts[2] is False:
        parts.append("are correlated with squares of past inputs")
    text = f"they {' and '.join(parts)}{_write_threshold(found)}: something is missing."
    return Check("residuals", Level.FAIR, "Residuals", text)


def _write_threshold(found: Validation) -> str:
    """Return the smallest p-value of the tests beside the one from which they fail."""
    tested = [
        part.p_value
        for test in found.residuals
        for part in (test.autocorrelation, *test.inputs, *test.squares)
        if part.p_value is not None
    ]
    if not tested:
        return ""
    least = format_number(min(tested), 2) if min(tested) >= SMALLEST_P else f"below {SMALLEST_P:g}"
    return f" (smallest p-value {least}; a test fails below {1 - found.confidence:.2g})"


def _check_record_range(view: PageView) -> Check | None:
    found = view.validation
    if found is None or not found.ranges:
        return None
    if not found.extrapolates:
        return Check("range", Level.GOOD, "Range", "the record stays within the training data.")
    left = [use.name for use in found.ranges if use.is_left][:4]
    text = f"the record leaves the training data ({', '.join(left)})."
    return Check("range", Level.FAIR, "Extrapolating", text)
