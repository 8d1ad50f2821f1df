"""Errors of a scan against branches and parameters; points link to models."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._util.markup import Markup, shorten, tag
from ...scans._table import INDISTINGUISHABLE_PERCENT, PROGRESS_FACTOR
from .._number_format import format_percent
from .._scan_view import ScanPoint
from ._draw import Panel, line_path
from ._values import ChartValues, Dots, Guide

SCAN_CHART_SIZE = 460, 330  # pixels
SAME_PERCENT = 100 * (1 - PROGRESS_FACTOR)  # of an error: a smaller difference is none
FRONT_MEANING = (
    f"no smaller model is as good; errors that differ by less than {SAME_PERCENT:.0f} % of "
    f"themselves, and errors below {format_percent(INDISTINGUISHABLE_PERCENT, 1)}, count as equal"
)
SMALLEST_DRAWN_PERCENT = 1e-14  # smaller errors are drawn there
POLYGONS = {1: (4, 0.125), 2: (3, 0.75), 3: (4, 0.0), 4: (3, 0.25), 5: (6, 0.0)}  # corners, turn
MARKERS = 1 + len(POLYGONS)  # a circle and the polygons, one per method
MOST_BRANCH_TICKS = 12
LOG_AXIS_RATIO = 20  # of the sizes: from here on their axis is logarithmic
METHOD_SHIFT = 0.11  # branches between the points of one method and the next


@dataclass(frozen=True)
class ScanCharts:
    """The points of a scan, the selected key, and the coupled model's error."""

    points: Sequence[ScanPoint]
    selected: str | None
    reference: float | None

    @property
    def methods(self) -> list[str]:
        """Every method once, in order of appearance."""
        return list(dict.fromkeys(p.method for p in self.points))

    @property
    def error_range(self) -> tuple[float, float]:
        """The range of the logarithmic axis of errors."""
        errors = [*(p.row.error for p in self.points), self.reference]
        finite = [e for e in errors if e is not None and np.isfinite(e)] or [1.0]
        low, high = np.maximum([min(finite), max(finite)], SMALLEST_DRAWN_PERCENT).tolist()
        room = max((high / low) ** 0.06, 1.5)
        return low / room, high * room

    def by_branches(self) -> Markup:
        """Return error against the number of branches, with methods next to each other."""
        counts = [p.row.n_branches for p in self.points]
        low, high = min(counts), max(counts)
        ends = (low - 0.5, high + 0.5)
        panel = Panel(*SCAN_CHART_SIZE, ends, self.error_range, log=(False, True))
        order = [self.methods.index(p.method) for p in self.points]
        shifts = METHOD_SHIFT * (np.array(order) - 0.5 * (len(self.methods) - 1))
        ticks = range(low, high + 1, -(-(high - low + 1) // MOST_BRANCH_TICKS))
        return self._draw(panel, (counts + shifts).tolist(), "branches", ticks)

    def by_parameters(self) -> Markup:
        """Return error against the number of parameters."""
        sizes = [float(p.row.n_parameters or 0) for p in self.points]
        low, high = min(sizes), max(sizes)
        log = high > LOG_AXIS_RATIO * low
        room = max(0.08 * (high - low), 1.0)
        ends = (0.85 * low, 1.15 * high) if log else (low - room, high + room)
        panel = Panel(*SCAN_CHART_SIZE, ends, self.error_range, log=(log, True))
        return self._draw(panel, sizes, "parameters")

    def _draw(
        self, panel: Panel, places: Sequence[float], label: str, ticks: Sequence[int] | None = None
    ) -> Markup:
        errors = np.array([p.row.error for p in self.points], dtype=float)
        drawn = np.maximum(errors, SMALLEST_DRAWN_PERCENT)
        x, y = panel.x(places), panel.y(np.where(np.isfinite(errors), drawn, panel.y.high))
        order = np.lexsort((y, x)).tolist()  # that of the arrow keys
        front = [k for k in order if self.points[k].on_front]
        front.sort(key=lambda k: self.points[k].row.n_parameters or 0)
        kinds = [self.methods.index(p.method) % MARKERS for p in self.points]
        marks = [
            _draw_point(self.points[k], kinds[k], x[k], y[k], self.selected, place)
            for place, k in enumerate(order)
        ]
        sizes = np.array(places, dtype=float)
        shown = np.where(np.isfinite(errors), drawn, panel.y.high)
        reference = self._find_reference()
        level = (
            []
            if reference is None
            else [Guide([panel.x.low, panel.x.high], [reference] * 2, "reference")]
        )
        values = ChartValues(
            names=(label, "error (%)"),
            dots=[
                Dots(
                    "model",
                    sizes[order],
                    shown[order],
                    "",
                    [_write_label(self.points[k]) for k in order],
                )
            ],
            guides=[*level, Guide(sizes[front], shown[front], "front")],
            zoom="xy",
        )
        return panel.draw(
            f"error against {label}: {len(self.points):,} models",
            panel.axes(label, "error (%)", (6, 6), ticks),
            [panel.line(guide.x, guide.y, "reference") for guide in level],
            tag("path", class_="front", d=line_path(x[front], y[front])),
            values=values,
            over=tag("g", marks, class_="points"),
        )

    def _find_reference(self) -> float | None:
        """Return the error of the coupled model where it can be drawn."""
        if not self.reference or not 0 < self.reference < np.inf:
            return None
        return max(self.reference, SMALLEST_DRAWN_PERCENT)

    def legend(self, dynamic: bool, reference: str) -> Markup:
        """Return the markers of the methods and the meaning of the lines."""
        items = []
        for k, method in enumerate(self.methods):
            kind = k % MARKERS
            path = tag("path", d=_draw_marker(kind, 8, 8), class_=f"marker kind-{kind}")
            items.append(tag("li", _draw_icon(path, 16), shorten(method)))
        lines = {"front": FRONT_MEANING + " on the training record" * dynamic}
        if self.reference is not None:
            lines["reference"] = f"{reference}, {format_percent(self.reference)}"
        for class_, meaning in lines.items():
            items.append(
                tag("li", _draw_icon(tag("path", d="M0 8H22", class_=class_), 22), meaning)
            )
        return tag("ul", items, class_="legend")


def _draw_point(
    p: ScanPoint, kind: int, x: float, y: float, selected: str | None, place: int
) -> Markup:
    """Return a link to the model, or only a mark if the page has no section for it.

    ``place`` is that among the values of the chart.
    """
    text = _write_label(p)
    marker = tag("path", d=_draw_marker(kind, x, y), class_=f"marker kind-{kind}")
    if not p.has_section:
        return tag("g", marker, class_="faint mark", data_place=place)
    return tag(
        "a",
        tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=13, class_="halo"),
        marker,
        href=f"#{p.key}",
        aria_label=text,
        aria_current="true" if p.key == selected else None,
        class_="point mark",
        data_model=p.key,
        data_place=place,
    )


def _write_label(p: ScanPoint) -> str:
    error = "diverges" if p.row.error == np.inf else f"error {format_percent(p.row.error)}"
    return f"{shorten(p.row.label, 120)}: {error}, {p.row.n_parameters:,} parameters"


def _draw_marker(kind: int, x: float, y: float, r: float = 5.0) -> str:
    """Return the path of a marker; shapes distinguish methods without colour."""
    if kind == 0:
        return f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z"
    corners, turn = POLYGONS[kind]
    angles = 2 * np.pi * (np.arange(corners) / corners + turn)
    return line_path(x + 1.25 * r * np.cos(angles), y + 1.25 * r * np.sin(angles)) + "Z"


def _draw_icon(path: Markup, width: int) -> Markup:
    class_ = "icon wide" if width > 16 else "icon"
    return tag("svg", path, viewBox=f"0 0 {width} 16", class_=class_, aria_hidden="true")
