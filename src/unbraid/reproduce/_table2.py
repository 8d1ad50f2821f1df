"""Table 2: a random polynomial of five inputs that is three branches."""

from __future__ import annotations

from collections.abc import Sequence

from ..bases import Polynomial
from ..cases import random_polynomial, reduction_samples
from ..data._samples import Samples
from . import _published as published
from ._cells import Trial
from ._counts import reduction_counts
from ._draws import Experiment
from ._floor import filter_floor

N_POINTS = 200
TRUE_BRANCHES = 3
QUINTIC = Polynomial(5)


def _samples(seed: int) -> Samples:
    return reduction_samples(N_POINTS, random_state=seed)


def _unlike(method: str, r: int) -> str:
    """The function is random: what is its own and what is the method's."""
    if r < TRUE_BRANCHES:
        return "another random function, and r is too few for it"
    return "" if method == "varpro" else "the bias of its filters is the function's own"


def _of_the_filters(trials: Sequence[Trial]) -> tuple[str, ...]:
    """How good the implicit method could be on these functions."""
    floors = []
    for seed in dict.fromkeys(trial.draw for trial in trials):
        f = random_polynomial(random_state=seed)  # the function that ``_samples`` draws first
        floors.append(filter_floor(_samples(seed), f.W, f.V, QUINTIC))
    return (
        f"with W and V known, the filters of the implicit method leave {min(floors):.2g} to "
        f"{max(floors):.2g} % on these functions: its bias is the function's own",
    )


EXPERIMENT = Experiment(
    name="table2",
    title=f"Table 2: polynomial reduction, {N_POINTS} points, branches of degree 5",
    samples=_samples,
    basis=QUINTIC,
    published=published.TABLE2,
    branches=(1, 2, 3, 4),
    quick_branches=(1, 2, 3, 4),
    full={"varpro": {}, "implicit": {}},
    quick={"varpro": {}, "implicit": {"n_starts": 1}},
    unlike=_unlike,
    counts=reduction_counts(),
    slips=published.SLIPS["table2"],
    remarks=_of_the_filters,
)
