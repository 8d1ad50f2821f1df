"""Branches in words: how much each contributes, what it looks like, which inputs move it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from .._util.validation import counted, finite_array, moderate
from ..errors import InvalidOption, InvalidSamples
from ._branch import Branch
from ._error_summary import ALL_OUTPUTS
from ._shapes import Shape, nearest_shape, number

MOST_INPUTS = 4  # named in a sentence
FEWEST = 5  # points that a shape is read from
STILL = 1e-20  # of the mean square: a variance that is rounding
AT_ODDS = 1.2  # sum of the sizes of all shares from which branches are said to cancel
CANCEL = "; large parts of these cancel, so that shares leave the range from 0 to 100%"
ALIKE = 0.1  # between shares: outputs that are made of the same parts
NO_PART = 0.005  # of an output: a branch of others that is left out of its sentence
MOST_SENTENCES = 4
FAINT, TRACE = 0.02, 1e-3  # of the largest entry of V: inputs below are only named, or left out
FEW = 3  # of these that are named


@dataclass(frozen=True)
class BranchDescription:
    """One branch: its share of the variance of the outputs, its range, its shape, its inputs.

    ``share`` is the covariance of the branch's part with the output over the output's variance,
    mean of the outputs that vary: shares add up to 1, and one that works against the others has a
    negative share. ``inputs`` are names and entries of V, the heaviest first; ``weights`` are the
    sizes of the entries, each times the spread of its input, over the largest.
    """

    index: int
    share: float
    share_by_output: tuple[float, ...]
    interval: tuple[float, float]
    range: tuple[float, float]
    shape: Shape
    inputs: tuple[tuple[str, float], ...]
    weights: tuple[float, ...]

    @property
    def direction(self) -> str:
        """z in the inputs that matter."""
        heavy = [
            pair for pair, weight in zip(self.inputs, self.weights, strict=True) if weight >= FAINT
        ]
        text = ""
        for name, value in heavy[:MOST_INPUTS]:
            size = f"{abs(value):.2g}"
            text += f" {'-' if value < 0 else '+'} {'' if size == '1' else size + ' '}{name}"
        more = len(heavy) - MOST_INPUTS
        text = "-" + text[3:] if text.startswith(" - ") else text.removeprefix(" + ")
        return text + (f" and {more} more" if more > 0 else self._faint())

    def _faint(self) -> str:
        """Inputs that have a part in z which is too small for a number."""
        pairs = zip(self.inputs, self.weights, strict=True)
        faint = [name for (name, _), weight in pairs if TRACE <= weight < FAINT]
        if not faint:
            return ""
        return f" and, faintly, {', '.join(faint) if len(faint) <= FEW else f'{len(faint)} others'}"

    def __str__(self) -> str:
        fit = f"{self.shape.words}, R² = {self.shape.r2:.4f}"
        low, high = (number(end, float(np.ptp(self.interval))) for end in self.interval)
        return (
            f"branch {self.index + 1}: {_percent(self.share, 1)} of the variance; {fit}\n"
            f"  g{self.index + 1}(z) ~ {self.shape.formula}, z from {low} to {high}\n"
            f"  z = {self.direction}"
        )


@dataclass(frozen=True)
class Description:
    """All branches, those that contribute most first; print it, or take it apart."""

    branches: tuple[BranchDescription, ...]
    outputs: tuple[str, ...]
    offset: tuple[float, ...]
    W: Array
    missed: tuple[str, float] | None = None  # which outputs are far off, and by how many %

    @property
    def caveat(self) -> str:
        """What to know before reading on; empty where the function is near to what it describes."""
        if self.missed is None:
            return ""
        what, error = self.missed
        their = "their" if what == ALL_OUTPUTS else "its"
        return f"a rough sketch: it misses {what} by {error:.0f} % of {their} spread"

    @property
    def words(self) -> str:
        """The sum in one sentence, or in one an output where these are made of different parts."""
        lively = self._lively()
        still = [name for name in self.outputs if name not in lively]
        by_output = {name: self._shares_of(o) for o, name in enumerate(self.outputs)}
        mean = [branch.share for branch in self.branches]
        apart = max(
            abs(a - b) for name in lively for a, b in zip(by_output[name], mean, strict=True)
        )
        if apart < ALIKE:
            what = lively[0] if len(lively) == 1 else f"each of {', '.join(lively)}"
            text = self._sentence(what, mean)
        elif len(lively) > MOST_SENTENCES:
            what = f"each of {', '.join(lively)}, on average,"
            text = self._sentence(what, mean)
        else:
            text = ". ".join(self._sentence(name, by_output[name]) for name in lively)
        if still:
            text += f"; {', '.join(still)} {'is' if len(still) == 1 else 'are'} constant"
        return text + (CANCEL if self.cancelling else "")

    def _shares_of(self, output: int) -> list[float]:
        return [branch.share_by_output[output] for branch in self.branches]

    def _sentence(self, what: str, shares: Sequence[float]) -> str:
        """A sum of branches, the largest first, without those that only others are made of."""
        order = np.argsort(-np.array(shares), kind="stable")
        most = [max(map(abs, branch.share_by_output)) for branch in self.branches]
        seen = [k for k in order if abs(shares[k]) > NO_PART or most[k] <= NO_PART]
        parts = [
            f"{_phrase(self.branches[k].shape)} {self.branches[k].direction} "
            f"({_percent(shares[k])})"
            for k in seen
        ]
        return f"{what} is a constant plus {counted(len(parts), 'term')}: {'; '.join(parts)}"

    @property
    def cancelling(self) -> bool:
        """Do large parts of the branches cancel? Then shares are below 0 and above 1."""
        return sum(abs(branch.share) for branch in self.branches) > AT_ODDS

    def _lively(self) -> list[str]:
        """The outputs that vary, or all if none does."""
        moved = [
            name
            for o, name in enumerate(self.outputs)
            if any(branch.share_by_output[o] != 0 for branch in self.branches)
        ]
        return moved or list(self.outputs)

    @property
    def latex(self) -> str:
        """The sum as LaTeX, each branch by its plain shape."""
        lines = []
        for o, name in enumerate(self.outputs):
            terms = [
                f"{_signed(self.W[o, b.index])}\\, g_{{{b.index + 1}}}(z_{{{b.index + 1}}})"
                for b in self.branches
                if self.W[o, b.index] != 0
            ]
            text = f"{_tex(self.offset[o])} {' '.join(terms)}"
            lines.append(f"{_text(name)} &\\approx {text}")
        for b in self.branches:
            i = b.index + 1
            entries = " ".join(f"{_signed(v)}\\, {_text(name)}" for name, v in b.inputs if v != 0)
            lines.append(f"z_{{{i}}} &= {entries.removeprefix('+ ')}")
            lines.append(f"g_{{{i}}}(z) &\\approx {_formula(b.shape.formula)}")
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def __str__(self) -> str:
        lines = [self.caveat, self.words, *map(str, self.branches)]
        return "\n".join(line for line in lines if line)


def describe(
    W: Array,
    V: Array,
    branches: Sequence[Branch],
    offset: Array,
    spread: Array | None = None,
    points: object = None,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Description:
    """Say of every branch what it is and what it is worth, on the points or on those it keeps."""
    z = _abscissae(V, branches, points)
    inputs = checked_names("names", names, len(V), "p")
    targets = checked_names("outputs", outputs, len(W), "f")
    if points is not None and len(z) < FEWEST:
        raise InvalidSamples(f"{len(z)} points say little of a branch: pass at least {FEWEST}")
    if points is not None:
        spread = moderate("points", finite_array("points", points)).std(axis=0)
    elif spread is None:
        spread = np.ones(len(V))
    g = np.column_stack([branch(column) for branch, column in zip(branches, z.T, strict=True)])
    shares = _shares(W, g)
    mean = _mean_share(shares)
    order = np.argsort(-mean, kind="stable")
    found = tuple(
        _described(int(i), mean[i], shares[:, i], z[:, i], g[:, i], V[:, i], spread, inputs)
        for i in order
    )
    return Description(found, targets, tuple(offset.tolist()), W)


def _described(
    index: int,
    share: float,
    shares: Array,
    z: Array,
    g: Array,
    direction: Array,
    spread: Array,
    names: tuple[str, ...],
) -> BranchDescription:
    weight = np.abs(direction) * spread
    weight = weight / max(weight.max(), 1e-300)
    heaviest = np.argsort(-weight.round(2), kind="stable")  # equal ones as they come
    return BranchDescription(
        index,
        float(share),
        tuple(np.nan_to_num(shares).tolist()),
        (float(z.min()), float(z.max())),
        (float(g.min()), float(g.max())),
        nearest_shape(z, g),
        tuple((names[l], float(direction[l])) for l in heaviest),
        tuple(weight[heaviest].tolist()),
    )


def _abscissae(V: Array, branches: Sequence[Branch], points: object) -> Array:
    """z of every branch at the points, or at those that the branches were fitted to."""
    if points is not None:
        if isinstance(points, (list, tuple)) and all(isinstance(part, str) for part in points):
            raise InvalidOption(f"points is {points!r}: pass names as names=..., outputs=...")
        table = finite_array("points", points, ndim=2)
        if table.shape[1] != len(V):
            raise InvalidSamples(
                f"points has {table.shape[1]} columns, the function {len(V)} inputs"
            )
        return np.asarray(table @ V)
    kept = [branch.estimate for branch in branches]
    sizes = {None if marks is None else len(marks) for marks in kept}
    if len(sizes) != 1 or None in sizes:
        raise InvalidOption("these branches keep no points: pass describe(points) of your data")
    return np.column_stack([marks[:, 0] for marks in kept if marks is not None])


def _shares(W: Array, g: Array) -> Array:
    """Covariance of each branch's part with each output over the output's variance; (n, r).

    NaN for outputs that do not vary.
    """
    centred = g - g.mean(axis=0)
    total = centred @ W.T
    variance = np.mean(total**2, axis=0)
    parts = W * (total.T @ centred) / len(g)
    varies = variance > STILL * (W**2 @ np.mean(g**2, axis=0))
    return np.asarray(parts / np.where(varies, variance, np.nan)[:, None])


def _mean_share(shares: Array) -> Array:
    """Mean of the outputs that vary; (r,)."""
    if np.all(np.isnan(shares)):
        return np.zeros(shares.shape[1])
    return np.asarray(np.nanmean(shares, axis=0))


def checked_names(
    what: str, names: Sequence[str] | None, count: int, letter: str
) -> tuple[str, ...]:
    """As many names as there are inputs or outputs; a letter and numbers where none are given."""
    if names is None:
        return (letter,) if count == 1 else tuple(f"{letter}{k + 1}" for k in range(count))
    if isinstance(names, str):
        raise InvalidOption(f"{what} is the text {names!r}: pass a list of {count} names")
    try:
        listed = tuple(str(name) for name in names)
    except TypeError:
        raise InvalidOption(f"{what} is {names!r}: pass a list of {count} names") from None
    if len(listed) != count or len(set(listed)) != count:
        raise InvalidOption(f"{what} is {list(listed)}: pass {count} different names")
    return listed


def _percent(share: float, digits: int = 0) -> str:
    """A share in percent; what is not 0 never reads as 0.

    >>> _percent(0.624), _percent(-0.001), _percent(0.0004, 1), _percent(0.0)
    ('62%', 'less than 1%', 'less than 0.1%', '0%')
    """
    least = 10.0**-digits
    if 0 < abs(100 * share) < least / 2:
        return f"less than {least:g}%"
    return f"{100 * share + 0.0:.{digits}f}%"


def _phrase(shape: Shape) -> str:
    """What a curve is, up to what it is a function of."""
    words = shape.words
    if words == "no simple shape":
        return "a curve of no simple shape along"
    if shape.name.startswith("a "):
        return f"{words} along"
    return f"an {words} function of" if words[0] in "aeio" else f"a {words} function of"


def _tex(value: float) -> str:
    mantissa, _, exponent = number(value).partition("e")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {_tex(abs(value))}"


def _text(name: str) -> str:
    """A name of a letter and a number as a symbol, any other as upright text."""
    letters, digits = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    if len(letters) == 1 and letters.isalpha():
        return f"{letters}_{{{digits}}}" if digits else letters
    for plain, escaped in ESCAPES:
        name = name.replace(plain, escaped)
    return f"\\text{{{name}}}"


ESCAPES = (
    ("\\", "\\textbackslash "),
    *[(sign, "\\" + sign) for sign in "{}$&%#_"],
    ("^", "\\textasciicircum "),
    ("~", "\\textasciitilde "),
)


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
