"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

# Commands and alignments not understood, and styles of letters that browsers ignore.
UNKNOWN = ("\\", "<mi>&</mi>", "mathvariant=")


def inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(self: HTML5Translator, node: nodes.math_block) -> None:
    number = ""
    if node["number"]:
        number = f'<span class="eqno">({get_node_equation_number(self, node)})</span>'
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(_mathml(node.astext(), "block") + number + "</div>")
    raise nodes.SkipNode


def _mathml(latex: str, display: str) -> str:
    """MathML, or an error: what the converter does not know it would pass on as it is."""
    try:
        markup = convert(latex.strip(), display=display)
    except Exception as error:  # the converter has no error type of its own
        raise SphinxError(f"cannot draw the formula {latex!r}: {error!r}") from error
    for sign in UNKNOWN:
        if sign in markup:
            raise SphinxError(f"cannot draw the formula {latex!r}: {sign!r} is left in it")
    return markup


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
