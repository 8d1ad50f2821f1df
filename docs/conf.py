"""The documentation site: MyST pages, a gallery that is run, and the reference."""

import re
import sys
from pathlib import Path

from docutils import nodes

from unbraid import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "unbraid"
author = "The unbraid developers"
copyright = author
release = version = __version__

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "reports",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_typehints = "none"  # docstrings say what is taken, in words
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ |> "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),  # only what is printed
    "image_scrapers": ("figures.scrape",),
    "download_all_examples": False,
    "show_signature": False,
    "thumbnail_size": (420, 200),
    "min_reported_time": 10_000,
    "write_computation_times": False,  # that page would fetch scripts
    "abort_on_example_error": True,
    "matplotlib_animations": False,
}

html_theme = "furo"
html_title = f"unbraid {release}"
html_static_path = ["_static"]
html_css_files = ["unbraid.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#a5301f",
        "color-brand-content": "#a5301f",
    },
    "dark_css_variables": {
        "color-brand-primary": "#ff9a8a",
        "color-brand-content": "#ff9a8a",
    },
}


def _fitted_names(app, what, name, obj, options, lines):
    """Names as scikit-learn ends them, ``n_branches_``, would be taken for links."""
    bare = re.compile(r"(?<![`\w.])([A-Za-z]\w*_)(?![`\w])")
    lines[:] = [line if "``" in line else bare.sub(r"``\1``", line) for line in lines]


def _without_last_lines(app, doctree):
    """Examples end with an empty line, which doctest needs and a reader does not."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block.children = [nodes.Text(block.rawsource)]


def setup(app):
    app.connect("autodoc-process-docstring", _fitted_names)
    app.connect("doctree-read", _without_last_lines)
