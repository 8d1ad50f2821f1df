"""One branch in words: its share, its shape and its inputs."""

from dataclasses import dataclass

import numpy as np

from ._shape_texts import number
from ._shapes import Shape

MAX_INPUTS_IN_TEXT = 4
MIN_WEIGHT_WITH_NUMBER = 0.02  # of the largest entry of V: smaller ones are named without a number
MIN_WEIGHT_NAMED = 1e-3  # of the largest entry of V: smaller ones are left out
MAX_FAINT_INPUTS = 3  # that are named


@dataclass(frozen=True)
class BranchDescription:
    """Description of one branch: its share of the variance, range, shape and inputs.

    ``share`` is the covariance of the branch's part with the output over the output's variance,
    mean of the outputs that vary: shares add up to 1, and one that works against the others has a
    negative share. ``inputs`` are names and entries of V, the heaviest first; ``weights`` are the
    sizes of the entries, each times the spread of its input, over the largest.
    """

    index: int
    share: float
    share_by_output: tuple[float, ...]
    interval: tuple[float, float]
    range: tuple[float, float]
    shape: Shape
    inputs: tuple[tuple[str, float], ...]
    weights: tuple[float, ...]

    @property
    def direction(self) -> str:
        """z in the inputs that matter."""
        heavy = [
            pair
            for pair, weight in zip(self.inputs, self.weights, strict=True)
            if weight >= MIN_WEIGHT_WITH_NUMBER
        ]
        text = ""
        for name, value in heavy[:MAX_INPUTS_IN_TEXT]:
            size = f"{abs(value):.2g}"
            text += f" {'-' if value < 0 else '+'} {'' if size == '1' else size + ' '}{name}"
        more = len(heavy) - MAX_INPUTS_IN_TEXT
        text = "-" + text[3:] if text.startswith(" - ") else text.removeprefix(" + ")
        return text + (f" and {more} more" if more > 0 else self._faint())

    def _faint(self) -> str:
        """Inputs that have a part in z which is too small for a number."""
        pairs = zip(self.inputs, self.weights, strict=True)
        faint = [
            name
            for (name, _), weight in pairs
            if MIN_WEIGHT_NAMED <= weight < MIN_WEIGHT_WITH_NUMBER
        ]
        if not faint:
            return ""
        few = len(faint) <= MAX_FAINT_INPUTS
        return f" and, faintly, {', '.join(faint) if few else f'{len(faint)} others'}"

    def __str__(self) -> str:
        fit = f"{self.shape.words}, R² = {self.shape.r2:.4f}"
        low, high = (number(end, float(np.ptp(self.interval))) for end in self.interval)
        return (
            f"branch {self.index + 1}: {format_percent(self.share, 1)} of the variance; {fit}\n"
            f"  g{self.index + 1}(z) ~ {self.shape.formula}, z from {low} to {high}\n"
            f"  z = {self.direction}"
        )


def format_percent(share: float, digits: int = 0) -> str:
    """A share in percent; what is not 0 never reads as 0.

    >>> format_percent(0.624), format_percent(-0.001), format_percent(0.0004, 1)
    ('62%', 'less than 1%', 'less than 0.1%')
    """
    least = 10.0**-digits
    if 0 < abs(100 * share) < least / 2:
        return f"less than {least:g}%"
    return f"{100 * share + 0.0:.{digits}f}%"
