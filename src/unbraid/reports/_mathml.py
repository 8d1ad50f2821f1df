"""Formulas as MathML, which browsers set themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import UnbraidError
from ..export._formula import Legendre, curve_of, powers
from ..model._branch import Branch
from ._markup import Markup, shortened, tag
from ._numbers import PLAIN, scientific, signed

DIGITS = 4
NEGLIGIBLE = 1e-12  # of the largest term: rounding
TOKEN = re.compile(r"\s*(\d+\.?\d*(?:e[+-]?\d+)?|[a-z]+|.)")
SYMBOL = re.compile(r"([A-Za-z])(\d{1,3})?")


def equations(lines: Iterable[tuple[Markup, str, Markup]]) -> Markup:
    """Lines of left side, sign and right side, signs below each other."""
    rows = [
        tag(
            "mtr",
            tag("mtd", row(left), class_="right"),
            tag("mtd", tag("mo", sign)),
            tag("mtd", right, class_="left"),
        )
        for left, sign, right in lines
    ]
    return tag("math", tag("mtable", rows), display="block")


def symbol(name: str) -> Markup:
    """A letter with a number is a letter with an index; any other name is upright text.

    >>> symbol("p"), symbol("speed")
    ('<mi>p</mi>', '<mtext>speed</mtext>')
    """
    match = SYMBOL.fullmatch(name)
    if match is None:
        return tag("mtext", shortened(name))
    letter, digits = match.groups()
    return subscript(letter, digits) if digits else tag("mi", letter)


def subscript(letter: str, digits: Any) -> Markup:
    """A letter with an index, as low below every letter as below one that reaches down."""
    base = tag("mpadded", tag("mi", letter), depth="0.22em")
    return tag("msub", base, tag("mn", digits))


def call(number: int) -> Markup:
    """g_i(z_i)."""
    return row(subscript("g", number), *parenthesised(subscript("z", number)))


def parenthesised(*inside: Any) -> list[Markup]:
    return [tag("mo", "(", stretchy="false"), *inside, tag("mo", ")", stretchy="false")]


def row(*children: Any) -> Markup:
    return tag("mrow", *children)


def number(value: float, digits: int = DIGITS) -> Markup:
    """A number, with a power of ten where it is long.

    >>> number(-0.25), number(2e7)
    ('<mn>−0.25</mn>', '<mrow><mn>2</mn><mo>·</mo><msup><mn>10</mn><mn>7</mn></msup></mrow>')
    """
    if value == 0 or PLAIN[0] <= abs(value) < PLAIN[1]:
        text = np.format_float_positional(float(f"{value:.{digits}g}"), trim="-")
        return tag("mn", signed(text))
    mantissa, exponent = scientific(value, digits)
    ten = tag("msup", tag("mn", 10), tag("mn", signed(str(exponent))))
    if mantissa == "1":
        return ten
    return row(tag("mn", signed(mantissa)), tag("mo", "·"), ten)


def weighted_sum(terms: Sequence[tuple[float, Markup | None]], more: int = 0) -> Markup:
    """Numbers times symbols with their signs; ``more`` terms are only counted."""
    parts: list[Markup] = []
    for weight, part in terms:
        if weight == 0:
            continue
        if parts or weight < 0:
            parts.append(tag("mo", "−" if weight < 0 else "+", form=None if parts else "prefix"))
        size = number(abs(weight))
        if part is None:
            parts.append(size)
        elif size == number(1.0):
            parts.append(part)
        else:
            parts += [size, tag("mspace", width="0.17em"), part]
    if more:
        parts += [tag("mo", "+"), tag("mtext", f"{more} more")]
    return row(*parts) if parts else number(0.0)


def branch_formula(branch: Branch, plain: str) -> tuple[str, Markup]:
    """A sign and the right side: a polynomial as it is, any other curve as its plain shape."""
    try:
        curve = curve_of(branch)
    except UnbraidError:
        return "≈", from_text(plain)
    if not isinstance(curve, Legendre):
        return "≈", from_text(plain)
    low, high = branch.interval
    centre, coefficients = powers(curve)
    sizes = np.abs(coefficients) * max(abs(low - centre), abs(high - centre)) ** np.arange(
        coefficients.size
    )
    kept = np.where(sizes > NEGLIGIBLE * sizes.max(), coefficients, 0.0)
    return "=", weighted_sum([(float(c), _power(k, centre)) for k, c in enumerate(kept)][::-1])


def _power(k: int, centre: float) -> Markup | None:
    """A power of z, or of z less the middle of a range that is far from 0."""
    if k == 0:
        return None
    z = tag("mi", "z")
    if centre:
        z = row(*parenthesised(z, tag("mo", "−" if centre > 0 else "+"), number(abs(centre), 8)))
    return z if k == 1 else tag("msup", z, tag("mn", k))


def from_text(formula: str) -> Markup:
    """The text of a plain shape, such as ``3 tanh(0.5 (z - 2)) + 1``.

    >>> from_text("2 z^2")
    '<mrow><mn>2</mn><mspace width="0.17em"></mspace><msup><mi>z</mi><mn>2</mn></msup></mrow>'
    """
    return row(*_Reader(TOKEN.findall(formula)).items())


class _Reader:
    """Reads the words of a formula from left to right."""

    def __init__(self, words: list[str]) -> None:
        self.words = words[::-1]

    def items(self) -> list[Markup]:
        """All up to a closing bracket or the end."""
        found: list[Markup] = []
        factor = False  # was the last item one that the next is multiplied with?
        while self.words and self.words[-1] != ")":
            word = self.words.pop()
            if word in "+-,":
                first = not found
                found.append(tag("mo", signed(word), form="prefix" if first else None))
                factor = False
                continue
            if factor:
                found.append(tag("mspace", width="0.17em"))
            found.append(self.raised(self.item(word)))
            factor = True
        return found

    def item(self, word: str) -> Markup:
        """A number, a letter, a function of what is in brackets, or the brackets alone."""
        if word[0].isdigit():
            return number(float(word))
        if word == "(":
            return row(*self.bracket())
        name = tag("mi", word)
        if not self.words or self.words[-1] != "(":
            return name
        self.words.pop()
        return row(name, *self.bracket())

    def bracket(self) -> list[Markup]:
        """What is left of a bracket that has been opened."""
        inside = self.items()
        if self.words:
            self.words.pop()
        return parenthesised(*inside)

    def raised(self, base: Markup) -> Markup:
        if not self.words or self.words[-1] != "^":
            return base
        self.words.pop()
        return tag("msup", base, tag("mn", self.words.pop() if self.words else ""))
