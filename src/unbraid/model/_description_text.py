"""Descriptions as plain text: sentences and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ._direction_text import MAX_INPUTS_IN_TEXT, format_percent, join_terms
from ._labels import ShapeLabel, phrase_label

if TYPE_CHECKING:
    from ._description import DescribedTerm, Description

MAX_SENTENCE_TERMS = 3
MIN_SENTENCE_SHARE = 0.005  # of an output: smaller terms are in the table only
MAIN_SHARE = 0.75  # of what is explained: held by the terms called the main ones
MIN_UNEXPLAINED = 5e-4  # of an output: less is not mentioned
MIN_TABLE_SHARE = 1e-3
MAX_TABLE_ROWS = 24
NOISE = "noise"
SUMMED_SHAPES = ("quadratic", "cubic", "exponential", "saturating", "periodic")  # "a sum of 3 ..."
TABLE_HEAD = ("share", "output", "direction", "shape", "R²", "formula")


class TableRow(NamedTuple):
    """A term as cells of a table."""

    share: str
    output: str
    term: str
    shape: str
    r2: str
    formula: str


class Phrase(NamedTuple):
    """A term in a sentence: "a linear function of", "load", and its share."""

    head: str
    variable: str
    share: float

    def format(self, before: str = "") -> str:
        """The phrase; the head is shortened if the one before has the same."""
        head = self.head.split()[-1] if self.head == before else self.head
        return f"{head} {self.variable} ({format_percent(self.share)})"


def write_sentence(description: Description, output: str) -> str:
    """What an output depends on, in one sentence of at most three terms."""
    if output not in description.terms:
        return f"{output} is constant."
    phrases = _phrase_terms(description, output)
    shown = [p for p in phrases[:MAX_SENTENCE_TERMS] if p.share >= MIN_SENTENCE_SHARE]
    shown = shown or phrases[:1]
    explained = 1 - description.remainder[output]
    rest = _name_rest(description, output)
    if rest == NOISE and explained < 0.5:
        share = format_percent(1 - explained)
        return f"{output} is mostly noise ({share}), plus {_join_phrases(shown)}."
    count = 1
    while count < len(shown) and sum(p.share for p in shown[:count]) < MAIN_SHARE * explained:
        count += 1
    main, more = shown[:count], shown[count:]
    others = sum(p.share for p in phrases) - sum(p.share for p in shown)
    text = f"{output} is {_opening(phrases, shown, more, others)}{_join_phrases(main)}"
    if more:
        text += f", plus {_join_phrases(more)}"
    if others >= MIN_SENTENCE_SHARE:
        text += f"; {format_percent(others)} in smaller terms"
    if 1 - explained >= MIN_UNEXPLAINED:
        text += f"; {format_percent(1 - explained)} {rest}"
    return text + "."


def _name_rest(description: Description, output: str) -> str:
    """What the remainder of an output is called."""
    fit = description.data_fits.get(output)
    return NOISE if fit is not None and fit.is_noise else "unexplained"


def _opening(
    phrases: Sequence[Phrase], shown: Sequence[Phrase], more: Sequence[Phrase], others: float
) -> str:
    """What precedes the main terms; nothing if they are all."""
    if others > sum(phrase.share for phrase in shown):
        return f"a sum of {len(phrases)} terms, the largest "
    return "mainly " if more or others >= MIN_SENTENCE_SHARE else ""


def _join_phrases(phrases: Sequence[Phrase]) -> str:
    heads = ["", *(phrase.head for phrase in phrases)]
    return join_terms([p.format(before) for p, before in zip(phrases, heads, strict=False)])


def _phrase_terms(description: Description, output: str) -> list[Phrase]:
    """The terms of an output, the largest first; linear terms count as one.

    Only the shares of those beyond a sentence are filled in, since labels take time.
    """
    terms = description.terms[output]
    explains = any(term.share > 0 for term in terms)
    straight = [t for t in terms if not t.directions and (t.share > 0 or not explains)]
    total = sum(term.share for term in straight)
    found = [(term.share, term) for term in terms if term.directions]
    found += [(total, straight[0])] if straight else []
    found.sort(key=lambda pair: -round(pair[0], 9))
    return [
        Phrase("", "", share)
        if k >= MAX_SENTENCE_TERMS
        else _phrase_term(description, output, term)
        if term.directions
        else _phrase_linear(straight, total)
        for k, (share, term) in enumerate(found)
    ]


def _phrase_linear(terms: Sequence[DescribedTerm], share: float) -> Phrase:
    named = [t.inputs[0] for t in terms if t.share >= MIN_SENTENCE_SHARE] or [terms[0].inputs[0]]
    more = len(named) - MAX_INPUTS_IN_TEXT
    if more > 0:
        named = [*named[:MAX_INPUTS_IN_TEXT], f"{more} more"]
    return Phrase("a linear function of", join_terms(named), share)


def _phrase_term(description: Description, output: str, term: DescribedTerm) -> Phrase:
    if term.interaction is not None:
        label = _name_sum(description, output, term) or term.interaction.labels[output]
        kind, _, rest = label.partition(" of ")
        article = {"product": "the ", "interaction": "an ", "sum": "the "}.get(kind, "")
        return Phrase(f"{article}{kind} of", rest, term.share)
    leading = description.directions[term.directions[0]]
    return Phrase(phrase_label(label_term(description, output, term)), leading.text, term.share)


def _name_sum(description: Description, output: str, term: DescribedTerm) -> str | None:
    """What an interaction is called if its curves have one shape: a sum of them."""
    block = term.interaction
    if block is None or not block.has_readable_curves(output):
        return None
    found = [description.directions[d].labels.get(output) for d in term.directions]
    labels = [label for label in found if label is not None]
    if len(labels) < 2 or len(set(labels)) > 1 or labels[0] not in SUMMED_SHAPES:
        return None
    return f"sum of {len(labels)} {labels[0]} functions of {join_terms(term.inputs)}"


def label_term(description: Description, output: str, term: DescribedTerm) -> ShapeLabel:
    """The shape of a term along its leading direction."""
    if len(term.directions) == 1:
        labels = description.directions[term.directions[0]].labels
        if output in labels:
            return labels[output]
    return term.labels[output]


def list_rows(description: Description) -> list[TableRow]:
    """The terms that matter as rows of a table, by output."""
    rows = []
    for output, terms in description.terms.items():
        for term in terms:
            if term.share >= MIN_TABLE_SHARE:
                rows.append(_make_row(description, output, term))
                rows += _rows_of_block(description, output, term)
        left = description.remainder[output]
        if left >= MIN_TABLE_SHARE:
            rest = _name_rest(description, output)
            rows.append(TableRow(format_percent(left), output, "", rest, "", ""))
        if len(rows) > MAX_TABLE_ROWS:
            break
    return rows


def _make_row(description: Description, output: str, term: DescribedTerm) -> TableRow:
    share = format_percent(term.share)
    if not term.directions:
        return TableRow(share, output, term.inputs[0], "linear", "", "")
    numbers = ", ".join(f"z{d + 1}" for d in term.directions)
    if term.interaction is not None:
        block = term.interaction
        r2, formula = block.r2.get(output, 0.0), block.formulas.get(output, "")
        cells = (block.labels[output], f"{r2:.4f}" if r2 else "", formula)
        return TableRow(share, output, f"{numbers}: {join_terms(term.inputs)}", *cells)
    shape = label_term(description, output, term)
    text = description.directions[term.directions[0]].text
    return TableRow(
        share, output, f"{numbers} = {text}", shape, f"{shape.r2:.4f}", shape.formula or ""
    )


def _rows_of_block(description: Description, output: str, term: DescribedTerm) -> list[TableRow]:
    """One row per direction of a block that is no product."""
    if term.interaction is None or not term.interaction.has_readable_curves(output):
        return []
    rows = []
    for d in term.directions:
        direction = description.directions[d]
        if output in direction.labels:
            shape = direction.labels[output]
            cells = (f"z{d + 1} = {direction.text}", shape, f"{shape.r2:.4f}", shape.formula or "")
            rows.append(TableRow("", output, *cells))
    return rows


def format_table(rows: Sequence[TableRow], has_directions: bool) -> str:
    """Rows as a table of plain text; empty without rows."""
    if not rows:
        return ""
    shown = [TableRow(*TABLE_HEAD), *rows[:MAX_TABLE_ROWS]]
    widths = [max(len(row[k]) for row in shown) for k in range(len(shown[0]))]
    lines = []
    for row in shown:
        cells = [
            row[0].rjust(widths[0]),
            *(c.ljust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    if len(rows) > MAX_TABLE_ROWS:
        lines.append("... and smaller terms")
    if has_directions:
        lines.append("z: standardised inputs, each less its mean and over its spread")
    return "\n".join(lines)
