"""Charts as inline SVG: ``_draw`` has scales, axes and paths, every other module one chart."""
