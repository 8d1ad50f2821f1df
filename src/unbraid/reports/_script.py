"""The script of the page: files of ``page/``, joined in one function."""

from importlib.resources import files

SCRIPTS = (
    "base",
    "scales",
    "readers",
    "chart",
    "live",
    "zoom",
    "table",
    "copy",
    "model",
    "parts",
    "waterfall",
    "sliders",
    "move",
    "whatif",
    "responses",
    "layout",
    "select",
    "compare",
    "columns",
    "start",
)


def read_script(name: str) -> str:
    """Return the text of one file."""
    return files(__package__).joinpath("page", f"{name}.js").read_text(encoding="utf-8")


def join_scripts() -> str:
    """Return the script of the page; its names are not those of the page."""
    return '"use strict";\n(() => {\n' + "\n".join(map(read_script, SCRIPTS)) + "})();\n"
