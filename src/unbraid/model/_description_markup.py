"""Descriptions as LaTeX and as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ._description_text import MAX_TABLE_ROWS, TABLE_HEAD
from ._shape_texts import number

if TYPE_CHECKING:
    from ._description import Description

ESCAPES = (
    ("\\", "\\textbackslash "),
    *[(sign, "\\" + sign) for sign in "{}$&%#_"],
    ("^", "\\textasciicircum "),
    ("~", "\\textasciitilde "),
)
MIN_FORMULA_SHARE = 0.01  # of an output: smaller curves have no formula
MIN_LATEX_WEIGHT = 5e-4  # of a direction: smaller entries are left out
MIN_LINEAR_SIZE = 1e-3  # of the largest slope of an output, standardised: smaller are left out


def render_html(description: Description) -> str:
    """The sentences and the table of a description as HTML."""
    text = "".join(f"<p>{escape(line)}</p>" for line in description.lines)
    rows = description.rows[:MAX_TABLE_ROWS]
    if not rows:
        return f"<div>{text}</div>"
    head = "".join(f"<th>{name}</th>" for name in TABLE_HEAD)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<div>{text}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def render_latex(description: Description) -> str:
    """Outputs, directions and curves as LaTeX; simple curves by a formula.

    Every curve includes the linear part along its direction.
    """
    lines = [_write_output(description, o, name) for o, name in enumerate(description.outputs)]
    formulas = 0
    for d, direction in enumerate(description.directions):
        if direction.curves:
            lines.append(f"z_{{{d + 1}}} &= {_write_direction(description, d)}")
        for output in direction.curves:
            few = formulas < MAX_TABLE_ROWS and direction.shares[output] >= MIN_FORMULA_SHARE
            formula = direction.labels[output].formula if few else None
            if formula is not None:
                formulas += 1
                name = _curve_symbol(description, d, output)
                lines.append(f"{name}(z) &\\approx {_formula(formula)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _write_output(description: Description, o: int, name: str) -> str:
    """Constant, slopes that belong to no curve, and the curves."""
    form = description.form
    slopes = form.linear[o] * form.spread
    taken = np.zeros_like(slopes)
    curves = []
    for d, direction in enumerate(description.directions):
        if name in direction.curves:
            taken += direction.slopes[name] * form.directions[d]
            curves.append(f"+ {_curve_symbol(description, d, name)}(z_{{{d + 1}}})")
    rest = slopes - taken
    large = np.abs(rest) > MIN_LINEAR_SIZE * max(float(np.abs(slopes).max(initial=0.0)), 1e-300)
    units = np.where(large, rest, 0.0) / np.where(form.spread > 0, form.spread, 1.0)
    offset = form.offset[o] + (form.linear[o] - units) @ form.mean
    terms = [
        f"{_signed(units[l])}\\, {_symbol(description.inputs[l])}" for l in np.flatnonzero(units)
    ]
    return f"{_symbol(name)} &\\approx {' '.join([_number(offset), *terms, *curves])}"


def _write_direction(description: Description, d: int) -> str:
    form = description.form
    place = {name: l for l, name in enumerate(description.inputs)}
    terms = []
    for name, weight in description.directions[d].weights.items():
        if abs(weight) < MIN_LATEX_WEIGHT:
            continue
        l = place[name]
        shift = f"{_symbol(name)} {_signed(-form.mean[l])}" if form.mean[l] else _symbol(name)
        sign = _signed(weight).replace(" 1", " ") if abs(weight) > 1 - 5e-4 else _signed(weight)
        terms.append(f"{sign}\\, \\frac{{{shift}}}{{{_number(form.spread[l])}}}")
    return " ".join(terms).removeprefix("+ ")


def _curve_symbol(description: Description, d: int, output: str) -> str:
    if len(description.outputs) == 1:
        return f"h_{{{d + 1}}}"
    return f"h_{{{d + 1},{_symbol(output)}}}"


def _number(value: float) -> str:
    mantissa, _, exponent = number(value).partition("e")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {_number(abs(value))}"


def _symbol(name: str) -> str:
    """A name of a letter and a number as a symbol, any other as upright text."""
    letters, digits = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    if len(letters) == 1 and letters.isalpha():
        return f"{letters}_{{{digits}}}" if digits else letters
    for plain, escaped in ESCAPES:
        name = name.replace(plain, escaped)
    return f"\\text{{{name}}}"


def _formula(text: str) -> str:
    """The plain text of a shape as LaTeX."""
    for name in ("tanh", "exp", "sin", "max"):
        text = text.replace(name + "(", f"\\{name}(")
    words = []
    for word in text.split(" "):
        mantissa, e, exponent = word.partition("e")
        words.append(
            f"{mantissa} \\cdot 10^{{{int(exponent)}}}"
            if e and exponent.lstrip("+-").isdigit()
            else word
        )
    return " ".join(words)
