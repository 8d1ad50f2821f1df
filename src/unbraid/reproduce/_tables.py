"""Tables 1 to 3: the toy problem, polynomial reduction, a random network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._decouple import decouple
from ..bases import Polynomial
from ..cases import network_samples, random_polynomial, reduction_samples, toy_samples
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from . import _published as published
from ._counts import DEGREE, NETWORK_DEGREE, count_network, count_reduction
from ._experiments import Experiment
from ._filter_bias import compute_filter_bias
from ._results import Trial

TOY_POINTS, REDUCTION_POINTS, NETWORK_POINTS = 100, 200, 200
TOY_BASIS = Polynomial(3)
REDUCTION_BRANCHES = 3  # of the random polynomials of Table 2
JACOBIAN_ENTRIES = 4  # of a network of Table 3: as many branches reproduce any 2 by 2 Jacobian


@dataclass(frozen=True)
class Table1Row:
    """One method and number of branches: the result, and the published errors."""

    method: str
    n_branches: int
    function: DecoupledFunction
    published: tuple[float, ...]


def run_table1(samples: Samples, method: str, **options: Any) -> Iterator[Table1Row]:
    """Decouple the toy problem for r = 1 ... 4 with cubic branches; yield row by row.

    A method that the paper does not have is shown beside the implicit method of the paper.
    """
    known = published.TABLE1_ERRORS
    for r, errors in known.get(method, known["implicit"]).items():
        d = decouple(samples, n_branches=r, method=method, basis=TOY_BASIS, **options)
        yield Table1Row(method, r, d, errors)


def _remark_on_cpd(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Compare with the paper on CPD at r = 3: exact, and not unique."""
    functions = [t.function for t in trials if (t.method, t.n_branches) == ("cpd", 3)]
    solutions = [d.solution for d in functions if d is not None and d.solution is not None]
    residual = max(min(solution.objective) for solution in solutions)
    several = sum(not solution.unique for solution in solutions)
    return (
        f"cpd, r = 3: relative tensor error {residual:.0e} at most (the paper: close to machine "
        f"precision), not unique on {several} of {len(functions)} draws; its columns are not "
        "functions of z, so the cubics fitted to them mean nothing",
    )


def _compare_reduction(method: str, r: int) -> str:
    """Return why a cell of Table 2 is not comparable: the function is random."""
    if r < REDUCTION_BRANCHES:
        return "another random function, and r is too few for it"
    return "" if method == "varpro" else "the bias of its filters depends on the function"


def _remark_on_filters(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Return the least error that the implicit method can reach on these functions."""
    biases = []
    for seed in dict.fromkeys(trial.draw for trial in trials):
        f = random_polynomial(random_state=seed)  # the function that ``reduction_samples`` draws
        samples = reduction_samples(REDUCTION_POINTS, random_state=seed)
        biases.append(compute_filter_bias(samples, f.W, f.V, Polynomial(DEGREE)))
    return (
        f"with W and V known, the filters of the implicit method leave {min(biases):.2g} to "
        f"{max(biases):.2g} % on these functions: this bias depends on the function",
    )


def _compare_network(method: str, r: int) -> str:
    """Return why a cell of Table 3 is not comparable: the network is random."""
    if r < JACOBIAN_ENTRIES:
        return "another random network, and r is too few for its Jacobians"
    known = method == "varpro" or r in published.AS_WRITTEN["table3"][method]
    return "" if known else "another random network"


TABLE1 = Experiment(
    name="table1",
    title=f"Table 1: the toy problem, {TOY_POINTS} points, cubic branches",
    samples=lambda seed: toy_samples(TOY_POINTS, random_state=seed),
    basis=TOY_BASIS,
    published=published.TABLE1_ERRORS,
    branches=(1, 2, 3, 4),
    quick_branches=(1, 2, 3, 4),
    full={"varpro": {}, "implicit": {}, "explicit": {}, "cpd": {}},
    quick={
        "varpro": {},
        "implicit": {"n_starts": 2, "max_iterations": 40},
        "explicit": {"n_starts": 2, "max_iterations": 20, "smoothness": 1e4},  # suits every r
        "cpd": {},
    },
    errata=published.ERRATA["table1"],
    remarks=_remark_on_cpd,
)
TABLE2 = Experiment(
    name="table2",
    title=f"Table 2: polynomial reduction, {REDUCTION_POINTS} points, branches of degree {DEGREE}",
    samples=lambda seed: reduction_samples(REDUCTION_POINTS, random_state=seed),
    basis=Polynomial(DEGREE),
    published=published.TABLE2_ERRORS,
    branches=(1, 2, 3, 4),
    quick_branches=(1, 2, 3, 4),
    full={"varpro": {}, "implicit": {}},
    quick={"varpro": {}, "implicit": {"n_starts": 1}},
    not_comparable=_compare_reduction,
    counts=count_reduction(),
    errata=published.ERRATA["table2"],
    remarks=_remark_on_filters,
)
TABLE3 = Experiment(
    name="table3",
    title=f"Table 3: a random logistic network, {NETWORK_POINTS} points, branches of degree "
    f"{NETWORK_DEGREE}",
    samples=lambda seed: network_samples(NETWORK_POINTS, random_state=seed),
    basis=Polynomial(NETWORK_DEGREE),
    published=published.TABLE3_ERRORS,
    branches=tuple(published.TABLE3_ERRORS["implicit"]),
    quick_branches=(1, 2, 4, 6, 10),
    full={"varpro": {}, "implicit": {"n_starts": 2}},
    quick={"varpro": {"n_starts": 4}, "implicit": {"n_starts": 1, "max_iterations": 5}},
    not_comparable=_compare_network,
    counts=count_network(),
    errata=published.ERRATA["table3"],
)
