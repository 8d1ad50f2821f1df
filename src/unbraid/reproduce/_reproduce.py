"""The paper from one call: tables, figures, verdicts."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ..errors import InvalidOptionError
from . import figures
from ._experiments import Experiment, make_table, run_experiment
from ._narx import list_narx_cells, load_record, run_narx
from ._results import PaperTable, Summary, Trial, summarise
from ._tables import TABLE1, TABLE2, TABLE3

EXPERIMENTS: dict[str, Experiment] = {"table1": TABLE1, "table2": TABLE2, "table3": TABLE3}
WHAT = ("all", *EXPERIMENTS, "silverbox", "figures")
DRAWS = {"table1": 5, "table2": 5, "table3": 5, "silverbox": 1}
QUICK_DRAWS = {"table1": 2, "table2": 2, "table3": 2, "silverbox": 1}
SECONDS = {"table1": 35, "table2": 10, "table3": 100, "silverbox": 220}  # per draw, on one core
QUICK_SECONDS = {"table1": 5, "table2": 4, "table3": 8, "silverbox": 8}
FIGURE_SECONDS = 12  # for all figures


@dataclass(frozen=True)
class Reproduction:
    """The tables, figures and verdicts of one order."""

    tables: tuple[PaperTable, ...]
    pictures: tuple[figures.WrittenFigure, ...]
    summary: Summary


@dataclass(frozen=True)
class Order:
    """What to reproduce, and how.

    Parameters
    ----------
    what : {"all", "table1", "table2", "table3", "silverbox", "figures"}
    draws : int, optional
        Draws per table; by default five, one for NARX models, fewer with ``quick``, and one if
        only figures are drawn.
    seed : int
        Seed of the first draw.
    quick : bool
        Fewer draws, starts, branches and values of lambda, and a short record.
    record : path, optional
        The Silverbox record, see ``unbraid.cases.silverbox``; without it, a simulated twin.
    folder : path, optional
        Folder for the figures.

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
            raise InvalidOptionError(
                f"{self.what!r} is not a part of the paper: choose {', '.join(WHAT)}"
            )
        if self.draws is not None and self.draws < 1:
            raise InvalidOptionError(f"draws must be at least 1, got {self.draws!r}")
        if self.draws_figures and self.folder is None:
            raise InvalidOptionError("figures need a folder: pass folder=")

    @property
    def draws_figures(self) -> bool:
        return self.what in ("all", "figures")

    @property
    def parts(self) -> tuple[str, ...]:
        """The tables to compute: figures show results of tables."""
        if self.what == "all":
            return tuple(DRAWS)
        return ("table1", "table3", "silverbox") if self.what == "figures" else (self.what,)

    def seeds(self, part: str) -> range:
        """Return the seeds of the draws of a table."""
        draws = self.draws
        if draws is None:
            draws = 1 if self.what == "figures" else (QUICK_DRAWS if self.quick else DRAWS)[part]
        return range(self.seed, self.seed + draws)

    @property
    def n_steps(self) -> int:
        """Trials and figures, for a progress bar."""
        total = figures.N_FIGURES if self.draws_figures else 0
        for part in self.parts:
            list_cells = EXPERIMENTS[part].list_cells if part in EXPERIMENTS else list_narx_cells
            total += len(list_cells(self.quick)) * len(self.seeds(part))
        return total

    @property
    def seconds(self) -> float:
        """Estimated time on one core."""
        each = QUICK_SECONDS if self.quick else SECONDS
        work = sum(each[part] * len(self.seeds(part)) for part in self.parts)
        return work + (FIGURE_SECONDS if self.draws_figures else 0)


def reproduce(order: Order, progress: Callable[[int], object] = lambda done: None) -> Reproduction:
    """Run an order; ``progress`` gets the number of steps done, of ``order.n_steps``."""
    steps = count(1)
    tables: dict[str, PaperTable] = {}
    trials: dict[str, list[Trial]] = {}

    def step() -> None:
        progress(next(steps))

    if "silverbox" in order.parts:  # a file that cannot be read is an error before the work
        data, real = load_record(order.record, order.quick)
    for part in order.parts:
        seeds = order.seeds(part)
        if part in EXPERIMENTS:
            trials[part] = run_experiment(EXPERIMENTS[part], seeds, order.quick, step)
            tables[part] = make_table(EXPERIMENTS[part], trials[part])
        else:
            tables[part], models = run_narx(data, real, seeds, order.quick, step)
    written: tuple[figures.WrittenFigure, ...] = ()
    if order.draws_figures:
        assert order.folder is not None
        results = figures.FigureData(
            trials["table1"], trials["table3"], tables["silverbox"], models, order.seed
        )
        written = figures.write_figures(results, order.folder, step)
    shown = () if order.what == "figures" else tuple(tables.values())
    return Reproduction(shown, written, summarise(shown))
