"""A decoupled function on the page: words, terms, formula, errors."""

from typing import Any

from .._util.markup import Markup, tag
from .._util.validation import count_noun
from ..errors import UnbraidError
from ..export._latex import write_latex
from ..model._description_text import MAX_TABLE_ROWS, TABLE_HEAD
from ._branch_section import show_branches
from ._equations import write_equations
from ._error_section import show_errors, show_residuals
from ._explanations import explain_shares, explain_terms
from ._mathml import FORMULA_DIGITS, STORED_VARIABLE
from ._model_view import ModelView
from ._number_format import format_fixed, format_percent
from ._provenance_section import fold_section, show_code, show_section
from ._response_section import show_responses
from ._simulation_section import show_simulation
from ._summary import grade, mean_known_error
from ._term_section import show_terms
from ._validation_section import show_validation
from ._what_if_section import show_what_if

MOST_OPEN_SENTENCES = 4  # the others are folded
MOST_SENTENCES = 12  # outputs that have a sentence
MOST_LATEX_CHARACTERS = 20_000


def show_function(view: ModelView) -> list[Any]:
    """Return the sections of a decoupled function or NARX model."""
    return [
        _show_key_figures(view),
        *_describe_function(view),
        _show_curves(view),
        show_simulation(view),
        show_responses(view.saved, view.records) if view.dynamic else None,
        show_validation(view.validation),
        _tabulate_terms(view),
        fold_section("Formula", write_equations(view), _show_latex(view)),
        _fold_stored_branches(view),
        fold_section("Errors", show_errors(view), show_residuals(view)),
    ]


def _show_curves(view: ModelView) -> Markup:
    """Return the terms, beside the inputs where the page evaluates the model."""
    terms = show_section("Terms", tag("p", explain_terms(view), class_="note"), show_terms(view))
    inputs = None if view.dynamic else show_what_if(view)
    return terms if inputs is None else tag("div", inputs, terms, class_="with-inputs")


def _show_key_figures(view: ModelView) -> Markup:
    d = view.function
    figures: list[tuple[str, str, str | None]] = [
        ("inputs, outputs", f"{d.n_inputs:,} → {d.n_outputs:,}", None),
        ("branches", f"{d.n_branches:,}", None),
        *_count_directions(view),
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


def _count_directions(view: ModelView) -> list[tuple[str, str, None]]:
    """Return the number of directions where several branches lie along one."""
    count = len(view.description.directions)
    few = 0 < count < view.function.n_branches
    return [("directions of the branches", f"{count:,}", None)] if few else []


def _describe_function(view: ModelView) -> list[Any]:
    """Return the description: a sentence per output, and notes; many are folded."""
    found = view.description
    more = len(found.sentences) - MOST_SENTENCES
    first, *others = [
        found.sentences[:MOST_OPEN_SENTENCES],
        found.sentences[MOST_OPEN_SENTENCES:MOST_SENTENCES],
        [f"And {more} more outputs."] if more > 0 else [],
        found.fit_sentences[:MOST_SENTENCES],
    ]
    rest = [line for lines in others for line in lines]
    few = len(first) + len(rest) <= MOST_OPEN_SENTENCES
    shown = [tag("p", line, class_="words") for line in [*first, *found.notes]]
    measures = None if view.dynamic else tag("p", explain_shares(view), class_="note measures")
    folded = [tag("p", line, class_="words") for line in rest]
    if few or not folded:
        return [*shown, *folded, measures]
    summary = tag("summary", f"{count_noun(len(folded), 'more sentence')}")
    return [*shown, tag("details", summary, folded, class_="more"), measures]


def _tabulate_terms(view: ModelView) -> Markup | None:
    """Return the table of the terms with their formulas, folded."""
    rows = view.description.rows
    if not rows:
        return None
    head = tag("tr", [tag("th", name) for name in TABLE_HEAD])
    body = [tag("tr", [tag("td", cell) for cell in row]) for row in rows[:MAX_TABLE_ROWS]]
    table = tag("table", tag("thead", head), tag("tbody", body), class_="terms")
    note = "z: standardised inputs, each less its mean and over its spread."
    box = tag("div", table, class_="scroll", tabindex="0", role="group", aria_label="terms")
    return fold_section("Table of terms", box, tag("p", note, class_="note"))


def _fold_stored_branches(view: ModelView) -> Markup:
    """Return the branches of the formula, folded."""
    text = (
        "The stored form: each output is a constant plus weighted branches g, and branches along "
        "one direction are one curve above. Branch gᵢ is a function of sᵢ, a sum of inputs in "
        "their own units. Bars and numbers: how far an input moves s (its entry of V, which is in "
        "the formula, times its standard deviation), and the weight of the branch in an output "
        "(its entry of W)."
    )
    title = f"The {count_noun(view.function.n_branches, 'branch', 'es')} as stored"
    return fold_section(title, tag("p", text, class_="note"), show_branches(view))


def _show_latex(view: ModelView) -> Markup | None:
    """Return a button that copies the LaTeX of the formula."""
    try:
        names = list(view.inputs.short)
        text = write_latex(view.function, names, FORMULA_DIGITS, STORED_VARIABLE)
    except UnbraidError:  # branches of Python functions
        text = ""
    if not 0 < len(text) <= MOST_LATEX_CHARACTERS:
        text = view.description.to_latex()
    if len(text) > MOST_LATEX_CHARACTERS:
        return None
    return tag(
        "div",
        tag("button", "Copy LaTeX", type="button", class_="copy"),
        tag("details", tag("summary", "Show LaTeX"), show_code(text)),
        class_="latex",
    )
