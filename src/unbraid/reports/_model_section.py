"""One model as an article: words, terms, formula, errors, provenance, code."""

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import numpy as np

from .._util.documents import FORMAT, VERSION, with_checksum
from .._util.markup import Markup, shorten, tag
from .._util.validation import count_noun
from ..errors import UnbraidError
from ..export import to_latex
from ..model._description_text import MAX_TABLE_ROWS, TABLE_HEAD
from ..model._function import DecoupledFunction
from ._branch_section import show_branches
from ._equations import write_equations
from ._error_section import show_errors, show_residuals
from ._mathml import FORMULA_DIGITS
from ._model_view import ModelView
from ._number_format import format_fixed, format_percent
from ._simulation_section import show_simulation
from ._summary import grade, judge, mean_known_error
from ._term_section import show_terms

MOST_SENTENCES = 12  # outputs that have a sentence
MOST_LATEX_CHARACTERS = 20_000
HEADING_LENGTH = 120  # characters
REMARK_LINE_LENGTH = 1000  # characters of a line of the origin or of a warning
MOST_ORIGIN_LINES = 40
MOST_FILE_BYTES = 300_000  # of a model file in the page


def show_model(
    view: ModelView, *, alone: bool = True, hidden: bool = False, largest: int = MOST_FILE_BYTES
) -> Markup:
    """Return the article of a model; a file above ``largest`` bytes is left out.

    One of several models has its own heading and verdict.
    """
    heading = [tag("h2", shorten(view.heading, HEADING_LENGTH), tabindex="-1"), judge(view)]
    return tag(
        "article",
        [] if alone else heading,
        _show_key_figures(view),
        _describe_function(view),
        _section("Terms", _explain_terms(view), show_terms(view), _show_stored_branches(view)),
        show_simulation(view),
        _section("Formula", write_equations(view), _show_latex(view)),
        _section("Errors", show_errors(view), show_residuals(view)),
        _section("How it was obtained", _show_origin(view)),
        _section("Load the model", _show_loading(view, largest)),
        id=view.key,
        class_="model",
        hidden=hidden,
    )


def _section(title: str, *content: Any) -> Markup:
    return tag("section", tag("h3", title), *content)


def _show_key_figures(view: ModelView) -> Markup:
    d = view.function
    figures: list[tuple[str, str, str | None]] = [
        ("inputs, outputs", f"{d.n_inputs:,} → {d.n_outputs:,}", None),
        ("branches", f"{d.n_branches:,}", None),
        ("parameters", f"{d.n_parameters:,}", None),
    ]
    if view.coupled_parameters is not None:
        ratio = view.coupled_parameters / d.n_parameters
        figures.append(("compression", f"{format_fixed(ratio, 2)}×", None))
    if view.main_errors is not None:
        error = format_percent(mean_known_error(view.main_errors.values))
        figures.append((view.main_errors.name, error, grade(view)))
    items = [tag("div", tag("dt", k), tag("dd", v, class_=class_)) for k, v, class_ in figures]
    return tag("dl", items, class_="numbers")


def _describe_function(view: ModelView) -> list[Markup]:
    """Return the description: a sentence per output, notes, and a table of the terms."""
    found = view.description
    fits = found.fit_sentences[:MOST_SENTENCES]
    lines = [*found.sentences[:MOST_SENTENCES], *fits, *found.notes]
    more = len(found.sentences) - MOST_SENTENCES
    if more > 0:
        lines.append(f"And {more} more outputs.")
    parts = [tag("p", line, class_="words") for line in lines]
    rows = found.rows
    if not rows:
        return parts
    head = tag("tr", [tag("th", name) for name in TABLE_HEAD])
    body = [tag("tr", [tag("td", cell) for cell in row]) for row in rows[:MAX_TABLE_ROWS]]
    table = tag("table", tag("thead", head), tag("tbody", body), class_="terms")
    note = "z: standardised inputs, each less its mean and over its spread."
    return [*parts, tag("div", table, class_="scroll", tabindex="0"), tag("p", note, class_="note")]


