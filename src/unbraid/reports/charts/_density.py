"""Where the data are along an axis: a histogram below a curve."""

import numpy as np

from ..._typing import Array
from ..._util.markup import Markup
from ._draw import Panel
from ._values import Bins

DENSITY_BINS = 24
DENSITY_SHARE = 1 / 6  # of the height: the tallest bar of the histogram


def count_data(data: Array | None) -> Bins | None:
    """Return the histogram of data; None if they are all equal."""
    if data is None or not data.size or not np.ptp(data) > 0:
        return None
    counts, edges = np.histogram(data, DENSITY_BINS)
    return Bins(edges, counts)


def make_room(bottom: float, top: float) -> float:
    """Return the lower end of a vertical axis with room for a histogram."""
    return bottom - DENSITY_SHARE / (1 - DENSITY_SHARE) * (top - bottom)


def draw_density(p: Panel, bins: Bins | None) -> Markup | None:
    """Return the bars of a histogram at the bottom of a panel."""
    if bins is None:
        return None
    tallest = DENSITY_SHARE * (p.y.start - p.y.end)
    return p.histogram(bins.edges, tallest * bins.counts / bins.counts.max(), "density")
