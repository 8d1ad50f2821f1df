"""Every method of the comparison, one small file each, all with the same two functions.

``prepare(task)`` loads and warms up what should not count, and raises ``NotHere`` where a method
cannot run; ``candidates(task)`` yields one ``Candidate`` a start. A new peer is a new file and a
line in ``METHODS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from benchmarks.problems import Task


@dataclass(frozen=True)
class Candidate:
    """The outcome of one start."""

    predict: Callable[[np.ndarray], np.ndarray]
    n_parameters: int
    seconds: float | None = None  # of another process, which has a clock of its own
    peak: float | None = None  # MB, likewise
    note: str = ""


class NotHere(RuntimeError):
    """A method cannot run on this machine, or not on this problem."""


def needs(package: str, name: str | None = None) -> None:
    """Raise ``NotHere`` where a package is not installed."""
    if find_spec(package) is None:
        raise NotHere(f"{name or package} is not installed")


class Peer(Protocol):
    """What a file of this folder offers."""

    def prepare(self, task: Task) -> None: ...
    def candidates(self, task: Task) -> Iterator[Candidate]: ...


@dataclass(frozen=True)
class Method:
    """Where a method lives, and how it was set, in words."""

    module: str
    settings: str
    draws: int = 3
    network_draws: int = 2
    stops_in_time: bool = False  # it watches the clock and gives what it has
    problems: tuple[str, ...] = ("toy", "reduction", "network")

    def load(self) -> Peer:
        return import_module(f"benchmarks.peers.{self.module}")  # type: ignore[return-value]


METHODS = {
    "varpro": Method("ours", "the default of `unbraid.decouple`"),
    "varpro, basis goes on": Method(
        "ours",
        "the same with `extrapolate='basis'`: beyond the data a branch stays the polynomial it is "
        "and does not go on straight",
        problems=("toy", "reduction"),
    ),
    "implicit": Method("ours", "`method='implicit'`, defaults", network_draws=1),
    "explicit": Method("ours", "`method='explicit'`, defaults", draws=1, network_draws=1),
    "cpd": Method("ours", "`method='cpd'`, defaults"),
    "as written": Method(
        "as_written",
        "the implicit method of the paper with dense filters, pseudoinverses and, for V, "
        "Levenberg–Marquardt with numerical derivatives; one start, up to 200 iterations",
        draws=1,
        network_draws=1,
        stops_in_time=True,
    ),
    "as written, relaxed V": Method(
        "as_written",
        "the same with the relaxed V-update alone",
        draws=1,
        stops_in_time=True,
        problems=("toy",),
    ),
    "decoupling": Method(
        "jax_decoupling",
        "PyPI `decoupling` (JAX): 100 iterations, 5 starts, the rest at its defaults; "
        "compiling does not count",
        draws=2,
        network_draws=1,
        stops_in_time=True,
    ),
    "tensorly": Method(
        "tensor",
        "`parafac` of the Jacobian tensor (Dreesen et al.), 1 SVD and 9 random starts; "
        "polynomials fitted to the third factor",
    ),
    "torch": Method(
        "torch_training",
        "the same form trained on values and Jacobians: Adam (1000 steps, 6 starts), then L-BFGS "
        "on the best two; branches are polynomials of the same degree, for the network tanh "
        "networks of one input and 8 units",
        draws=2,
        network_draws=1,
        stops_in_time=True,
    ),
    "ppr": Method(
        "ppr",
        "R's `ppr`: supsmu, spline and gcvspline, each with `max.terms` = r + 3, "
        "`optlevel = 3`; values only",
    ),
    "skpp": Method(
        "pursuit",
        "PyPI `projection-pursuit`: polynomials of the same degree and splines, 5 starts each; "
        "values only",
    ),
}
FRIEDMAN = ("friedman1", "friedman2", "friedman3")
DATA_METHODS = {
    "DecoupledRegressor": Method("data_only", "defaults", problems=FRIEDMAN),
    "projection pursuit": Method(
        "data_only", "`skpp`, its number of terms by 3-fold CV", problems=FRIEDMAN
    ),
    "GAM": Method("data_only", "`pygam.LinearGAM`, its own grid search", problems=FRIEDMAN),
    "boosting": Method("data_only", "`HistGradientBoostingRegressor`, defaults", problems=FRIEDMAN),
}
