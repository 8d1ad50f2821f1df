"""Pictures of the gallery: every matplotlib figure that an example gives a name."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

DRAWN = "_drawn_in_the_gallery"


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Write the figures that are new in this block; those of ``d.plot()`` are not pyplot's."""
    paths = []
    for value in list(block_vars["example_globals"].values()):
        if isinstance(value, Figure) and not hasattr(value, DRAWN):
            setattr(value, DRAWN, True)
            paths.append(next(block_vars["image_path_iterator"]))
            value.savefig(paths[-1], dpi=144)
    return figure_rst(paths, gallery_conf["src_dir"])
