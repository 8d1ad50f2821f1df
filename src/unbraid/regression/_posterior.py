"""Standard errors of a regression: the posterior of a penalised fit.

The function is linearised in its parameters. The roughness of its splines is penalised, which is
a prior: so the posterior includes the bias of smoothing, on average over the function (Nychka,
1988). The function that is reported is not the mean of the posterior; its squared difference from
that mean is part of the variance.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..model._function import DecoupledFunction
from ..pipeline._pattern import find_linear
from ._linearised import Design, LinearDesign, Scaling, make_branch_design, make_scaling
from ._penalised_fit import GramSums, PenalisedFit, fit_penalised
from ._rows import Rows, spaced_indices

MAX_POSTERIOR_PARAMETERS = 1200
MAX_GRAM_ENTRIES = 20_000_000  # of all outputs together
MAX_POSTERIOR_ROWS = 20_000
POSTERIOR_CHUNK_ENTRIES = 1 << 20  # of the largest array


@dataclass(frozen=True, eq=False)
class Posterior:
    """What rows of data say about a function, and how noisy they are."""

    function: DecoupledFunction
    scaling: Scaling
    design: Design
    fit: PenalisedFit

    @property
    def noise(self) -> Array:
        """Standard deviation (n,) of the noise, in the units of the outputs."""
        return np.asarray(self.fit.noise * self.scaling.size)

    def standard_errors(self, X: Array) -> Array:
        """Standard errors (N, n) of the function at rows, without the noise of y."""
        found = np.empty((len(X), len(self.scaling.size)))
        for rows in chunk_rows(len(X), found.shape[1] * len(self.fit.coefficients)):
            with np.errstate(over="ignore", invalid="ignore"):  # very far outside
                found[rows] = self._standard_errors(X[rows])
        return found

    def _standard_errors(self, X: Array) -> Array:
        x, scaling = self.scaling.standardise(X), self.scaling
        table = self.design.table(x)
        variance = np.einsum("noa,noa->no", table @ self.fit.covariance, table)
        variance += self.design.variance_outside(x, self.fit.weights)
        reported = (self.function(X) - scaling.level) / scaling.size
        variance += (table @ self.fit.coefficients - reported) ** 2
        variance = np.where(np.isnan(variance), np.inf, np.maximum(variance, 0.0))
        return np.asarray(np.sqrt(variance) * scaling.size)


def estimate_posterior(d: DecoupledFunction, rows: Rows) -> Posterior | None:
    """The posterior at a fitted function; None if it has too many parameters."""
    scaling = make_scaling(rows)
    kept = spaced_indices(len(rows), MAX_POSTERIOR_ROWS)
    n_most = min(MAX_POSTERIOR_PARAMETERS, int(np.sqrt(MAX_GRAM_ENTRIES / d.n_outputs)))
    design: Design = LinearDesign(d.n_inputs, d.n_outputs)
    if not np.all(find_linear(d)):
        design = make_branch_design(d, scaling, rows.X[kept], n_most)
    if len(design.ridge) > n_most:
        return None
    sums = _sum_over_rows(design, scaling, rows.subset(kept), len(rows))
    noise = rows.residual_spread(d(rows.X)) / scaling.size
    fit = fit_penalised(sums, design.penalties, design.ridge, noise)
    return Posterior(d, scaling, design, fit)


def _sum_over_rows(design: Design, scaling: Scaling, rows: Rows, n_all: int) -> GramSums:
    """The sums of some of the rows, in proportion to the number of all."""
    n, q = rows.Y.shape[1], len(design.ridge)
    gram, target, square = np.zeros((n, q, q)), np.zeros((n, q)), np.zeros(n)
    for part in chunk_rows(len(rows), n * q):
        root = np.sqrt(rows.weights[part])
        table = design.table(scaling.standardise(rows.X[part])) * root[:, None, None]
        y = (rows.Y[part] - scaling.level) / scaling.size * root[:, None]
        gram += np.einsum("noa,nob->oab", table, table, optimize=True)
        target += np.einsum("noa,no->oa", table, y)
        square += np.sum(y**2, axis=0)
    share = n_all / len(rows)
    return GramSums(share * gram, share * target, share * square, n_all)


def chunk_rows(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield the rows to be taken at a time."""
    size = max(16, POSTERIOR_CHUNK_ENTRIES // max(n_columns, 1))
    for begin in range(0, n_rows, size):
        yield slice(begin, begin + size)
