"""Models that were compared for a record, and the table of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from .._typing import Array
from .._util.markup import make_grid_table
from ._error_comparison import DEVIATIONS_FROM_LINEAR, SMALLEST_GAIN, is_clearly_smaller

LARGEST_ERROR = 1.2  # held-out error over the least one, if the difference may be chance
MIN_GAIN = (
    0.05  # relative decrease of the error by which a model must be better than the linear one
)
EXACT_PERCENT = 0.01  # errors below it are equal: no further branch is worth it


@dataclass(frozen=True, eq=False)
class ModelCandidate:
    """A model that was compared with others.

    Attributes
    ----------
    label : str
        Such as "state space, 2 states".
    n_branches : int or None
        None for a coupled model.
    degrees_of_freedom : int or None
    error : float
        Simulation error on the held-out samples in %, the mean of the outputs; infinite if the
        simulation diverges.
    seconds : float
    is_linear : bool
    model : NARX or StateSpace
        The chosen one is fitted to all samples.
    """

    label: str
    n_branches: int | None
    degrees_of_freedom: int | None
    error: float
    seconds: float
    is_linear: bool = False
    is_chosen: bool = False
    model: Any = field(default=None, repr=False)
    squared_errors: Array = field(default_factory=lambda: np.array([np.inf]), repr=False)

    @property
    def fit(self) -> float:
        """MATLAB's fit in %: 100 for a perfect simulation, 0 for the mean of the output."""
        return 100.0 - self.error

    @property
    def is_eligible(self) -> bool:
        """Whether the model may be chosen: simulated, and linear or decoupled."""
        return self.model is not None and self.n_branches is not None and np.isfinite(self.error)


@dataclass(frozen=True, eq=False)
class CandidateTable(Sequence[ModelCandidate]):
    """The models that were compared, in the order in which they were fitted.

    Attributes
    ----------
    rows : tuple of ModelCandidate
    held_out : float
        Share of the samples on which the errors are measured.
    notices : tuple of str
        What was noticed about the records.
    is_complete : bool
        Whether the time limit left all candidates be fitted.
    """

    rows: tuple[ModelCandidate, ...]
    held_out: float
    notices: tuple[str, ...] = ()
    is_complete: bool = True

    @overload
    def __getitem__(self, index: int) -> ModelCandidate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ModelCandidate, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ModelCandidate]:
        return iter(self.rows)

    @property
    def chosen(self) -> ModelCandidate:
        """The candidate that was chosen."""
        return next(row for row in self.rows if row.is_chosen)

    @property
    def heads(self) -> tuple[str, ...]:
        return ("", "model", "branches", "parameters", "held-out error %", "fit %", "seconds")

    @property
    def cells(self) -> list[tuple[str, ...]]:
        """The table as text, row by row."""
        return [
            (
                "*" if row.is_chosen else "",
                row.label,
                "coupled" if row.n_branches is None else str(row.n_branches),
                "" if row.degrees_of_freedom is None else str(row.degrees_of_freedom),
                f"{row.error:.3g}" if np.isfinite(row.error) else "diverges",
                f"{row.fit:.2f}" if np.isfinite(row.error) else "",
                f"{row.seconds:.1f}",
            )
            for row in self.rows
        ]

    @property
    def caption(self) -> str:
        """What the errors are."""
        text = (
            f"Free-run simulation of {100 * self.held_out:.0f} % of the samples that were held "
            f"out; * is chosen, the smallest model that is about as good as the best."
        )
        return text if self.is_complete else f"{text} The time limit ended the comparison."

    def __str__(self) -> str:
        table = [self.heads, *self.cells]
        widths = [max(len(row[k]) for row in table) for k in range(len(self.heads))]
        lines = []
        for row in table:
            left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
            right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
            lines.append("  ".join([*left, *right]).rstrip())
        return "\n".join([*lines, self.caption, *self.notices])

    def _repr_html_(self) -> str:
        return make_grid_table(self.caption, self.heads, self.cells)


def choose_candidate(rows: Sequence[ModelCandidate]) -> int:
    """Index of the smallest model that is about as good as the best.

    A model is about as good if its error is within a few percent of the least one, or if the
    difference is within its standard error. A nonlinear model must also be better than the linear
    one by twice the standard error.
    """
    linear = next(k for k, row in enumerate(rows) if row.is_linear)
    eligible = [k for k, row in enumerate(rows) if row.is_eligible]
    better = [
        k for k in eligible if not rows[k].is_linear and _is_clearly_better(rows[k], rows[linear])
    ]
    if not better:
        return linear
    best = min(better, key=lambda k: rows[k].error)
    good = [k for k in better if _is_about_as_good(rows[k], rows[best])]
    return min(good, key=lambda k: (rows[k].degrees_of_freedom or np.inf, rows[k].error))


def _is_about_as_good(row: ModelCandidate, best: ModelCandidate) -> bool:
    if row.error <= max(best.error / (1 - SMALLEST_GAIN), EXACT_PERCENT):
        return True
    if row.error > LARGEST_ERROR * best.error:
        return False
    return not is_clearly_smaller(best.squared_errors, row.squared_errors, 0.0, 1.0)


def _is_clearly_better(row: ModelCandidate, linear: ModelCandidate) -> bool:
    if not np.isfinite(linear.error):
        return True
    if linear.error <= EXACT_PERCENT:
        return False
    pair = row.squared_errors, linear.squared_errors
    return is_clearly_smaller(*pair, SMALLEST_GAIN, DEVIATIONS_FROM_LINEAR)


def mark_chosen(rows: Sequence[ModelCandidate], index: int) -> tuple[ModelCandidate, ...]:
    """The rows, with the chosen one marked."""
    return tuple(replace(row, is_chosen=k == index) for k, row in enumerate(rows))
