"""PyPI ``projection-pursuit``: values only."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks.peers import Candidate, needs
from benchmarks.problems import Task

STARTS = 5


def prepare(task: Task) -> None:
    needs("skpp", "projection-pursuit")
    import skpp  # noqa: F401


def candidates(task: Task) -> Iterator[Candidate]:
    from skpp import ProjectionPursuitRegressor

    s = task.samples
    kinds = (("polyfit", task.degree), ("spline", 3))
    for start, (kind, degree) in product(range(STARTS), kinds):
        model = ProjectionPursuitRegressor(
            r=task.n_branches, fit_type=kind, degree=degree, random_state=start
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(s.points, s.values if s.n_outputs > 1 else s.values[:, 0])

        def predict(points: np.ndarray, model: ProjectionPursuitRegressor = model) -> np.ndarray:
            return model.predict(points).reshape(len(points), -1)

        yield Candidate(predict, sizes(model), note=f"{kind} {degree}")


def sizes(model: object) -> int:
    """Directions, output weights, and what each function is made of."""
    total = model._alpha_.size + model._beta_.size  # type: ignore[attr-defined]
    for f in model._f_:  # type: ignore[attr-defined]
        is_polynomial = isinstance(f, np.poly1d)
        total += len(f.coeffs) if is_polynomial else len(f.get_coeffs()) + len(f.get_knots())
    return int(total)
