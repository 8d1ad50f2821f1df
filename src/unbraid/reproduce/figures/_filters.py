"""Figures f:filter and f:Lagrange: finite differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import Polynomial as Power

from ..._typing import Array
from ...model._plotting import INK, LINE, MARK, figure_of
from ...solvers._axis import make_axis
from ...solvers.filtered._filters import Filter, Window, compute_stencil
from .._published import FILTER_NOISE
from ._style import TEAL, add_legend, set_labels, set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUGH_POINTS = np.array([[-1.0, 0.1], [-0.62, 0.75], [0.0, 0.15], [0.45, 0.95], [1.0, 0.3]])
Z_TICKS = (-1, -0.5, 0, 0.5, 1)
MIDDLE = 2  # index of the rough point where both windows meet
WINDOW_POINTS, HIGHLIGHTED_WINDOW = 5, 7  # Lagrange windows; the second is an index


def differentiate(window: Window, z: Array, g: Array, points: int = 3) -> Array:
    """Return the derivative of g by a filter, at sorted and distinct z.

    >>> z = np.array([0.0, 0.5, 2.0, 3.0])
    >>> np.allclose(differentiate("left", z, z**2), 2 * z)
    True
    """
    start, weights = compute_stencil(Filter(window, points), make_axis(z))
    slopes = np.diff(g) / np.diff(z)
    at = np.minimum(start[:, None] + np.arange(weights.shape[1]), slopes.size - 1)
    return np.asarray((weights * slopes[at]).sum(axis=1))


def compute_gap(z: Array, g: Array) -> float:
    """Return the rms of left minus right derivative, in % of the rms of both."""
    left, right = differentiate("left", z, g), differentiate("right", z, g)
    both = np.concatenate([left, right])
    return float(100 * np.sqrt(np.mean((left - right) ** 2) / np.mean(both**2)))


def sample_cube(n_points: int = 60) -> tuple[Array, Array, Array]:
    """Return random z in (-1, 1), their cubes, and these with the noise of the paper."""
    rng = np.random.default_rng(0)
    z = np.sort(rng.uniform(-1, 1, n_points))
    g = z**3
    noise = FILTER_NOISE * np.sqrt(np.mean(g**2)) * rng.standard_normal(n_points)
    return z, g, g + noise


def draw_filters() -> Figure:
    """Draw two adjacent windows, a smooth function, and the same with noise."""
    figure = figure_of(10.2, 3.4)
    windows, smooth, noisy = figure.subplots(1, 3)
    _draw_windows(windows)
    z, clean, rough = sample_cube()
    for panel, g, name in ((smooth, clean, "$z^3$"), (noisy, rough, "$z^3$ and noise")):
        _draw_derivatives(panel, z, g)
        set_title(panel, f"{name}: left and right {compute_gap(z, g):.2g} % apart")
        panel.set_xticks(Z_TICKS)
        panel.set_ylim(-2.2, 3.4)
    add_legend(smooth, "upper center")
    return figure


def _draw_windows(panel: Any) -> None:
    z, g = ROUGH_POINTS.T
    for side, colour, rows in (
        ("left", MARK, slice(0, MIDDLE + 1)),
        ("right", LINE, slice(MIDDLE, MIDDLE + 3)),
    ):
        parabola = Power.fit(z[rows], g[rows], 2)
        fine = np.linspace(z[rows][0], z[rows][-1], 100)
        panel.plot(fine, parabola(fine), color=colour, lw=0.9, ls="--")
        slope = float(differentiate(side, z, g)[MIDDLE])  # type: ignore[arg-type]
        near = z[MIDDLE] + np.array([-0.16, 0.16])
        tangent = g[MIDDLE] + slope * (near - z[MIDDLE])
        panel.plot(near, tangent, color=colour, lw=2.4, label=f"{side} window: g' = {slope:.2f}")
    panel.plot(z, g, "o", color=INK, ms=5, zorder=4)
    set_title(panel, "rough points: two windows, two derivatives")
    panel.set_xticks(Z_TICKS)
    panel.set_ylim(-0.75, 1.25)
    set_labels(panel, "$z$", "$g$")
    add_legend(panel, "lower right")


def _draw_derivatives(panel: Any, z: Array, g: Array) -> None:
    panel.plot(z, g, "o", color=INK, ms=3, label="$g$")
    panel.plot(z, differentiate("left", z, g), "*", color=MARK, ms=6, mew=0.4, label="$g'$, left")
    panel.plot(z, differentiate("right", z, g), "*", color=LINE, ms=4, mew=0.4, label="$g'$, right")
    set_labels(panel, "$z$", "$g$, $g'$")


def draw_lagrange() -> Figure:
    """Draw a sine on unequal steps, and the derivatives of all windows."""
    z = np.linspace(0, 2 * np.pi, 17)
    z[1:-1] += np.random.default_rng(3).uniform(-0.13, 0.13, z.size - 2)
    g = np.sin(z)
    figure = figure_of(6.6, 3.8)
    panel = figure.subplots()
    for first in range(z.size - WINDOW_POINTS + 1):
        end = first + WINDOW_POINTS
        _draw_window(panel, z[first:end], g[first:end], first == HIGHLIGHTED_WINDOW)
    central = differentiate("central", z, g, WINDOW_POINTS)
    panel.plot(z, g, "o", color=INK, ms=4, label="sine")
    panel.plot(z, central, "D", color=TEAL, ms=4, zorder=5, label="central differences")
    panel.set_ylim(-1.35, 1.35)
    set_labels(panel, "$z$", "$g$, $g'$")
    worst = np.abs(central - np.cos(z)).max()
    set_title(panel, f"windows of {WINDOW_POINTS} points; largest error {worst:.1g}")
    entries = panel.get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=3, frameon=False, fontsize=7)
    return figure


def _draw_window(panel: Any, z: Array, g: Array, highlighted: bool) -> None:
    """Draw L'(z) of one window; if highlighted, with evaluation points."""
    slope = Power.fit(z, g, WINDOW_POINTS - 1).deriv()
    fine = np.linspace(z[0] - 0.5, z[-1] + 0.5, 200)
    if not highlighted:
        panel.plot(fine, slope(fine), color=INK, lw=0.5, alpha=0.35)
        return
    panel.plot(fine, slope(fine), color=LINE, lw=1.8, zorder=4, label="$L^{(1)}$ of one window")
    panel.axvspan(z[0], z[-1], color=LINE, alpha=0.07, lw=0)
    for at, name, shift in (
        (0, "right", (-24, -12)),
        (2, "central", (-8, -15)),
        (4, "left", (7, -9)),
    ):
        panel.plot(z[at], slope(z[at]), "s", ms=6, mfc="white", mec=LINE, zorder=6)
        place = (z[at], slope(z[at]))
        panel.annotate(name, place, shift, textcoords="offset points", fontsize=7, color=LINE)
