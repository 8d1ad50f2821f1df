"""Pictures as inline SVG: ``draw`` has scales, axes and paths, each other file one kind."""
