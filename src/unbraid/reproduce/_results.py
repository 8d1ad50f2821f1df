"""Errors over several draws, beside the published ones, and verdicts."""

from dataclasses import dataclass

import numpy as np

from ..model._function import DecoupledFunction
from ._counts import ParameterCount

PAPER_METHODS = ("implicit", "explicit", "cpd")
NO_WORSE_FACTOR = 1.01  # an error up to this factor times another one is no worse
PUBLISHED_ROUNDING = 0.05  # %


@dataclass(frozen=True, eq=False)
class Trial:
    """One method and number of branches on one draw; ``errors`` in %, one per output."""

    draw: int
    method: str
    n_branches: int
    errors: tuple[float, ...]
    seconds: float
    function: DecoupledFunction | None = None

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))


@dataclass(frozen=True)
class TableCell:
    """All draws of one method and number of branches.

    ``published`` has the errors in the paper, one per output; for a method that the paper does not
    have, the least it reports for as many branches. ``not_comparable`` is the reason why they
    cannot be compared, if there is one. ``slack`` is a factor by which the error may be larger,
    where the paper says "similar" instead of a number. ``as_written`` is the largest error that a
    method of the paper gives as written, over draws.
    """

    method: str
    n_branches: int | None
    errors: tuple[tuple[float, ...], ...]
    seconds: float
    published: tuple[float, ...] | None = None
    not_comparable: str = ""
    slack: float = 1.0
    as_written: float | None = None

    @property
    def spread(self) -> tuple[float, float, float]:
        """Least, median and largest mean error over the draws."""
        means = np.mean(self.errors, axis=1)
        return float(means.min()), float(np.median(means)), float(means.max())

    @property
    def median(self) -> tuple[float, ...]:
        """Median error of every output."""
        return tuple(float(e) for e in np.median(self.errors, axis=0))

    @property
    def published_mean(self) -> float | None:
        return None if self.published is None else float(np.mean(self.published))

    @property
    def comparable(self) -> bool:
        return self.published is not None and not self.not_comparable

    @property
    def published_position(self) -> str:
        """Whether the published error is inside, above or below the range over draws."""
        if self.published_mean is None:
            return ""
        least, _, most = self.spread
        if self.published_mean < least - PUBLISHED_ROUNDING:
            return "below"
        return "above" if self.published_mean > most + PUBLISHED_ROUNDING else "inside"

    @property
    def holds(self) -> bool | None:
        """The verdict; None where there is nothing to compare.

        A method of the paper holds where its median is at most what it gives as written, or, where
        that is not known, where the published error is inside or above the range over the draws.
        Any other method holds where its median is no worse than the published error.
        """
        if not self.comparable or self.published_mean is None:
            return None
        least, median, _ = self.spread
        if self.as_written is not None:
            return bool(median <= self.as_written + PUBLISHED_ROUNDING)
        error = least if self.method.startswith(PAPER_METHODS) else median
        return bool(error <= self.slack * self.published_mean + PUBLISHED_ROUNDING)


@dataclass(frozen=True)
class Comparison:
    """Errors of varpro and of the best method of the paper on the same draw."""

    draw: int
    n_branches: int
    varpro: float
    paper: float

    @property
    def no_worse(self) -> bool:
        """Whether varpro is better, or worse by less than a hundredth."""
        return self.varpro <= NO_WORSE_FACTOR * self.paper


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper, recomputed."""

    name: str
    title: str
    cells: tuple[TableCell, ...]
    counts: tuple[ParameterCount, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    errata: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """Counts of verdicts; ``failing`` and ``worse`` name single cells and draws."""

    cells: int
    comparable: int
    holding: int
    failing: tuple[str, ...]
    counts: int
    counts_holding: int
    comparisons: int
    no_worse: int
    worse: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.failing


def summarise(tables: tuple[PaperTable, ...]) -> Summary:
    """Count the verdicts, and name what does not hold."""
    cells = [(table.name, cell) for table in tables for cell in table.cells]
    counts = [(table.name, count) for table in tables for count in table.counts]
    comparisons = [(table.name, c) for table in tables for c in table.comparisons]
    failing = [f"{name} {c.method} r = {c.n_branches}" for name, c in cells if c.holds is False]
    failing += [f"{name} {count.quantity}" for name, count in counts if not count.holds]
    worse = [
        f"{name} r = {c.n_branches}, draw {c.draw} ({c.varpro:.3g} against {c.paper:.3g} %)"
        for name, c in comparisons
        if not c.no_worse
    ]
    return Summary(
        cells=len(cells),
        comparable=sum(cell.comparable for _, cell in cells),
        holding=sum(cell.holds is True for _, cell in cells),
        failing=tuple(failing),
        counts=len(counts),
        counts_holding=sum(count.holds for _, count in counts),
        comparisons=len(comparisons),
        no_worse=len(comparisons) - len(worse),
        worse=tuple(worse),
    )
