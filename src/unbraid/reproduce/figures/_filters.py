"""Figures f:filter and f:Lagrange: what finite differences make of smooth and of rough points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import Polynomial as Power

from ..._typing import Array
from ...model._plotting import INK, LINE, MARK, figure_of
from ...solvers._axis import make_axis
from ...solvers.filtered._filters import Filter, Window, stencil
from .._published import FILTER_NOISE
from ._style import TEAL, label, legend, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUGH = np.array([[-1.0, 0.1], [-0.62, 0.75], [0.0, 0.15], [0.45, 0.95], [1.0, 0.3]])
TICKS = (-1, -0.5, 0, 0.5, 1)
MIDDLE = 2  # of the rough points, where both windows meet
WINDOW, SHOWN = 5, 7  # points of the Lagrange windows, and the first of the highlighted one


def derivative(window: Window, z: Array, g: Array, points: int = 3) -> Array:
    """What a filter makes of g at sorted, distinct z.

    >>> z = np.array([0.0, 0.5, 2.0, 3.0])
    >>> np.allclose(derivative("left", z, z**2), 2 * z)
    True
    """
    start, weights = stencil(Filter(window, points), make_axis(z))
    slopes = np.diff(g) / np.diff(z)
    at = np.minimum(start[:, None] + np.arange(weights.shape[1]), slopes.size - 1)
    return np.asarray((weights * slopes[at]).sum(axis=1))


def gap(z: Array, g: Array) -> float:
    """rms of left minus right derivative, in % of the rms of both."""
    left, right = derivative("left", z, g), derivative("right", z, g)
    both = np.concatenate([left, right])
    return float(100 * np.sqrt(np.mean((left - right) ** 2) / np.mean(both**2)))


def cube(n_points: int = 60) -> tuple[Array, Array, Array]:
    """Random z in (-1, 1), its cube, and the cube with the noise of the paper's figure."""
    rng = np.random.default_rng(0)
    z = np.sort(rng.uniform(-1, 1, n_points))
    g = z**3
    noise = FILTER_NOISE * np.sqrt(np.mean(g**2)) * rng.standard_normal(n_points)
    return z, g, g + noise


def draw_filters() -> Figure:
    """Three panels: two windows that meet, a smooth function, the same with a little noise."""
    figure = figure_of(10.2, 3.4)
    windows, smooth, noisy = figure.subplots(1, 3)
    _windows(windows)
    z, clean, rough = cube()
    for panel, g, name in ((smooth, clean, "$z^3$"), (noisy, rough, "$z^3$ and noise")):
        _derivatives(panel, z, g)
        title(panel, f"{name}: left and right {gap(z, g):.2g} % apart")
        panel.set_xticks(TICKS)
    for panel in (smooth, noisy):
        panel.set_ylim(-2.2, 3.4)
    legend(smooth, "upper center")
    return figure


def _windows(panel: Any) -> None:
    z, g = ROUGH.T
    for side, colour, rows in (
        ("left", MARK, slice(0, MIDDLE + 1)),
        ("right", LINE, slice(MIDDLE, MIDDLE + 3)),
    ):
        parabola = Power.fit(z[rows], g[rows], 2)
        fine = np.linspace(z[rows][0], z[rows][-1], 100)
        panel.plot(fine, parabola(fine), color=colour, lw=0.9, ls="--")
        slope = float(derivative(side, z, g)[MIDDLE])  # type: ignore[arg-type]
        near = z[MIDDLE] + np.array([-0.16, 0.16])
        tangent = g[MIDDLE] + slope * (near - z[MIDDLE])
        panel.plot(near, tangent, color=colour, lw=2.4, label=f"{side} window: g' = {slope:.2f}")
    panel.plot(z, g, "o", color=INK, ms=5, zorder=4)
    title(panel, "rough points: two windows, two derivatives")
    panel.set_xticks(TICKS)
    panel.set_ylim(-0.75, 1.25)
    label(panel, "$z$", "$g$")
    legend(panel, "lower right")


def _derivatives(panel: Any, z: Array, g: Array) -> None:
    panel.plot(z, g, "o", color=INK, ms=3, label="$g$")
    panel.plot(z, derivative("left", z, g), "*", color=MARK, ms=6, mew=0.4, label="$g'$, left")
    panel.plot(z, derivative("right", z, g), "*", color=LINE, ms=4, mew=0.4, label="$g'$, right")
    label(panel, "$z$", "$g$, $g'$")


def draw_lagrange() -> Figure:
    """A sine on a grid of unequal steps, and the derivative of every window's polynomial."""
    z = np.linspace(0, 2 * np.pi, 17)
    z[1:-1] += np.random.default_rng(3).uniform(-0.13, 0.13, z.size - 2)
    g = np.sin(z)
    figure = figure_of(6.6, 3.8)
    panel = figure.subplots()
    for first in range(z.size - WINDOW + 1):
        _window(panel, z[first : first + WINDOW], g[first : first + WINDOW], first == SHOWN)
    central = derivative("central", z, g, WINDOW)
    panel.plot(z, g, "o", color=INK, ms=4, label="sine")
    panel.plot(z, central, "D", color=TEAL, ms=4, zorder=5, label="central differences")
    panel.set_ylim(-1.35, 1.35)
    label(panel, "$z$", "$g$, $g'$")
    worst = np.abs(central - np.cos(z)).max()
    title(panel, f"windows of {WINDOW} points; off the cosine by {worst:.1g} at most")
    entries = panel.get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=3, frameon=False, fontsize=7)
    return figure


def _window(panel: Any, z: Array, g: Array, shown: bool) -> None:
    """L'(z) through one window; the shown one with the places where it is read."""
    slope = Power.fit(z, g, WINDOW - 1).deriv()
    fine = np.linspace(z[0] - 0.5, z[-1] + 0.5, 200)
    if not shown:
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
