"""Formulas as MathML, which browsers render themselves."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._util.markup import Markup, shorten, tag
from ..errors import UnbraidError
from ..export._formula import Legendre, expand_powers, translate_curve
from ..model._branch import Branch
from ._number_format import format_decimal, is_decimal, set_minus, split_scientific

FORMULA_DIGITS = 4
STORED_VARIABLE = "s"  # of the stored branches; z is a standardised direction
NEGLIGIBLE_TERM = 1e-12  # of the largest term: rounding error
TOKEN = re.compile(r"( ?)(\d+\.?\d*(?:e[+-]?\d+)?|[a-z]+|.)(?:\^(\d+))?")
SYMBOL = re.compile(r"([A-Za-z])(\d{1,3})?")
THIN_SPACE = tag("mspace", width="0.17em")


def align_equations(lines: Iterable[tuple[Markup, str, Markup]]) -> Markup:
    """Return lines of left side, sign and right side, aligned at their signs."""
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
    """Return a letter with an index for a letter with a number, else upright text.

    >>> symbol("p"), symbol("speed")
    ('<mi>p</mi>', '<mtext>speed</mtext>')
    """
    match = SYMBOL.fullmatch(name)
    if match is None:
        return tag("mtext", shorten(name))
    letter, digits = match.groups()
    return subscript(letter, digits) if digits else tag("mi", letter)


def subscript(letter: str, digits: Any) -> Markup:
    """Return a letter with a subscript, at the same height for all letters."""
    base = tag("mpadded", tag("mi", letter), depth="0.22em")
    return tag("msub", base, tag("mn", digits))


def parenthesise(*inside: Any) -> list[Markup]:
    return [tag("mo", "(", stretchy="false"), *inside, tag("mo", ")", stretchy="false")]


def row(*children: Any) -> Markup:
    return tag("mrow", *children)


def number(value: float, digits: int = FORMULA_DIGITS) -> Markup:
    """Return a number, with a power of ten where it is long.

    >>> number(-0.25), number(2e7)
    ('<mn>−0.25</mn>', '<mrow><mn>2</mn><mo>·</mo><msup><mn>10</mn><mn>7</mn></msup></mrow>')
    """
    if is_decimal(value):
        return tag("mn", format_decimal(value, digits))
    mantissa, exponent = split_scientific(value, digits)
    ten = tag("msup", tag("mn", 10), tag("mn", set_minus(str(exponent))))
    if mantissa == "1":
        return ten
    return row(tag("mn", set_minus(mantissa)), tag("mo", "·"), ten)


def weighted_sum(terms: Sequence[tuple[float, Markup | None]], n_more: int = 0) -> Markup:
    """Return a sum of numbers times symbols; ``n_more`` terms are only counted."""
    parts: list[Markup] = []
    for weight, factor in terms:
        if weight == 0:
            continue
        if parts or weight < 0:
            parts.append(tag("mo", "−" if weight < 0 else "+", form=None if parts else "prefix"))
        size = number(abs(weight))
        if factor is None:
            parts.append(size)
        else:
            parts += [factor] if size == number(1.0) else [size, THIN_SPACE, factor]
    if n_more:
        parts += [tag("mo", "+"), tag("mtext", f"{n_more} more")]
    return row(*parts) if parts else number(0.0)


def write_branch(branch: Branch, shape: str) -> tuple[str, Markup]:
    """Return = and the polynomial of a branch, or ≈ and the formula of its shape.

    The variable is s, since z is a standardised direction on the page.
    """
    try:
        curve = translate_curve(branch)
    except UnbraidError:  # a Python function
        return "≈", parse_formula(shape, STORED_VARIABLE)
    if not isinstance(curve, Legendre):
        return "≈", parse_formula(shape, STORED_VARIABLE)
    centre, coefficients = expand_powers(curve)
    reach = max(abs(end - centre) for end in branch.interval)
    sizes = np.abs(coefficients) * reach ** np.arange(coefficients.size)
    kept = np.where(sizes > NEGLIGIBLE_TERM * sizes.max(), coefficients, 0.0)
    return "=", weighted_sum([(float(c), _power(k, centre)) for k, c in enumerate(kept)][::-1])


def _power(k: int, centre: float) -> Markup | None:
    """Return a power of s - centre."""
    if k == 0:
        return None
    s = tag("mi", STORED_VARIABLE)
    if centre:
        s = row(*parenthesise(s, tag("mo", "−" if centre > 0 else "+"), number(abs(centre), 8)))
    return s if k == 1 else tag("msup", s, tag("mn", k))


def parse_formula(text: str, variable: str = "z") -> Markup:
    """Return the formula of a simple shape, such as ``3 tanh(0.5 (z - 2)) + 1``.

    ``variable`` is written in place of z.

    >>> parse_formula("2 z^2")
    '<mrow><mn>2</mn><mspace width="0.17em"></mspace><msup><mi>z</mi><mn>2</mn></msup></mrow>'
    """
    parts: list[Markup] = []
    previous = "("
    for space, token, exponent in TOKEN.findall(text):
        if space and token not in "+-" and previous not in "+-,":  # a product
            parts.append(THIN_SPACE)
        if token[0].isdigit():
            part = number(float(token))
        elif token.isalpha():
            part = tag("mi", variable if token == "z" else token)
        elif token in "()":
            part = tag("mo", token, stretchy="false")
        else:
            part = tag("mo", set_minus(token), form="prefix" if previous == "(" else None)
        parts.append(tag("msup", part, tag("mn", exponent)) if exponent else part)
        previous = token
    return row(*parts)
