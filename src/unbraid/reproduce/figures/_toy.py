"""Figures f:2, f:Imp_r and f:lambda: the toy problem."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._decouple import decouple
from ...data._samples import Samples
from ...errors import ConvergenceWarning, FitWarning
from ...model._function import DecoupledFunction
from ...model._plotting import MARK, figure_of
from ...solvers._factors import Factors
from .._draws import units_of_f
from .._published import FIGURE_LAMBDAS
from .._table1 import CUBIC
from ._filters import gap
from ._style import branch_rows, label, set_margins, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Found = Mapping[tuple[str, int], DecoupledFunction]


def draw_cpd(found: Found) -> Figure:
    """Derivatives along z: those of the plain decomposition, and those of varpro."""
    polyadic, exact = found["cpd", 3].solution, found["varpro", 3].solution
    assert polyadic is not None
    assert exact is not None
    equal = [candidate.factors for candidate in polyadic.candidates]
    figure = figure_of(8.1, 4.7)
    above, below = figure.subplots(2, 3)
    for row, factors in ((above, max(equal, key=roughness)), (below, exact.factors)):
        for i, panel in enumerate(row):
            _derivatives(panel, factors, i)
    title(above[0], f"CPD: one of {len(equal)} solutions that meet the tensor to rounding")
    title(below[0], "varpro: the same tensor, from functions of z")
    set_margins(figure, 2, 3)
    return figure


def _derivatives(panel: Any, factors: Factors, i: int) -> None:
    order = np.argsort(factors.z[:, i])
    z, slope = factors.z[order, i], factors.derivatives[order, i]
    panel.plot(z, slope, color=MARK, lw=0.4, alpha=0.5)
    panel.plot(z, slope, "o", ms=3.5, mfc="none", mec=MARK, mew=0.8)
    label(panel, f"$z_{i + 1}$", f"$g'_{i + 1}$")


def draw_scan(found: Found, method: str) -> Figure:
    """Branches for r = 1 to 4, with the errors of both outputs."""
    rows = []
    for r in (1, 2, 3, 4):
        d = found[method, r]
        assert d.fitted_error is not None
        errors = " and ".join(f"{e:.2g}" if e > 1e-3 else f"{e:.0e}" for e in d.fitted_error)
        rows.append((f"{method}, r = {r}: {errors} %", d))
    return branch_rows(rows)


def lambda_pair(samples: Samples) -> list[tuple[float, DecoupledFunction]]:
    """The explicit method with the two values of lambda of the figure."""
    options: dict[str, Any] = {
        "method": "explicit",
        "basis": CUBIC,
        "n_starts": 1,
        "max_iterations": 20,
        "weights": units_of_f(samples),
        "random_state": 0,
    }
    with warnings.catch_warnings():  # the figure is about what goes wrong
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FitWarning)
        return [
            (smoothness, decouple(samples, n_branches=3, smoothness=smoothness, **options))
            for smoothness in FIGURE_LAMBDAS
        ]


def roughness(factors: Factors) -> float:
    """How far left and right derivatives of G are apart, in %: the worst of the branches."""
    orders = np.argsort(factors.z, axis=0)
    return max(gap(factors.z[order, i], factors.G[order, i]) for i, order in enumerate(orders.T))


def draw_lambda(samples: Samples) -> Figure:
    """Too little weight on smoothness, and much."""
    rows = []
    for smoothness, d in lambda_pair(samples):
        assert d.solution is not None
        apart = roughness(d.solution.factors)
        words = f"explicit, $\\lambda$ = {smoothness:g}: left and right derivatives"
        rows.append((f"{words} {apart:.{0 if apart > 1 else 4}f} % apart", d))
    return branch_rows(rows)
