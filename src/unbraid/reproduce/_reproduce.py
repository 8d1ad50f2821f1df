"""The paper from one call: tables, figures, verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidOption
from . import _narx as narx
from . import _table1 as table1
from . import _table2 as table2
from . import _table3 as table3
from . import figures
from ._cells import Summary, Table, Trial, summary
from ._draws import Effort, Experiment, run, table_of

EXPERIMENTS: dict[str, Experiment] = {
    "table1": table1.EXPERIMENT,
    "table2": table2.EXPERIMENT,
    "table3": table3.EXPERIMENT,
}
PARTS = (*EXPERIMENTS, "silverbox", "figures")
WHAT = ("all", *PARTS)
DRAWS = {"table1": 5, "table2": 5, "table3": 5, "silverbox": 1}
QUICK_DRAWS = {"table1": 2, "table2": 2, "table3": 2, "silverbox": 1}
SECONDS = {"table1": 35, "table2": 10, "table3": 100, "silverbox": 220}  # a draw, one core
QUICK_SECONDS = {"table1": 5, "table2": 4, "table3": 8, "silverbox": 8}
DRAWING = 12

Told = Callable[[int], object]  # how many of the steps are done


@dataclass(frozen=True)
class Reproduction:
    """All that was asked for."""

    tables: tuple[Table, ...]
    pictures: tuple[figures.Written, ...]
    summary: Summary


@dataclass(frozen=True)
class Order:
    """What to reproduce, and how.

    Parameters
    ----------
    what : {"all", "table1", "table2", "table3", "silverbox", "figures"}
    draws : int, optional
        Draws of every table; by default five of the tables and one of the operating points of the
        NARX models, fewer with ``quick``, and one where only figures are wanted.
    seed : int
        Of the first draw.
    quick : bool
        Fewer draws, starts, branches and values of lambda, and a short record.
    record : path, optional
        The Silverbox record, see ``unbraid.cases._silverbox``; without it its simulated twin.
    folder : path, optional
        Where figures go.

    Examples
    --------
    >>> Order("table2", quick=True, draws=3).n_steps
    24
    """

    what: str = "all"
    draws: int | None = None
    seed: int = 0
    quick: bool = False
    record: str | Path | None = None
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.what not in WHAT:
            raise InvalidOption(f"{self.what!r} is no part of the paper: choose {', '.join(WHAT)}")
        if self.draws is not None and self.draws < 1:
            raise InvalidOption(f"draws must be at least 1, got {self.draws!r}")
        if self.draws_figures and self.folder is None:
            raise InvalidOption("figures need a folder to go to")

    @property
    def draws_figures(self) -> bool:
        return self.what in ("all", "figures")

    @property
    def parts(self) -> tuple[str, ...]:
        """What has to be computed: figures show what the tables found."""
        if self.what == "all":
            return PARTS[:-1]
        return ("table1", "table3", "silverbox") if self.what == "figures" else (self.what,)

    def effort(self, part: str) -> Effort:
        usual = QUICK_DRAWS if self.quick else DRAWS
        draws = 1 if self.what == "figures" else usual[part]
        return Effort(draws if self.draws is None else self.draws, self.seed, self.quick)

    @property
    def n_steps(self) -> int:
        """Trials and pictures, for a bar."""
        total = figures.N_PICTURES if self.draws_figures else 0
        for part in self.parts:
            if part in EXPERIMENTS:
                trials = len(EXPERIMENTS[part].cells_of(self.quick))
            else:
                trials = narx.n_trials(self.quick)
            total += trials * self.effort(part).draws
        return total

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        each = QUICK_SECONDS if self.quick else SECONDS
        work = sum(each[part] * self.effort(part).draws for part in self.parts)
        return work + (DRAWING if self.draws_figures else 0)


def reproduce(order: Order, told: Told = lambda _: None) -> Reproduction:
    """Run it; ``told`` is called with the number of steps done, of ``order.n_steps``."""
    steps = _Steps(told)
    tables: list[Table] = []
    trials: dict[str, list[Trial]] = {}
    models = None
    if "silverbox" in order.parts:  # a file that cannot be read is told before the work
        data, real = narx.dataset(order.record, order.quick)
    for part in order.parts:
        effort = order.effort(part)
        if part in EXPERIMENTS:
            trials[part] = run(EXPERIMENTS[part], effort, steps)
            tables.append(table_of(EXPERIMENTS[part], trials[part]))
        else:
            table, models = narx.run_narx(data, real, effort, steps)
            tables.append(table)
    pictures: tuple[figures.Written, ...] = ()
    if order.draws_figures:
        assert models is not None
        assert order.folder is not None
        material = figures.Material(
            trials["table1"], trials["table3"], tables[-1], models, order.seed
        )
        pictures = figures.write(material, order.folder, steps)
    shown = () if order.what == "figures" else tuple(tables)
    return Reproduction(shown, pictures, summary(shown))


class _Steps:
    """Counts what is done."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.done = 0

    def __call__(self) -> None:
        self.done += 1
        self.told(self.done)
