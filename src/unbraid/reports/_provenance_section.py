"""Sections that all models have: how a model was obtained, and how to load it."""

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._util.documents import FORMAT, VERSION, with_checksum
from .._util.markup import Markup, shorten, tag
from .._util.validation import count_noun
from ..errors import UnbraidError
from ..model._function import DecoupledFunction
from ._page_view import PageView

REMARK_LINE_LENGTH = 1000  # characters of a line of the origin or of a warning
MOST_ORIGIN_LINES = 40


def show_section(title: str, *content: Any, class_: str | None = None) -> Markup:
    """Return a section with its heading."""
    return tag("section", tag("h3", title), *content, class_=class_)


def fold_section(title: str, *content: Any, open_: bool = False) -> Markup:
    """Return a section whose heading opens it."""
    summary = tag("summary", tag("h3", title))
    return tag("details", summary, *content, class_="section", open=open_)


def show_code(text: str) -> Markup:
    """Return text in a fixed-width font."""
    return tag("pre", tag("code", text), tabindex="0")


def show_origin(view: PageView) -> list[Any]:
    """Return the origin, the settings and the warnings."""
    lines = [line for line in view.origin.split("\n") if line.strip()]
    parts: list[Any] = [
        tag("p", shorten(line, REMARK_LINE_LENGTH)) for line in lines[:MOST_ORIGIN_LINES]
    ]
    if view.facts:
        pairs = [
            tag("div", tag("dt", shorten(name, 60)), tag("dd", shorten(value, 200)))
            for name, value in view.facts
        ]
        parts.append(tag("dl", pairs, class_="facts"))
    if view.warnings:
        head = f"{count_noun(len(view.warnings), 'warning')}:"
        items = [tag("li", shorten(text, REMARK_LINE_LENGTH)) for text in view.warnings]
        parts.append(tag("div", tag("p", head), tag("ul", items), class_="notice"))
    return parts or [tag("p", "The model has no record of how it was obtained.", class_="note")]


def show_loading(view: PageView, largest: int) -> list[Any]:
    """Return the code that loads the model, and its file."""
    button = tag("button", "Copy", type="button", class_="copy")
    code = tag("div", button, show_code(view.code), class_="code")
    name = "model.json" if view.key == "model" else f"{view.key}.json"
    save = tag("code", f'{"model" if view.dynamic else "d"}.save("{name}")')
    files = ((encode_model(lighten(view.saved)), left_out) for lighten, left_out in LIGHTER)
    content, left_out = next(
        ((content, text) for content, text in files if content is None or len(content) <= largest),
        (b"", ""),
    )
    if content is None:
        why = (
            "The model cannot be a file: it has branches of Python functions, or infinite numbers."
        )
        return [code, tag("p", why, class_="note")]
    if not content:
        why = f"The model file has more than {largest / 1000:,.0f} kB. "
        return [code, tag("p", why, save, " writes it to a file.", class_="note")]
    note = None
    if left_out:
        text = f"The file is without {left_out}; its outputs are the same. "
        note = tag("p", text, save, " writes all of it.", class_="note")
    address = "data:application/json;base64," + b64encode(content).decode()
    link = tag("a", f"Download {name}", href=address, download=name, class_="download")
    size = tag("span", f"{max(1, round(len(content) / 1000))} kB", class_="note")
    return [code, tag("p", link, " ", size), note]


def _change_function(model: Any, change: Callable[[DecoupledFunction], DecoupledFunction]) -> Any:
    """Return a model with a changed function, whose outputs are the same."""
    if isinstance(model, DecoupledFunction):
        return change(model)
    inner = getattr(model, "function", None)
    if not isinstance(inner, DecoupledFunction):
        return model
    return replace(model, function=change(inner))


def _without_points(model: Any) -> Any:
    """Return the model without its operating points, which makes its file small."""
    return _change_function(model, lambda d: replace(d, points=None))


def _without_data(model: Any) -> Any:
    """Return the model without points, residuals and estimates."""

    def strip(d: DecoupledFunction) -> DecoupledFunction:
        branches = tuple(replace(branch, estimate=None) for branch in d.branches)
        return replace(d, points=None, residuals=None, branches=branches)

    return _change_function(model, strip)


LIGHTER: tuple[tuple[Callable[[Any], Any], str], ...] = (  # the first that is small enough is taken
    (lambda model: model, ""),
    (_without_points, "the points of the fit"),
    (_without_data, "the points of the fit, its residuals and the estimates of the curves"),
)


def encode_model(model: Any) -> bytes | None:
    """Return the bytes of a model file, or None if the model cannot be saved."""
    try:
        text = json.dumps(model.to_dict(), default=np.ndarray.tolist, allow_nan=False)
        body = {"format": FORMAT, "version": VERSION, **json.loads(text)}
        return json.dumps(with_checksum(body), separators=(",", ":")).encode()
    except (UnbraidError, ValueError):  # made of Python functions, or not finite
        return None
