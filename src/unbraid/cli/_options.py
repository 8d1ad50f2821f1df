"""Parsers of option values, and the options that several commands share."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from ..bases import RBF, Basis, BSpline, Fourier, PiecewiseLinear, Polynomial
from ..errors import InvalidOptionError
from ._sections import Decorated, option

BASIS_NAMES: dict[str, Callable[[int], Basis]] = {
    "poly": Polynomial,
    "spline": BSpline,
    "linear": PiecewiseLinear,
    "fourier": Fourier,
    "rbf": RBF,
}
BASIS_EXAMPLES = "poly:5, spline:12, linear:8, fourier:3 or rbf:8"
MAX_RANGE_LENGTH = 10_000  # integers that LOW:HIGH may stand for


class ParsedText(click.ParamType):  # type: ignore[type-arg]
    """An option type with a parser; its InvalidOptionError is a usage error."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except InvalidOptionError as error:
            self.fail(str(error), param, ctx)


def parse_names(text: str) -> list[str]:
    """Names separated by commas, none of them empty.

    >>> parse_names("speed, load")
    ['speed', 'load']
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InvalidOptionError(f"{text!r} has an empty name: write NAME or NAME,NAME")
    return parts


def parse_integers(text: str) -> list[int]:
    """Integers from a list of integers and ranges; a range includes both ends.

    >>> parse_integers("1:3,6")
    [1, 2, 3, 6]
    """
    integers: list[int] = []
    for part in parse_names(text):
        try:
            ends = [int(end) for end in part.split(":")]
        except ValueError:
            hint = "write whole numbers, as 3, 1:6 or 1,2,4"
            raise InvalidOptionError(f"{text!r} holds {part!r}: {hint}") from None
        if len(ends) > 2 or ends[-1] < ends[0] or ends[-1] - ends[0] > MAX_RANGE_LENGTH:
            raise InvalidOptionError(f"{part!r} is no range: write LOW:HIGH, as in 1:6, or 1,2,4")
        integers += range(ends[0], ends[-1] + 1)
    if len(set(integers)) < len(integers):
        raise InvalidOptionError(f"{text!r} names a number twice")
    return integers


def parse_float(text: str) -> float:
    """A finite number."""
    try:
        number = float(text)
    except ValueError:
        raise InvalidOptionError(f"{text!r} is not a number") from None
    if not math.isfinite(number):
        raise InvalidOptionError(f"{text!r} is not a finite number")
    return number


def parse_share(text: str) -> float:
    """A number of at least 0 and below 1."""
    share = parse_float(text)
    if not 0 <= share < 1:
        raise InvalidOptionError(f"{text!r} is no share: write a number from 0 to below 1")
    return share


def parse_range(text: str) -> tuple[float, float]:
    """The range of an input.

    >>> parse_range("-1:2.5")
    (-1.0, 2.5)
    """
    ends = [parse_float(end) for end in text.split(":")]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InvalidOptionError(f"{text!r} is no range of an input: write LOW:HIGH, as in -1:1")
    return ends[0], ends[1]


def parse_branch_counts(text: str) -> list[int | str]:
    """Numbers of branches to try; "auto" may be one of them.

    >>> parse_branch_counts("1:2,auto")
    [1, 2, 'auto']
    """
    parts = [part.lower() for part in parse_names(text)]
    given = [part for part in parts if part != "auto"]
    counts = parse_integers(",".join(given)) if given else []
    if counts and min(counts) < 1:
        raise InvalidOptionError(f"{text!r} branches are too few: write 1 or more, or auto")
    return [*counts, "auto"] if "auto" in parts else list(counts)


def parse_branch_count(text: str) -> int | str:
    """A number of branches, or "auto"."""
    counts = parse_branch_counts(text)
    if len(counts) > 1:
        raise InvalidOptionError(
            f"{text!r} is a list: write one number; `unbraid scan` takes several"
        )
    return counts[0]


def parse_basis(text: str) -> Basis | str:
    """A basis by name and size, or "auto".

    >>> parse_basis("poly:5"), parse_basis("auto")
    (Polynomial(degree=5, low=None, high=None), 'auto')
    """
    if text.lower() == "auto":
        return "auto"
    name, _, size = text.partition(":")
    if name not in BASIS_NAMES or not size.isdecimal():
        raise InvalidOptionError(f"{text!r} is no basis: write auto, {BASIS_EXAMPLES}")
    return BASIS_NAMES[name](int(size))


def parse_method(text: str) -> str:
    """The name of a method."""
    from ..solvers import METHODS

    if text not in METHODS:
        choices = f"choose one of {', '.join(METHODS)}; `unbraid scan` compares several"
        raise InvalidOptionError(f"{text!r} is no method: {choices}")
    return text


def list_type(name: str, parse: Callable[[str], Any]) -> ParsedText:
    """An option type for values separated by commas, each read by a function.

    >>> list_type("LOW:HIGH,...", parse_range).parse("-1:1, 0:2.5")
    [(-1.0, 1.0), (0.0, 2.5)]
    """
    return ParsedText(name, lambda text: [parse(part) for part in parse_names(text)])


NAMES_TYPE = ParsedText("NAME,NAME", parse_names)
BRANCHES_TYPE = ParsedText("N|auto", parse_branch_count)
METHOD_TYPE = ParsedText("NAME", parse_method)
BASIS_TYPE = ParsedText("NAME:SIZE", parse_basis)
BOX_TYPE = list_type("LOW:HIGH,...", parse_range)
COUNT_TYPE = click.IntRange(min=1)
INDEX_TYPE = click.IntRange(min=0)
TOLERANCE_TYPE = click.FloatRange(0, min_open=True)
SHARE_TYPE = ParsedText("SHARE", parse_share)


def combine_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """One decorator that adds several options, in order."""

    def decorate(function: Decorated) -> Decorated:
        for add_option in reversed(options):
            function = add_option(function)
        return function

    return decorate


fit_option = partial(option, section="The fit")
sampling_option = partial(option, section="Where the model is sampled")
output_option = partial(option, section="Output")
sampling_options = combine_options(
    sampling_option(
        "--points", metavar="FILE", help="Operating points: .csv, .npy, .npz or .mat, one per row."
    ),
    sampling_option(
        "--box", type=BOX_TYPE, help="Draw points in a box: one range for all, or one per input."
    ),
    sampling_option("--n-points", type=COUNT_TYPE, default=500, help="Number of points to draw."),
    sampling_option(
        "--inputs-count", type=COUNT_TYPE, help="Number of inputs, if the model does not define it."
    ),
    sampling_option(
        "--target", type=NAMES_TYPE, help="Columns of a table, or an array, that are outputs."
    ),
    sampling_option(
        "--features",
        type=NAMES_TYPE,
        help="Columns that are inputs; by default all others, or p1, p2, ... with Jacobians.",
    ),
)
name_options = combine_options(
    option("--names", type=NAMES_TYPE, help="Names of the inputs.", section="Names"),
    option("--output-names", type=NAMES_TYPE, help="Names of the outputs.", section="Names"),
)
branches_option = fit_option(
    "-r", "--branches", type=BRANCHES_TYPE, default="auto", help="Number of univariate functions."
)
starts_option = fit_option(
    "--starts",
    type=COUNT_TYPE,
    help="Random starts of a search.  [default: varpro 1 to 24 as needed, cpd 20, others 10]",
)
json_option = output_option("--json", "as_json", is_flag=True, help="Print one JSON document.")
report_option = output_option("--report", metavar="FILE.html", help="Also write a report.")
