"""How many branches data support, and how far the coupled model is to be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bases import Basis
from ..decouple import decouple
from ..errors import DegenerateBranch
from ..function import DecoupledFunction
from ..refine import refine, with_marks
from ..samples import Samples
from ..sources import sample
from ..tensor import Array
from .coupled import Recipe
from .rows import Rows, first_as_good, fold_error, thinned

Trust = float | None  # weight of the coupled model's slopes beside the data; None: no data at all
TRUST: tuple[Trust, ...] = (None, 0.1)  # tried for every number of branches ...
MORE_TRUST: tuple[Trust, ...] = (None, 1.0, 0.1, 0.01)  # ... and for the one that is taken
STEPS = 20  # of every descent
STARTS = 6
PATIENCE = 2  # numbers of branches tried after the best one
IMPROVED = 0.995
MOST_POINTS = 2000  # of the coupled model that are decoupled


@dataclass(frozen=True)
class Step:
    """What cross-validation says of a number of branches: errors by fold and trust."""

    function: DecoupledFunction
    errors: dict[Trust, Array]  # by fold, in units of the variance

    @property
    def trust(self) -> Trust:
        """The most trusting of those that are as good as any."""
        return list(self.errors)[first_as_good(list(self.errors.values()))]

    @property
    def fold_errors(self) -> Array:
        return self.errors[self.trust]


@dataclass(frozen=True)
class Fold:
    """Rows to fit with what the coupled model makes of them, and rows to judge on."""

    fitted: Rows
    coupled: Samples
    judged: Rows


def make_fold(recipe: Recipe, fitted: Rows, judged: Rows) -> Fold:
    return Fold(fitted, sample(recipe.fit(fitted), fitted.X), judged)


def grown(
    coupled: Samples,
    folds: Sequence[Fold],
    scale: Array,
    counts: Sequence[int],
    basis: Basis,
    random_state: int,
) -> list[Step]:
    """One step a number of branches, until more of them do not help."""
    steps: list[Step] = []
    best, since = np.inf, 0
    for function in decouplings(coupled, counts, basis, random_state):
        steps.append(Step(function, judged(function, folds, scale, TRUST)))
        if steps[-1].fold_errors.mean() < IMPROVED * best:
            best, since = steps[-1].fold_errors.mean(), 0
        else:
            since += 1
        if since >= PATIENCE:
            break
    return steps


def decouplings(
    coupled: Samples, counts: Sequence[int], basis: Basis, random_state: int
) -> Iterator[DecoupledFunction]:
    """The coupled model with ever more branches, each start including the one before."""
    known: list[DecoupledFunction] = []
    points = coupled.subset(thinned(len(coupled), MOST_POINTS))
    for count in counts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                d = decouple(
                    points,
                    n_branches=count,
                    basis=basis,
                    random_state=random_state,
                    n_starts=STARTS,
                    known=known,
                )
            except DegenerateBranch:
                return
        known = [d]
        yield d


def judged(
    function: DecoupledFunction, folds: Sequence[Fold], scale: Array, trusts: Sequence[Trust]
) -> dict[Trust, Array]:
    """Errors on the rows held out, by trust and fold."""
    errors: dict[Trust, list[float]] = {trust: [] for trust in trusts}
    for fold in folds:
        start = refine(
            function,
            fold.coupled,
            jacobian_weight=0.1,
            smoothing="auto",
            max_iterations=STEPS,
        )
        for trust in trusts:
            d = trusting(start, fold.fitted, fold.coupled, trust)
            rows = fold.judged
            errors[trust].append(fold_error(rows.Y, d(rows.X), rows.weights, scale))
    return {trust: np.array(table) for trust, table in errors.items()}


def trusting(d: DecoupledFunction, rows: Rows, coupled: Samples, trust: Trust) -> DecoupledFunction:
    """Refined on the data, the slopes of the coupled model weighted by ``trust``."""
    data = Samples(rows.X, rows.Y, coupled.jacobians)
    if trust is not None:
        return refine(
            d,
            data,
            jacobian_weight=trust,
            smoothing="auto",
            max_iterations=STEPS,
            point_weights=rows.weights,
        )
    rest = np.average(rows.Y - d(rows.X), axis=0, weights=rows.weights)
    return with_marks(replace(d, offset=d.offset + rest), data)


def simplest(steps: Sequence[Step]) -> Step:
    """The step of fewest branches that is as good as the best but for chance."""
    return steps[first_as_good([step.fold_errors for step in steps])]
