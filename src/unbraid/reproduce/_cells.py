"""A published number beside what comes out now, over draws, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model._function import DecoupledFunction
from ._counts import Count

PAPERS = ("implicit", "explicit", "cpd")
LEVEL = 1.01  # errors within one percent of each other are level
ROUNDING = 0.05  # %, of what is published


@dataclass(frozen=True, eq=False)
class Trial:
    """One method and number of branches on one draw; ``errors`` in %, one an output."""

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
class Cell:
    """All draws of one method and number of branches.

    ``published`` are the paper's errors, one an output; for a method that the paper does not have,
    the best it reports for as many branches. ``unlike`` says why they cannot be compared, where
    they cannot. ``slack`` is a factor by which the error may be larger, where the paper says
    "similar" instead of a number. ``as_written`` is the most that a method of the paper gives as
    written, over draws.
    """

    method: str
    n_branches: int | None
    errors: tuple[tuple[float, ...], ...]
    seconds: float
    published: tuple[float, ...] | None = None
    unlike: str = ""
    slack: float = 1.0
    as_written: float | None = None

    @property
    def spread(self) -> tuple[float, float, float]:
        """Least, median and most of the mean error, over the draws."""
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
        return self.published is not None and not self.unlike

    @property
    def place(self) -> str:
        """Where the published number lies: inside the range over the draws, above or below."""
        if self.published_mean is None:
            return ""
        least, _, most = self.spread
        if self.published_mean < least - ROUNDING:
            return "below"
        return "above" if self.published_mean > most + ROUNDING else "inside"

    @property
    def holds(self) -> bool | None:
        """The verdict, None where there is nothing to compare.

        The paper's methods hold where their median is within what they give as written (one draw
        of one's own says little of another), or, where that is not known, where the published
        error is inside or above the range over the draws; all others where their median is no
        worse than the published error.
        """
        if not self.comparable or self.published_mean is None:
            return None
        least, median, _ = self.spread
        if self.as_written is not None:
            return bool(median <= self.as_written + ROUNDING)
        mine = least if self.method.startswith(PAPERS) else median
        return bool(mine <= self.slack * self.published_mean + ROUNDING)


@dataclass(frozen=True)
class Duel:
    """varpro and the best of the paper's methods on the same draw."""

    draw: int
    n_branches: int
    varpro: float
    paper: float

    @property
    def level(self) -> bool:
        """varpro is no worse, or by less than a hundredth."""
        return self.varpro <= LEVEL * self.paper


@dataclass(frozen=True)
class Table:
    """A table of the paper, anew."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    counts: tuple[Count, ...] = ()
    duels: tuple[Duel, ...] = ()
    slips: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """What came out of all tables."""

    cells: int
    comparable: int
    holding: int
    failing: tuple[str, ...]
    counts: int
    counts_holding: int
    duels: int
    level: int
    lost: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.failing


def summary(tables: tuple[Table, ...]) -> Summary:
    """Count the verdicts, and name what does not hold."""
    cells = [(table, cell) for table in tables for cell in table.cells]
    counts = [(table, count) for table in tables for count in table.counts]
    duels = [(table, duel) for table in tables for duel in table.duels]
    failing = [
        f"{table.name} {cell.method} r = {cell.n_branches}"
        for table, cell in cells
        if cell.holds is False
    ]
    failing += [f"{table.name} {count.what}" for table, count in counts if not count.holds]
    lost = [
        f"{table.name} r = {duel.n_branches}, draw {duel.draw} "
        f"({duel.varpro:.3g} against {duel.paper:.3g} %)"
        for table, duel in duels
        if not duel.level
    ]
    return Summary(
        cells=len(cells),
        comparable=sum(cell.comparable for _, cell in cells),
        holding=sum(cell.holds is True for _, cell in cells),
        failing=tuple(failing),
        counts=len(counts),
        counts_holding=sum(count.holds for _, count in counts),
        duels=len(duels),
        level=sum(duel.level for _, duel in duels),
        lost=tuple(lost),
    )
