"""Errors of a scan against branches and against numbers; every point picks its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._typing import Array
from .._markup import Markup, shortened, tag
from .._numbers import counting, percent
from .._scan_view import Point
from ._draw import Panel, figure, line, panel

WIDTH, HEIGHT = 460, 330
BEATEN = "no other is both smaller and better"
LEAST = 1e-14  # percent: an error below is drawn there
POLYGONS = {1: (4, 0.125), 2: (3, 0.75), 3: (4, 0.0), 4: (3, 0.25), 5: (6, 0.0)}
MARKERS = 1 + len(POLYGONS)  # a circle, and corners with the turn of the first; one a method
MOST_TICKS = 12
WIDE = 20  # times the least size: from here on the axis of sizes is logarithmic
DODGE = 0.11  # of a branch: points of the next method stand this far to the right


@dataclass(frozen=True)
class ScanCharts:
    """The points of a scan, the one that is picked, and the error of the coupled model."""

    points: Sequence[Point]
    picked: str | None
    reference: float | None

    @property
    def methods(self) -> list[str]:
        """Every method once, in the order they come."""
        return list(dict.fromkeys(p.method for p in self.points))

    @property
    def errors(self) -> tuple[float, float]:
        """The range of all errors."""
        reference = [] if self.reference is None else [self.reference]
        return _range([*reference, *(p.error for p in self.points)])

    def by_branches(self) -> Markup:
        """Error against the number of branches; methods stand beside each other."""
        counts = [p.n_branches for p in self.points]
        low, high = min(counts), max(counts)
        area = panel(WIDTH, HEIGHT, (low - 0.5, high + 0.5), self.errors, log=(False, True))
        methods = self.methods
        middle = 0.5 * (len(methods) - 1)
        places = [p.n_branches + DODGE * (methods.index(p.method) - middle) for p in self.points]
        whole = range(low, high + 1, -(-(high - low + 1) // MOST_TICKS))
        return self._chart(area, places, "branches", whole)

    def by_size(self) -> Markup:
        """Error against the numbers stored."""
        sizes = [p.n_parameters for p in self.points]
        low, high = min(sizes), max(sizes)
        wide = high > WIDE * low
        room = max(0.08 * (high - low), 1.0)
        x = (0.85 * low, 1.15 * high) if wide else (low - room, high + room)
        area = panel(WIDTH, HEIGHT, x, self.errors, log=(wide, True))
        return self._chart(area, sizes, "numbers stored")

    def _chart(
        self,
        area: Panel,
        places: Sequence[float],
        label: str,
        whole: Sequence[int] | None = None,
    ) -> Markup:
        x, y = area.x(places), _heights(area, self.points)
        order = np.lexsort((y, x))  # that of the arrow keys
        front = sorted(
            (k for k in order if self.points[k].on_front),
            key=lambda k: self.points[k].n_parameters,
        )
        kinds = [self.methods.index(p.method) % MARKERS for p in self.points]
        marks = [_point(self.points[k], kinds[k], x[k], y[k], self.picked) for k in order]
        return figure(
            WIDTH,
            HEIGHT,
            f"error against {label}: {counting(len(self.points))} models",
            area.axes(label, "error (%)", (6, 6), whole),
            _reference(area, self.reference),
            tag("path", class_="front", d=line(x[front], y[front])),
            tag("g", marks, class_="points"),
            role="group",
        )

    def legend(self, dynamic: bool) -> Markup:
        """Which marker is which method, and what the lines are."""
        items = []
        for k, method in enumerate(self.methods):
            path = tag("path", d=_marker(k % MARKERS, 8, 8), class_=f"marker kind-{k % MARKERS}")
            items.append(tag("li", _icon(path, 16), shortened(method)))
        where = " on the training record" if dynamic else ""
        items.append(tag("li", _icon(tag("path", d="M0 8H22", class_="front"), 22), BEATEN + where))
        if self.reference is not None:
            icon = _icon(tag("path", d="M0 8H22", class_="reference"), 22)
            items.append(tag("li", icon, f"the coupled model, {percent(self.reference)}"))
        return tag("ul", items, class_="legend")


def _point(p: Point, kind: int, x: float, y: float, picked: str | None) -> Markup:
    """A link to the model, or only a mark where the page has no section for it."""
    error = "runs off" if np.isinf(p.error) else f"error {percent(p.error)}"
    words = f"{shortened(p.label, 120)}: {error}, {counting(p.n_parameters)} numbers"
    mark = [
        tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=13, class_="halo"),
        tag("path", d=_marker(kind, x, y), class_=f"marker kind-{kind}"),
    ]
    if not p.has_section:
        return tag("g", mark[1:], tag("title", words), class_="faint")
    return tag(
        "a",
        tag("title", words),
        mark,
        href=f"#{p.key}",
        aria_label=words,
        aria_current="true" if p.key == picked else None,
        class_="point",
        data_model=p.key,
    )


def _marker(kind: int, x: float, y: float, r: float = 5.0) -> str:
    """A shape around a place, so that methods are told apart without colour."""
    if kind == 0:
        return f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z"
    count, first = POLYGONS[kind]
    angles = 2 * np.pi * (np.arange(count) / count + first)
    size = 1.25 * r
    return line(x + size * np.cos(angles), y + size * np.sin(angles)) + "Z"


def _icon(path: Markup, width: int) -> Markup:
    size = "icon wide" if width > 16 else "icon"
    return tag("svg", path, viewBox=f"0 0 {width} 16", class_=size, aria_hidden="true")


def _reference(area: Panel, reference: float | None) -> list[Markup]:
    if reference is None or not np.isfinite(reference) or reference <= 0:
        return []
    y = float(area.y(max(reference, LEAST)))
    return [tag("path", class_="reference", d=line([area.x.start, area.x.end], [y, y]))]


def _heights(area: Panel, points: Sequence[Point]) -> Array:
    """Errors too small to matter lie at the bottom, models that run off above the rest."""
    errors = np.array([p.error for p in points])
    return area.y(np.where(np.isfinite(errors), np.clip(errors, LEAST, None), area.y.high))


def _range(errors: Sequence[float]) -> tuple[float, float]:
    """A range of errors on a logarithmic axis, with some room."""
    sound = np.clip([e for e in errors if np.isfinite(e)] or [1.0], LEAST, None)
    low, high = float(np.min(sound)), float(np.max(sound))
    room = max((high / low) ** 0.06, 1.5)
    return low / room, high * room
