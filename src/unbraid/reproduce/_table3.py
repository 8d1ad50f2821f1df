"""Table 3: a random network, 2-15-10-10-5-2."""

from __future__ import annotations

from ..bases import Polynomial
from ..cases import network_samples
from ..data._samples import Samples
from . import _published as published
from ._counts import NETWORK_DEGREE, network_counts
from ._draws import Experiment

N_POINTS = 200
ENTRIES = 4  # of the 2 by 2 Jacobian: that many terms make any of them


def _samples(seed: int) -> Samples:
    return network_samples(N_POINTS, random_state=seed)


def _unlike(method: str, r: int) -> str:
    """The network is random; as written, the spread over networks is known for some r only."""
    if r < ENTRIES:
        return "another random network, and r is too few for its Jacobians"
    known = method == "varpro" or r in published.AS_WRITTEN["table3"][method]
    return "" if known else "another random network"


EXPERIMENT = Experiment(
    name="table3",
    title=f"Table 3: a random logistic network, {N_POINTS} points, branches of degree "
    f"{NETWORK_DEGREE}",
    samples=_samples,
    basis=Polynomial(NETWORK_DEGREE),
    published=published.TABLE3,
    branches=tuple(published.TABLE3["implicit"]),
    quick_branches=(1, 2, 4, 6, 10),
    full={"varpro": {}, "implicit": {"n_starts": 2}},
    quick={"varpro": {"n_starts": 4}, "implicit": {"n_starts": 1, "max_iterations": 5}},
    unlike=_unlike,
    counts=network_counts(),
    slips=published.SLIPS["table3"],
)