def _explain_terms(view: ModelView) -> Markup:
    text = (
        "Each output is the sum of its terms. Line: the curve, with the linear part along its "
        "direction; panels of one output have the same scale. Shaded: twice the standard error, "
        "grey where the data do not determine the curve. Dots: the estimate at the data; at the "
        "bottom: histogram of the data."
    )
    if view.dynamic:
        text = (
            "Each output is a linear model of past inputs and outputs plus curved remainders, "
            "which have no mean and no slope. Shaded: twice the standard error; at the bottom: "
            "histogram of the data."
        )
    if view.uniform_z:
        text += (
            " The function keeps no points: shares of the variance are those at points at which "
            "every z is about uniform."
        )
    return tag("p", text, class_="note")


def _show_stored_branches(view: ModelView) -> Markup:
    """Return the branches of the formula, folded."""
    text = (
        "The stored form: each output is a constant plus weighted branches g, and branches along "
        "one direction are one curve above. Bars: how far an input moves z (its entry of V, the "
        "number, times its standard deviation), and the weight of the branch in an output (its "
        "entry of W)."
    )
    summary = tag(
        "summary", f"The {count_noun(view.function.n_branches, 'branch', 'es')} as stored"
    )
    return tag(
        "details", summary, tag("p", text, class_="note"), show_branches(view), class_="stored"
    )


def _show_latex(view: ModelView) -> Markup | None:
    """Return a button that copies the LaTeX of the formula."""
    try:
        text = to_latex(view.function, names=list(view.inputs.short), digits=FORMULA_DIGITS)
    except UnbraidError:  # branches of Python functions
        text = ""
    if not 0 < len(text) <= MOST_LATEX_CHARACTERS:
        text = view.description.to_latex()
    if len(text) > MOST_LATEX_CHARACTERS:
        return None
    return tag(
        "div",
        tag("button", "Copy LaTeX", type="button", class_="copy"),
        tag("details", tag("summary", "Show LaTeX"), _show_code(text)),
        class_="latex",
    )


def _show_code(text: str) -> Markup:
    return tag("pre", tag("code", text), tabindex="0")


def _show_origin(view: ModelView) -> list[Any]:
    lines = [line for line in view.function.origin.split("\n") if line.strip()]
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


def _show_loading(view: ModelView, largest: int) -> list[Any]:
    button = tag("button", "Copy", type="button", class_="copy")
    code = tag("div", button, _show_code(view.code), class_="code")
    content = encode_model(view.saved)
    if content is not None and len(content) > largest:
        content = encode_model(_without_points(view.saved))
    name = "model.json" if view.key == "model" else f"{view.key}.json"
    if content is None or len(content) > largest:
        save = tag("code", f'{"model" if view.dynamic else "d"}.save("{name}")')
        why = "The model is too large for this page, or made of Python functions. "
        return [code, tag("p", why, save, " writes it to a file if possible.", class_="note")]
    address = "data:application/json;base64," + b64encode(content).decode()
    link = tag("a", f"Download {name}", href=address, download=name, class_="download")
    size = tag("span", f"{max(1, round(len(content) / 1000))} kB", class_="note")
    return [code, tag("p", link, " ", size)]


def _without_points(model: Any) -> Any:
    """Return the model without its operating points, which makes its file small."""
    if isinstance(model, DecoupledFunction):
        return replace(model, points=None)
    return replace(model, function=_without_points(model.function))


def encode_model(model: Any) -> bytes | None:
    """Return the bytes of a model file, or None if the model cannot be saved."""
    try:
        text = json.dumps(model.to_dict(), default=np.ndarray.tolist, allow_nan=False)
        body = {"format": FORMAT, "version": VERSION, **json.loads(text)}
        return json.dumps(with_checksum(body), separators=(",", ":")).encode()
    except (UnbraidError, ValueError):  # made of Python functions, or not finite
        return None
