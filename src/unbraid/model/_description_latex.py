"""A description as LaTeX."""

from collections.abc import Sequence

from .._typing import Array
from ._branch_description import BranchDescription
from ._shape_texts import number

ESCAPES = (
    ("\\", "\\textbackslash "),
    *[(sign, "\\" + sign) for sign in "{}$&%#_"],
    ("^", "\\textasciicircum "),
    ("~", "\\textasciitilde "),
)


def render_latex(
    branches: Sequence[BranchDescription],
    outputs: Sequence[str],
    offset: Sequence[float],
    W: Array,
) -> str:
    """The sum of the branches as LaTeX, each branch by its nearest shape."""
    lines = []
    for o, name in enumerate(outputs):
        terms = [
            f"{_signed(W[o, b.index])}\\, g_{{{b.index + 1}}}(z_{{{b.index + 1}}})"
            for b in branches
            if W[o, b.index] != 0
        ]
        lines.append(f"{_symbol(name)} &\\approx {_number(offset[o])} {' '.join(terms)}")
    for b in branches:
        i = b.index + 1
        entries = " ".join(f"{_signed(v)}\\, {_symbol(name)}" for name, v in b.inputs if v != 0)
        lines.append(f"z_{{{i}}} &= {entries.removeprefix('+ ')}")
        lines.append(f"g_{{{i}}}(z) &\\approx {_formula(b.shape.formula)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


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
