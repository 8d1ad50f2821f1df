"""Charts as inline SVG, one module per chart; all of them use ``_draw``."""
