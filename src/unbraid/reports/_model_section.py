"""One model as an article: words, branches, formula, residuals, how it was obtained, its code."""

from __future__ import annotations

from typing import Any

from .._util.validation import counted
from ..errors import UnbraidError
from ..export import to_latex
from ._branch_section import branch_cards
from ._download import LARGEST, data_link, model_file
from ._error_section import errors_part, residuals_part
from ._formulas import formula
from ._markup import Markup, shortened, tag
from ._numbers import counting, percent, steady
from ._simulation_section import simulation_part
from ._summary import grade, known_error, verdict
from ._views import ModelView

DIGITS = 4
MOST_WORDS = 12  # branches in a sentence
MOST_LATEX = 20_000  # characters
LONGEST = 120  # characters of a heading
MOST_LINES = 40  # of how a model was obtained


def model_section(
    view: ModelView, *, alone: bool = True, hidden: bool = False, largest: int = LARGEST
) -> Markup:
    """The article of a model; one of several has a heading and says by itself what it is worth.

    A file of at most ``largest`` bytes is in it.
    """
    return tag(
        "article",
        [] if alone else _heading(view),
        key_numbers(view),
        tag("p", _sentence(view), class_="words"),
        _part("Branches", _branches_note(view), branch_cards(view)),
        simulation_part(view),
        _part("Formula", formula(view), _latex(view)),
        _part("How far it is off", errors_part(view), residuals_part(view)),
        _part("How it was obtained", _obtained(view)),
        _part("Load it", _loading(view, largest)),
        id=view.key,
        class_="model",
        hidden=hidden,
    )


def _heading(view: ModelView) -> list[Any]:
    return [tag("h2", shortened(view.heading, LONGEST), tabindex="-1"), verdict(view)]


def _part(title: str, *content: Any) -> Markup:
    return tag("section", tag("h3", title), *content)


def key_numbers(view: ModelView) -> Markup:
    """The figures one looks for first."""
    d = view.function
    pairs: list[tuple[str, Any, str]] = [
        ("inputs, outputs", f"{counting(d.n_inputs)} → {counting(d.n_outputs)}", ""),
        ("branches", counting(d.n_branches), ""),
        ("numbers", counting(d.n_parameters), ""),
    ]
    if view.coupled_parameters is not None:
        ratio = view.coupled_parameters / d.n_parameters
        pairs.append(("compression", f"{steady(ratio, 2)}×", ""))
    if view.telling is not None:
        error = percent(known_error(view.telling.values))
        pairs.append((view.telling.name, error, grade(view)))
    return tag(
        "dl",
        [
            tag("div", tag("dt", name), tag("dd", value, class_=class_ or None))
            for name, value, class_ in pairs
        ],
        class_="numbers",
    )


def _sentence(view: ModelView) -> str:
    """The sum in words; of very many branches only their number."""
    if view.function.n_branches > MOST_WORDS:
        start = view.description.words.partition(": ")[0]
        text = f"{start}: see the branches below, those that contribute most first."
    else:
        text = view.description.words + "."
    return "E" + text[1:] if text.startswith("each of ") else text


def _branches_note(view: ModelView) -> Markup:
    text = (
        "Each output is a constant plus the branches, weighted. Line: the branch; shaded: twice "
        "its standard error; dots: the estimate at the data; grey at the bottom: where the data "
        "lie. Bars: how far an input moves z (its entry of V, the number, times its spread), and "
        "what the branch counts in an output (its entry of W)."
    )
    if view.even:
        text += (
            " The branches keep no points: shares of the variance are over an even spread of "
            "every z, as if these were independent."
        )
    return tag("p", text, class_="note")


def _latex(view: ModelView) -> Markup | None:
    """A button with the LaTeX of the formula behind it."""
    try:
        text = to_latex(view.function, names=list(view.inputs.short), digits=DIGITS)
    except UnbraidError:  # branches of Python functions
        text = ""
    if not 0 < len(text) <= MOST_LATEX:
        text = view.description.latex
    if len(text) > MOST_LATEX:
        return None
    return tag(
        "div",
        tag("button", "Copy LaTeX", type="button", class_="copy"),
        tag("details", tag("summary", "Show it"), tag("pre", tag("code", text), tabindex="0")),
        class_="latex",
    )


def _code(text: str) -> Markup:
    button = tag("button", "Copy", type="button", class_="copy")
    return tag("div", button, tag("pre", tag("code", text), tabindex="0"), class_="code")


def _obtained(view: ModelView) -> list[Any]:
    lines = [line for line in view.function.origin.split("\n") if line.strip()]
    parts: list[Any] = [tag("p", shortened(line, 1000)) for line in lines[:MOST_LINES]]
    if view.facts:
        pairs = [
            tag("div", tag("dt", shortened(name, 60)), tag("dd", shortened(value, 200)))
            for name, value in view.facts
        ]
        parts.append(tag("dl", pairs, class_="facts"))
    if view.warnings:
        head = f"{counted(len(view.warnings), 'warning')}:"
        items = [tag("li", shortened(text, 1000)) for text in view.warnings]
        parts.append(tag("div", tag("p", head), tag("ul", items), class_="notice"))
    return parts or [tag("p", "The model does not say how it was obtained.", class_="note")]


def _loading(view: ModelView, largest: int) -> list[Any]:
    content = model_file(view.saved, largest)
    name = "model.json" if view.key == "model" else f"{view.key}.json"
    if content is None:
        save = tag("code", f'{"model" if view.dynamic else "d"}.save("{name}")')
        why = "The model is too large for this page, or made of Python functions. "
        how = tag("p", why, save, " writes it where it can be written.", class_="note")
        return [_code(view.code), how]
    link = tag("a", f"Download {name}", href=data_link(content), download=name, class_="download")
    size = f"{max(1, round(len(content) / 1000))} kB, the model itself"
    return [_code(view.code), tag("p", link, " ", tag("span", size, class_="note"))]
