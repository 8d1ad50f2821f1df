"""Records of a dynamic system, and the options of the NARX model that is fitted to them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import click

from .._typing import Array
from ..errors import InvalidFile
from ..narx import NARX, fit_polynomial_narx
from ._options import SHARE, WORDS, Text, all_of, whole_numbers
from ._progress import waiting
from ._sections import option
from ._tables import flat, record_of

RECORD, MODEL = "The record", "The coupled model"
LAGS = Text("LAG,LAG", whole_numbers)
Signals = tuple[Array, Array]

reference_options = all_of(
    [
        option(RECORD, "--u", type=WORDS, help="Inputs; by default u, or u1, u2, ..."),
        option(RECORD, "--y", type=WORDS, help="Outputs; by default y, or y1, y2, ..."),
        option(RECORD, "--test", metavar="FILE", help="A record to test on."),
        option(
            RECORD,
            "--test-share",
            type=SHARE,
            default=0.25,
            help="Without --test: the end of DATA, as a share.",
        ),
        option(
            RECORD,
            "--initial",
            type=click.IntRange(min=1),
            help="Measured outputs that a free run starts from.  [default: the longest lag]",
        ),
        option(
            MODEL,
            "--input-lags",
            type=LAGS,
            default="0,1",
            help="Past inputs it looks at.",
        ),
        option(
            MODEL,
            "--output-lags",
            type=LAGS,
            default="1,2,3",
            help="Past outputs it looks at.",
        ),
        option(
            MODEL,
            "--ridge",
            type=click.FloatRange(min=0),
            default=0.0,
            help="Weight of its squared coefficients.",
        ),
    ]
)


@dataclass(frozen=True, eq=False)
class Records:
    """Inputs and outputs to fit, and others to test on."""

    train: Signals
    test: Signals | None


def records_of(path: str, options: SimpleNamespace) -> Records:
    """Read the record, and the one to test on, or cut that from the end."""
    u, y = record_of(path, options.u, options.y)
    if options.test:
        other = record_of(options.test, options.u, options.y)
        if (other[0].shape[1], other[1].shape[1]) != (u.shape[1], y.shape[1]):
            raise InvalidFile(f"{options.test} and {path} differ in their columns of u or y")
        return Records(flat(u, y), flat(*other))
    cut = len(y) - int(options.test_share * len(y))
    return Records(flat(u[:cut], y[:cut]), flat(u[cut:], y[cut:]) if cut < len(y) else None)


def identified(records: Records, degree: int, options: SimpleNamespace) -> NARX:
    """The coupled model."""
    lags = options.input_lags, options.output_lags
    with waiting("Identifying"):
        return fit_polynomial_narx(*records.train, *lags, degree, ridge=options.ridge)
