"""Table 1 of the paper: function errors on the toy problem, beside the published ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..bases import Polynomial
from ..decouple import decouple
from ..function import DecoupledFunction
from ..samples import Samples

PUBLISHED = {
    "implicit": {1: (51.4, 32.1), 2: (20.9, 6.2), 3: (0.8, 1.0), 4: (0.3, 0.4)},
    "explicit": {1: (60.7, 32.6), 2: (22.8, 4.9), 3: (2.8, 1.3), 4: (0.2, 0.1)},
}


@dataclass(frozen=True)
class Cell:
    """One method and number of branches: what came out, and what was published."""

    method: str
    n_branches: int
    function: DecoupledFunction
    published: tuple[float, float]


def table1(samples: Samples, method: str, **options: Any) -> Iterator[Cell]:
    """Decouple the toy problem for r = 1 ... 4, cubic branches, one cell after the other.

    A method that the paper does not have stands beside the paper's implicit one.
    """
    for n_branches, published in PUBLISHED.get(method, PUBLISHED["implicit"]).items():
        d = decouple(samples, n_branches=n_branches, method=method, basis=Polynomial(3), **options)
        yield Cell(method, n_branches, d, published)
