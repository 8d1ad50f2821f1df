"""Figures f:2, f:Imp_r and f:lambda: the toy problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._decouple import decouple
from ...data._samples import Samples
from ...model._function import DecoupledFunction
from ...model._plotting import MARK, figure_of
from ...solvers._factors import Factors
from .._experiments import ignore_fit_warnings, output_weights
from .._published import FIGURE_LAMBDAS
from .._tables import TOY_BASIS
from ._filters import compute_gap
from ._style import draw_branch_rows, set_labels, set_margins, set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FunctionsByCell = Mapping[tuple[str, int], DecoupledFunction]  # by method and branches


def draw_cpd(functions: FunctionsByCell) -> Figure:
    """Draw derivatives along z: of the plain decomposition, and of varpro."""
    polyadic, exact = functions["cpd", 3].solution, functions["varpro", 3].solution
    assert polyadic is not None
    assert exact is not None
    equal = [candidate.factors for candidate in polyadic.candidates]
    figure = figure_of(8.1, 4.7)
    above, below = figure.subplots(2, 3)
    for row, factors in ((above, max(equal, key=compute_roughness)), (below, exact.factors)):
        for i, panel in enumerate(row):
            _draw_derivatives(panel, factors, i)
    set_title(above[0], f"CPD: one of {len(equal)} solutions that fit the tensor exactly")
    set_title(below[0], "varpro: the same tensor, as functions of z")
    set_margins(figure, 2, 3)
    return figure


def _draw_derivatives(panel: Any, factors: Factors, i: int) -> None:
    order = np.argsort(factors.z[:, i])
    z, slope = factors.z[order, i], factors.derivatives[order, i]
    panel.plot(z, slope, color=MARK, lw=0.4, alpha=0.5)
    panel.plot(z, slope, "o", ms=3.5, mfc="none", mec=MARK, mew=0.8)
    set_labels(panel, f"$z_{i + 1}$", f"$g'_{i + 1}$")


def draw_scan(functions: FunctionsByCell, method: str) -> Figure:
    """Draw the branches for r = 1 to 4, with the errors of both outputs."""
    rows = []
    for r in (1, 2, 3, 4):
        d = functions[method, r]
        assert d.fitted_error is not None
        errors = " and ".join(f"{e:.2g}" if e > 1e-3 else f"{e:.0e}" for e in d.fitted_error)
        rows.append((f"{method}, r = {r}: {errors} %", d))
    return draw_branch_rows(rows)


def decouple_for_lambdas(samples: Samples) -> list[tuple[float, DecoupledFunction]]:
    """Apply the explicit method with the two values of lambda of the figure."""
    options: dict[str, Any] = {
        "method": "explicit",
        "basis": TOY_BASIS,
        "n_starts": 1,
        "max_iterations": 20,
        "weights": output_weights(samples),
        "random_state": 0,
    }
    with ignore_fit_warnings():
        return [
            (smoothness, decouple(samples, n_branches=3, smoothness=smoothness, **options))
            for smoothness in FIGURE_LAMBDAS
        ]


def compute_roughness(factors: Factors) -> float:
    """Return the largest difference of left and right derivatives of a branch, in %."""
    z, G = factors.z, factors.G
    orders = np.argsort(z, axis=0)
    return max(compute_gap(z[order, i], G[order, i]) for i, order in enumerate(orders.T))


def draw_lambda(samples: Samples) -> Figure:
    """Draw the branches for a small and for a large weight on smoothness."""
    rows = []
    for smoothness, d in decouple_for_lambdas(samples):
        assert d.solution is not None
        apart = compute_roughness(d.solution.factors)
        text = f"explicit, $\\lambda$ = {smoothness:g}: left and right derivatives"
        rows.append((f"{text} {apart:.{0 if apart > 1 else 4}f} % apart", d))
    return draw_branch_rows(rows)
