"""The values behind a chart, for the script of the page.

The script reads them out, draws them again when the reader zooms, and lists them in a table.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._typing import Array, Index

MOST_LEVEL = 2**16 - 2
NO_LEVEL = 2**16 - 1  # of a value that is not known
BAND_NAME = "±"  # of a line that is the half width of a band


class Line(NamedTuple):
    """Values (M,) at the abscissae of a chart; NaN where there is none.

    The class decides on the colour. A line without one is read out but not marked: the half width
    of a band, a limit.
    """

    name: str
    y: Array
    class_: str = ""


class Dots(NamedTuple):
    """Points of a scatter plot; ``labels`` are read out instead of coordinates."""

    name: str
    x: Any
    y: Any
    class_: str = "marks"
    labels: Sequence[str] = ()


class Bins(NamedTuple):
    """A histogram: edges (B + 1,) and counts (B,)."""

    edges: Array
    counts: Array


class Grid(NamedTuple):
    """Values (K, M) over y (K,) and x (M,)."""

    name: str
    x: Array
    y: Array
    values: Array


class Guide(NamedTuple):
    """A line for orientation, which has no values to read."""

    x: Any
    y: Any
    class_: str = "guide"


@dataclass(frozen=True, eq=False, kw_only=True)
class ChartValues:
    """What can be read from a chart.

    ``names`` are those of the axes. ``x`` are the rising abscissae of the lines. ``zoom`` names the
    axes that can be zoomed: "", "x" or "xy". ``seconds`` is the sampling time where ``x`` are times
    of samples. ``bars`` are names with numbers. ``trace`` says where a point of the inputs is in
    the chart.
    """

    names: tuple[str, str]
    x: Array | Index | None = None
    lines: Sequence[Line] = ()
    dots: Sequence[Dots] = ()
    bins: Bins | None = None
    grid: Grid | None = None
    guides: Sequence[Guide] = ()
    bars: Sequence[tuple[str, float]] = ()
    zoom: str = ""
    seconds: float | None = None
    trace: dict[str, Any] | None = None

    def to_json(self, **frame: Any) -> str:
        """Return a JSON text; ``frame`` are the axes in pixels and in values."""
        content: dict[str, Any] = {"names": self.names, **frame}
        if self.x is not None and len(self.x):
            content["at"] = pack_axis(self.x)
            content["lines"] = [[line.name, pack(line.y), line.class_] for line in self.lines]
        if self.dots:
            content["dots"] = [
                [dots.name, pack(dots.x), pack(dots.y), dots.class_, list(dots.labels)]
                for dots in self.dots
            ]
        if self.bins is not None:
            content["bins"] = [pack_axis(self.bins.edges), pack(self.bins.counts)]
        if self.grid is not None:
            name, x, y, values = self.grid
            content["grid"] = [name, pack_axis(x), pack_axis(y), pack_levels(values)]
        if self.guides:
            content["guides"] = [[pack(x), pack(y), class_] for x, y, class_ in self.guides]
        if self.bars:
            content["bars"] = [[name, float(value)] for name, value in self.bars]
        if self.zoom:
            content["zoom"] = self.zoom
        if self.seconds is not None:
            content["seconds"] = self.seconds
        if self.trace is not None:
            content["trace"] = self.trace
        return json.dumps(content, separators=(",", ":"))


def pack(values: Any, kind: str = "f4") -> str:
    """Return numbers as base64 of little-endian floats, by default single ones.

    >>> pack([1.0])
    'AACAPw=='
    """
    return b64encode(np.asarray(values, dtype=float).astype(f"<{kind}").tobytes()).decode()


def pack_levels(values: Array) -> list[Any]:
    """Return numbers as their range and 16 bits for each.

    >>> pack_levels(np.array([0.0, 1.0, np.nan]))
    [0.0, 1.0, 'AAD+////']
    """
    known = np.isfinite(values)
    low, high = (float(f(values[known])) for f in (np.min, np.max)) if known.any() else (0.0, 0.0)
    levels = np.rint((values - low) * (MOST_LEVEL / ((high - low) or 1.0)))
    packed = np.where(known, levels, NO_LEVEL).astype("<u2")
    return [low, high, b64encode(packed.tobytes()).decode()]


def pack_axis(values: Any) -> str | list[float]:
    """Return rising numbers; evenly spaced ones as first, last and count.

    >>> pack_axis([1.0, 2.0, 3.0])
    [1.0, 3.0, 3]
    """
    x = np.asarray(values, dtype=float)
    even = np.linspace(x[0], x[-1], len(x))
    if len(x) > 1 and np.allclose(x, even, rtol=0, atol=1e-9 * (x[-1] - x[0])):
        return [float(x[0]), float(x[-1]), len(x)]
    return pack(x)
