"""Regression on rows without Jacobians: ours and three others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.peers import Candidate, needs
from benchmarks.problems import Task

NEEDS = {"projection pursuit": "skpp", "GAM": "pygam"}


def prepare(task: Task) -> None:
    needs(NEEDS.get(task.method, "sklearn"))
    import sklearn.ensemble
    import sklearn.gaussian_process  # noqa: F401

    import unbraid.regression  # noqa: F401


def models() -> dict[str, Callable[[], Any]]:
    from sklearn.ensemble import HistGradientBoostingRegressor

    from benchmarks.regression import PEERS

    return {
        "DecoupledRegressor": PEERS["unbraid"][1],
        "projection pursuit": PEERS["projection pursuit"][1],
        "GAM": PEERS["GAM"][1],
        "boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    }


def size(model: Any) -> int:
    """Numbers kept to predict with; a tree keeps a threshold or a value a node."""
    from benchmarks.regression import n_parameters

    trees = getattr(model, "_predictors", None)
    if trees is None:
        return n_parameters(model)
    return sum(2 * len(tree.nodes) for stage in trees for tree in stage)


def candidates(task: Task) -> Iterator[Candidate]:
    s = task.samples
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = models()[task.method]().fit(s.points, s.values[:, 0])
    yield Candidate(lambda points: model.predict(points).reshape(-1, 1), size(model))
