"""Records of a dynamic system, and the options of the coupled NARX model."""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import click

from .._typing import Array
from ..errors import InvalidFileError
from ..narx import NARX, fit_polynomial_narx
from . import _options as opt
from ._sections import option
from ._tables import read_record

LAGS_TYPE = opt.ParsedText("LAG,LAG", opt.parse_integers)
Signals = tuple[Array, Array]

record_option = partial(option, section="The record")
coupled_option = partial(option, section="The coupled model")
signal_options = opt.combine_options(
    record_option("--u", type=opt.NAMES_TYPE, help="Inputs; by default u, or u1, u2, ..."),
    record_option("--y", type=opt.NAMES_TYPE, help="Outputs; by default y, or y1, y2, ..."),
    record_option("--test", metavar="FILE", help="A record to test on."),
    record_option(
        "--test-share", type=opt.SHARE_TYPE, default=0.25, help="Final share of DATA, for testing."
    ),
)
record_options = opt.combine_options(
    signal_options,
    record_option(
        "--initial", type=opt.COUNT_TYPE, help="Initial measured outputs.  [default: longest lag]"
    ),
    coupled_option("--input-lags", type=LAGS_TYPE, default="0,1", help="Lags of the inputs."),
    coupled_option("--output-lags", type=LAGS_TYPE, default="1,2,3", help="Lags of the outputs."),
    coupled_option(
        "--ridge", type=click.FloatRange(min=0), default=0.0, help="Regularisation weight."
    ),
)


@dataclass(frozen=True, eq=False)
class TrainTestRecords:
    """Inputs and outputs to fit, and others to test on."""

    train: Signals
    test: Signals | None


def read_records(path: str, options: SimpleNamespace) -> TrainTestRecords:
    """Read the training record and the test record.

    The test record is another file, or the end of this one.
    """
    u, y = read_record(path, options.u, options.y)
    if options.test:
        test = read_record(options.test, options.u, options.y)
        if (test[0].shape[1:], test[1].shape[1:]) != (u.shape[1:], y.shape[1:]):
            raise InvalidFileError(f"{options.test} and {path} differ in their columns of u or y")
        return TrainTestRecords((u, y), test)
    cut = len(y) - int(options.test_share * len(y))
    return TrainTestRecords((u[:cut], y[:cut]), (u[cut:], y[cut:]) if cut < len(y) else None)


def identify_model(records: TrainTestRecords, degree: int, options: SimpleNamespace) -> NARX:
    """Fit the coupled model to the training record."""
    lags = options.input_lags, options.output_lags
    return fit_polynomial_narx(*records.train, *lags, degree, ridge=options.ridge)
