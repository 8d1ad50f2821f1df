"""Values of options in text: ranges, lists, bases; and the options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import click

from ..bases import RBF, Basis, BSpline, Fourier, PiecewiseLinear, Polynomial
from ..errors import InvalidOption
from ._sections import Decorated, option

BASES: dict[str, Callable[[int], Basis]] = {
    "poly": Polynomial,
    "spline": BSpline,
    "linear": PiecewiseLinear,
    "fourier": Fourier,
    "rbf": RBF,
}
MOST = 10_000  # numbers that a range may stand for


class Share(click.FloatRange):
    """At least 0 and below 1; a NaN is neither."""

    def __init__(self) -> None:
        super().__init__(0, 1, max_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        share = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value!r} is no share: write a number from 0 to below 1", param, ctx)
        return share


class Text(click.ParamType):  # type: ignore[type-arg]
    """A type of option that is read by a function; what it refuses is bad usage."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except InvalidOption as error:
            self.fail(str(error), param, ctx)


def words(text: str) -> list[str]:
    """Names between commas, none of them empty.

    >>> words("speed, load")
    ['speed', 'load']
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InvalidOption(f"{text!r} has an empty name: write NAME or NAME,NAME")
    return parts


def whole_numbers(text: str) -> list[int]:
    """Whole numbers: a list, or ranges that hold both their ends.

    >>> whole_numbers("1:3,6")
    [1, 2, 3, 6]
    """
    numbers: list[int] = []
    for part in words(text):
        ends = [_whole(end, text) for end in part.split(":")]
        if len(ends) > 2 or ends[-1] < ends[0] or ends[-1] - ends[0] > MOST:
            raise InvalidOption(f"{part!r} is no range: write LOW:HIGH, as in 1:6, or 1,2,4")
        numbers += range(ends[0], ends[-1] + 1)
    if len(set(numbers)) < len(numbers):
        raise InvalidOption(f"{text!r} names a number twice")
    return numbers


def _whole(text: str, whole: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidOption(
            f"{whole!r} holds {text!r}: write whole numbers, as 3, 1:6 or 1,2,4"
        ) from None


def reals(text: str) -> list[float]:
    """Numbers between commas."""
    return [_real(part) for part in words(text)]


def _real(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise InvalidOption(f"{text!r} is not a number") from None
    if not abs(number) < float("inf"):
        raise InvalidOption(f"{text!r} is not a finite number")
    return number


def box(text: str) -> list[tuple[float, float]]:
    """Ranges of the inputs.

    >>> box("-1:1,0:2.5")
    [(-1.0, 1.0), (0.0, 2.5)]
    """
    ranges = []
    for part in words(text):
        ends = [_real(end) for end in part.split(":")]
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise InvalidOption(f"{part!r} is no range of an input: write LOW:HIGH, as in -1:1")
        ranges.append((ends[0], ends[1]))
    return ranges


def branches(text: str) -> int | str:
    """A number of branches, or "auto"."""
    if text.lower() == "auto":
        return "auto"
    count = _whole(text, text)
    if count < 1:
        raise InvalidOption(f"{text!r} branches make no function: write 1 or more, or auto")
    return count


def branch_counts(text: str) -> list[int | str]:
    """Numbers of branches to try, "auto" among them.

    >>> branch_counts("1:2,auto")
    [1, 2, 'auto']
    """
    parts = [part.lower() for part in words(text)]
    plain = [part for part in parts if part != "auto"]
    counts = whole_numbers(",".join(plain)) if plain else []
    if counts and min(counts) < 1:
        raise InvalidOption(f"{text!r} has a number of branches below 1")
    return [*counts, "auto"] if "auto" in parts else list(counts)


def basis(text: str) -> Basis | str:
    """A basis by name and size.

    >>> basis("poly:5"), basis("auto")
    (Polynomial(degree=5, low=None, high=None), 'auto')
    """
    if text.lower() == "auto":
        return "auto"
    kind, _, count = text.partition(":")
    if kind not in BASES or not count.isdecimal():
        shown = ", ".join(f"{name}:{8 if name != 'poly' else 5}" for name in BASES)
        raise InvalidOption(f"{text!r} is no basis: write auto, {shown}")
    return BASES[kind](int(count))


def bases(text: str) -> list[Basis | str]:
    """Several bases."""
    return [basis(part) for part in words(text)]


def methods(text: str) -> list[str]:
    """Names of methods."""
    from ..solvers import METHODS

    for name in words(text):
        if name not in METHODS:
            raise InvalidOption(f"{name!r} is no method: choose from {', '.join(METHODS)}")
    return words(text)


def method(text: str) -> str:
    """The name of one method."""
    found = methods(text)
    if len(found) > 1:
        raise InvalidOption(f"{text!r} names several methods: `unbraid scan` compares them")
    return found[0]


WORDS = Text("NAME,NAME", words)
COUNT = Text("N|auto", branches)
BOX = Text("LOW:HIGH,...", box)
SEED = click.IntRange(min=0)
SHARE = Share()
WHERE, WHAT, OUT = "Where the model is looked at", "What is fitted", "Names"


def all_of(options: Sequence[Callable[[Decorated], Decorated]]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator, in order."""

    def decorate(function: Decorated) -> Decorated:
        for each in reversed(options):
            function = each(function)
        return function

    return decorate


where = all_of(
    [
        option(
            WHERE,
            "--points",
            metavar="FILE",
            help="Operating points: .csv, .npy, .npz or .mat, one a row.",
        ),
        option(
            WHERE,
            "--box",
            type=BOX,
            help="Draw them in a box: one range for all inputs, or one an input.",
        ),
        option(
            WHERE,
            "--n-points",
            type=click.IntRange(min=1),
            default=500,
            help="How many to draw in the box.",
        ),
        option(
            WHERE,
            "--inputs-count",
            type=click.IntRange(min=1),
            help="Number of inputs, where the model does not say.",
        ),
        option(
            WHERE,
            "--target",
            type=WORDS,
            help="Columns of a table, or an array, that are outputs.",
        ),
        option(
            WHERE,
            "--features",
            type=WORDS,
            help="Columns that are inputs; by default all others, or p1, p2, ... with Jacobians.",
        ),
    ]
)
naming = all_of(
    [
        option(OUT, "--names", type=WORDS, help="Names of the inputs."),
        option(OUT, "--output-names", type=WORDS, help="Names of the outputs."),
    ]
)
branches_option = option(
    WHAT,
    "-r",
    "--branches",
    type=COUNT,
    default="auto",
    help="Number of functions of one variable.",
)
json_option = option("Output", "--json", "as_json", is_flag=True, help="Print one JSON document.")
report_option = option("Output", "--report", metavar="FILE.html", help="Also write a report.")
