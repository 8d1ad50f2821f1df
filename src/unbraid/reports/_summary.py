"""A model in one sentence, and whether it is good enough to use."""

import numpy as np

from .._typing import Array
from .._util.markup import Markup, tag
from ..model._data_fit import remove_noise
from ..model._error_summary import POOR_PERCENT, mean_error, worst_output_error
from ._number_format import format_percent
from ._page_view import PageView

GOOD_ERROR_PERCENT = 1.0  # errors below are shown in green


def mean_known_error(values: Array) -> float:
    """Return the mean over the outputs whose error is known; NaN if there is none.

    >>> mean_known_error(np.array([1.0, 3.0, np.nan])), mean_known_error(np.array([np.nan]))
    (2.0, nan)
    """
    known = values[~np.isnan(values)]
    return mean_error(known) if known.size else float("nan")


def summarise(view: PageView) -> str:
    """Return branches, parameters and error in one sentence."""
    text, coupled = view.size, view.coupled_parameters
    if coupled is not None and coupled >= view.n_parameters:
        text += f" instead of {coupled:,}"
    elif coupled is not None:
        text += f" (the coupled model has {coupled:,})"
    if view.main_errors is None:
        return text + "; the error was not measured."
    error = format_percent(mean_known_error(view.main_errors.values))
    return f"{text}, {view.main_errors.name} {error}."


def find_misfit(view: PageView) -> str | None:
    """Return why a model is poor, or None."""
    if view.main_errors is None:
        return None
    errors = view.main_errors.values
    if np.all(np.isnan(errors)):
        return "The error is not known: nothing below shows how good the model is."
    if view.simulation is not None and not np.all(np.isfinite(errors)):
        return "This model diverges in simulation. Do not use it as it is."
    misfit = remove_noise(errors, None if view.dynamic else view.noise)
    poor = worst_output_error(np.where(np.isnan(misfit), 0.0, misfit), view.outputs.short)
    if poor is not None:
        return _warn_of_poor_fit(*poor, view.noise is not None)
    if not np.all(np.isfinite(errors)):
        names = [n for n, e in zip(view.outputs.short, errors, strict=True) if np.isinf(e)]
        return f"Constant outputs are missed: {', '.join(names[:6])}."
    return None


def _warn_of_poor_fit(name: str | None, error: float, beyond_noise: bool = False) -> str:
    """Return the warning, with the error as R², or beside the noise.

    >>> _warn_of_poor_fit("f2", 50.0).partition(". ")[0]
    'This is a poor approximation: it misses f2 by 50 % of its standard deviation (R² = 0.75)'
    """
    average, what, their = ("", name, "its")
    if name is None:
        average, what, their = ("on average ", "the outputs", "their")
    size = "an infinite percentage" if np.isinf(error) else format_percent(error)
    if beyond_noise:
        return (
            f"This is a rough approximation: beside the noise of the data, {average}it misses "
            f"{what} by {size} of {their} standard deviation on new data."
        )
    explained = f" (R² = {1 - (error / 100) ** 2:.2f})" if error < 100 else ""
    return (
        f"This is a poor approximation: {average}it misses {what} by {size} of {their} standard "
        f"deviation{explained}. Noise in the data is part of the error. Read the branches below "
        f"as a rough sketch."
    )


def grade(view: PageView) -> str:
    """Return good, fair, poor or unknown, which decides on the colour of the error."""
    error = np.nan
    if view.main_errors is not None:
        noise = None if view.dynamic else view.noise
        error = mean_known_error(remove_noise(view.main_errors.values, noise))
    if np.isnan(error):
        return "unknown"
    return "poor" if error >= POOR_PERCENT else "good" if error < GOOD_ERROR_PERCENT else "fair"


def show_notice(text: str) -> Markup:
    """Return a highlighted sentence."""
    return tag("p", text, class_="notice", role="note")
