"""How many branches data support, and how far the coupled model is to be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..errors import DegenerateBranch, FitWarning, InvalidOption, InvalidSamples
from ..model._function import DecoupledFunction
from ..pipeline._refinement import refine, with_marks
from ..sources import sample
from ._coupled import Recipe
from ._rows import Rows, constant_error, first_as_good, fold_error, thinned

Trust = float | None  # weight of the coupled model's slopes beside the data; None: no data at all
TRUST: tuple[Trust, ...] = (None, 0.1)  # tried for every number of branches ...
MORE_TRUST: tuple[Trust, ...] = (None, 1.0, 0.1, 0.01)  # ... and for the one that is taken
STEPS = 20  # of every descent
STARTS = 8
CALM = 1e-4  # penalty on branches that cancel: costs nothing, and they can be read
PATIENCE = 2  # numbers of branches tried after the best one
IMPROVED = 0.995
GOOD = 1e-6  # of the variance, 0.1 %: nothing below it is worth another branch or coefficient
ENOUGH = 0.003  # of the coupled model's error: a decoupling that is so near to it is as good
MOST_POINTS = 2000  # of the coupled model that are decoupled


@dataclass(frozen=True)
class Step:
    """What cross-validation says of a decoupling in some basis: errors by fold and trust."""

    function: DecoupledFunction
    basis: Basis
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
    """Rows to fit with what the coupled model makes of them, and rows to judge on.

    ``error`` is what the coupled model itself leaves of the latter.
    """

    fitted: Rows
    coupled: Samples
    judged: Rows
    error: float


def make_fold(recipe: Recipe, fitted: Rows, judged: Rows, scale: Array) -> Fold:
    """The coupled model on the one part, tried on the other."""
    model = recipe.fit(fitted)
    prediction = np.reshape(model.predict(judged.X), judged.Y.shape)
    error = fold_error(judged.Y, prediction, judged.weights, scale)
    return Fold(fitted, slopes_of(model, fitted), judged, error)


def slopes_of(model: Any, rows: Rows) -> Samples:
    """What the coupled model makes of the inputs; that it is no smooth one is the user's choice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return sample(model, rows.X)


def grown(
    coupled: Samples,
    folds: Sequence[Fold],
    scale: Array,
    counts: Sequence[int],
    basis: Basis,
    random_state: int,
) -> list[Step]:
    """One step a number of branches, until more of them do not or cannot help."""
    steps: list[Step] = []
    best, since = np.inf, 0
    enough = ENOUGH * float(np.mean([fold.error for fold in folds]))
    for function in decouplings(coupled, counts, basis, random_state):
        steps.append(Step(function, basis, judged(function, folds, scale, basis, TRUST)))
        if steps[-1].fold_errors.mean() < IMPROVED * best:
            best, since = steps[-1].fold_errors.mean(), 0
        else:
            since += 1
        assert function.fitted_error is not None
        misfit = np.mean((function.fitted_error / 100) ** 2)
        if since >= PATIENCE or misfit < enough or best <= GOOD:
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
                if not known:
                    raise
                return
        known = [d]
        yield d


def judged(
    function: DecoupledFunction,
    folds: Sequence[Fold],
    scale: Array,
    basis: Basis,
    trusts: Sequence[Trust],
) -> dict[Trust, Array]:
    """Errors on the rows held out, by trust and fold."""
    errors: dict[Trust, list[float]] = {trust: [] for trust in trusts}
    for fold in folds:
        rows = fold.judged
        try:
            start = in_basis(function, fold.coupled, basis)
        except InvalidSamples:  # the coupled model is flat on this fold
            flat = constant_error(fold.fitted, rows, scale)
            for trust in trusts:
                errors[trust].append(flat)
            continue
        for trust in trusts:
            d = trusting(start, fold.fitted, fold.coupled, trust)
            errors[trust].append(fold_error(rows.Y, d(rows.X), rows.weights, scale))
    return {trust: np.array(table) for trust, table in errors.items()}


def in_basis(d: DecoupledFunction, coupled: Samples, basis: Basis) -> DecoupledFunction:
    """A decoupling near this one, of this coupled model and in this basis."""
    return refine(
        d,
        coupled,
        basis=basis,
        jacobian_weight=0.1,
        smoothing="auto",
        cancellation=CALM,
        max_iterations=STEPS,
    )


def trusting(d: DecoupledFunction, rows: Rows, coupled: Samples, trust: Trust) -> DecoupledFunction:
    """Refined on the data, the slopes of the coupled model weighted by ``trust``."""
    data = Samples(rows.X, rows.Y, coupled.jacobians)
    if trust is not None:
        return refine(
            d,
            data,
            jacobian_weight=trust,
            smoothing="auto",
            cancellation=CALM,
            max_iterations=STEPS,
            point_weights=rows.weights,
        )
    rest = np.average(rows.Y - d(rows.X), axis=0, weights=rows.weights)
    return with_marks(replace(d, offset=d.offset + rest), data)


def simplest(steps: Sequence[Step]) -> Step:
    """The first of the steps, simple ones first, that is good, or the best but for chance."""
    return steps[first_as_good([step.fold_errors for step in steps], GOOD)]


def slimmed(step: Step, folds: Sequence[Fold], scale: Array, bases: Sequence[Basis]) -> Step:
    """The same branches in the smallest basis that is as good, trusted as far as is good."""
    d, trust = step.function, (step.trust,)
    steps = []
    for basis in bases:
        with suppress(InvalidOption):  # more coefficients than a branch has distinct z
            steps.append(Step(d, basis, judged(d, folds, scale, basis, trust)))
    basis = simplest([*steps, step]).basis
    return Step(d, basis, judged(d, folds, scale, basis, MORE_TRUST))
