"""tensorly's CP of the Jacobian tensor, then a polynomial a branch: Dreesen et al., 2015."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks.peers import Candidate, needs
from benchmarks.problems import Task

STARTS = 10
ITERATIONS = 1000


def prepare(task: Task) -> None:
    needs("tensorly")
    from tensorly.decomposition import parafac

    parafac(np.ones((4, 2, 2)), 1, n_iter_max=2)


def candidates(task: Task) -> Iterator[Candidate]:
    from tensorly.decomposition import parafac

    most = task.samples.n_inputs * task.samples.n_outputs  # its SVD has no more columns
    for start in range(STARTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, (H, W, V) = parafac(
                task.samples.jacobians,
                task.n_branches,
                n_iter_max=ITERATIONS,
                init="svd" if start == 0 and task.n_branches <= most else "random",
                tol=1e-10,
                random_state=1000 * task.seed + start,
            )
        yield joined(task, H, W, V)


def joined(task: Task, H: np.ndarray, W: np.ndarray, V: np.ndarray) -> Candidate:
    """Branches whose slopes fit the columns of H; constants from the values."""
    s = task.samples
    z = s.points @ V
    slopes = [
        np.polynomial.Polynomial.fit(z[:, i], H[:, i], task.degree - 1) for i in range(z.shape[1])
    ]
    branches = [slope.integ() for slope in slopes]

    def without_constant(points: np.ndarray) -> np.ndarray:
        z = points @ V
        return np.stack([g(z[:, i]) for i, g in enumerate(branches)], axis=1) @ W.T

    constant = (s.values - without_constant(s.points)).mean(axis=0)
    size = W.size + V.size + task.degree * len(branches) + constant.size
    return Candidate(lambda points: without_constant(points) + constant, size)
