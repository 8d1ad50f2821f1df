"""Our configurations by benchmark: the best known ones, and default calls.

Nothing here was chosen with test data.
"""

from dataclasses import dataclass

from ..bases import BSpline, Polynomial, SignedSquare
from ..errors import InvalidOptionError
from ._fits import ComparedFit, CoupledFit, FitFunction, LinearFit, NARXFit, StateSpaceFit

PARWH_RECORDS = 5  # of the 100 training records: one realisation of every amplitude


@dataclass(frozen=True)
class Configuration:
    """One way to fit a benchmark.

    Parameters
    ----------
    name : str
    fit : callable
        Takes a ``BenchmarkRecord`` and a seed, returns a model.
    quick : bool
        Whether it is one of the smallest.
    random : bool
        Whether the seed matters; else one run is enough.
    """

    name: str
    fit: FitFunction
    quick: bool = False
    random: bool = True


def _linear(n_states: int | str, n_records: int | None = None) -> Configuration:
    return Configuration("linear", LinearFit(n_states, n_records), quick=True, random=False)


def _list(
    *best: Configuration,
    n_states: int | str = "auto",
    n_records: int | None = None,
    short: bool = False,
) -> tuple[Configuration, ...]:
    """The linear model, the best known configurations, and the call without options.

    On a short record that call is among the smallest configurations.
    """
    without_options = Configuration("default", ComparedFit(n_records), quick=short)
    return (_linear(n_states, n_records), *best, without_options)


#: Our configurations by the name of the benchmark.
CONFIGURATIONS: dict[str, tuple[Configuration, ...]] = {
    "silverbox": _list(
        Configuration(
            "1 cubic branch",
            StateSpaceFit(2, 1, Polynomial(3), {"n_starts": 3, "extrapolate": "basis"}),
            quick=True,
        ),
        Configuration("coupled, 2 cubic branches", CoupledFit(n_states=2, degree=3, n_branches=2)),
        Configuration(
            "NARX, 3 branches",
            NARXFit((0, 1, 2, 3), (1, 2, 3, 4, 5), n_branches=3, degree=5, limit=1.0),
        ),
        n_states=2,
    ),
    "wiener-hammerstein": _list(
        Configuration("1 branch", StateSpaceFit(6, 1, BSpline(16)), quick=True),
        Configuration("2 branches", StateSpaceFit(6, 2, BSpline(16))),
        n_states=6,
    ),
    "cascaded-tanks": _list(Configuration("state space", StateSpaceFit(), quick=True)),
    "emps": _list(short=True),
    "ced": _list(short=True),
    "bouc-wen": _list(
        Configuration("3 branches s|s|", StateSpaceFit(3, 3, SignedSquare()), quick=True),
        Configuration("3 splines", StateSpaceFit(3, 3, BSpline(8))),
        n_states=3,
    ),
    "parwh": _list(n_records=PARWH_RECORDS),
    "f16": _list(),
}


def select_configurations(
    name: str, chosen: tuple[str, ...] = (), quick: bool = False
) -> tuple[Configuration, ...]:
    """The configurations with the given names, or all; the smallest if quick."""
    found = [c for c in CONFIGURATIONS[name] if not chosen or c.name in chosen]
    return tuple(c for c in found if c.quick or not quick)


def check_names(benchmarks: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    """Raise InvalidOptionError for a name that no configuration has."""
    known = dict.fromkeys(c.name for name in benchmarks for c in CONFIGURATIONS[name])
    for name in chosen:
        if name not in known:
            raise InvalidOptionError(
                f"{name!r} is no configuration: choose {', '.join(map(repr, known))}"
            )
