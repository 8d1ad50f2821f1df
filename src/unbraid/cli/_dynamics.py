"""Records of a dynamic system, and the options of the coupled NARX model."""

import math
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from .._typing import Array
from ..dynamics._records import Record, as_list
from ..errors import InvalidFileError
from ..narx import NARX, fit_polynomial_narx
from ..statespace._signals import detect_saturation
from . import _options as opt
from ._output import print_message
from ._record_files import (
    MIN_RECORD_SAMPLES,
    RecordColumns,
    RecordFile,
    check_rate,
    join_records,
    read_record_file,
)
from ._sections import option, reject_options

LAGS_TYPE = opt.ParsedText("LAG,LAG", opt.parse_integers)
DEFAULT_INITIAL_SAMPLES = 50  # outputs that give the initial state, at most a quarter of a record
Signals = tuple[Any, Any]  # inputs and outputs: an array each, or a list for several records

record_option = partial(option, section="The record")
coupled_option = partial(option, section="The coupled model")
column_options = opt.combine_options(
    record_option("--u", type=opt.NAMES_TYPE, help="Inputs; by default u, or u1, u2, ..."),
    record_option("--y", type=opt.NAMES_TYPE, help="Outputs; by default y, or y1, y2, ..."),
    record_option("--time", metavar="NAME", help="Column of times: seconds, or ISO dates."),
    record_option("--record", metavar="NAME", help="Column that names the record of a row."),
    record_option(
        "--sampling-time", type=click.FloatRange(0, min_open=True), help="Seconds between samples."
    ),
)
signal_options = opt.combine_options(
    column_options,
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
    """Inputs and outputs to fit, and others to test on, with what is known of them."""

    train: Signals
    test: Signals | None
    names: tuple[str, ...]
    outputs: tuple[str, ...]
    sampling_time: float | None
    notices: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        """How many samples are fitted and tested on."""
        tested = "no test record"
        if self.test is not None:
            tested = f"{_count_samples(self.test)} to test on"
        return f"{_count_samples(self.train)} to fit, {tested}; simulation errors"


def _count_samples(signals: Signals) -> str:
    records = as_list("y", signals[1])
    several = f" in {len(records)} records" if len(records) > 1 else ""
    return f"{sum(map(len, records))} samples{several}"


def choose_columns(options: SimpleNamespace) -> RecordColumns:
    """The columns that the options of a command name."""
    if options.time is not None:
        reject_options(options, ("sampling_time",), "and --time say the same: keep one")
    return RecordColumns(options.u, options.y, options.time, options.record, options.sampling_time)


def read_records(path: str, options: SimpleNamespace) -> TrainTestRecords:
    """Read the records to fit and to test on, and print notices about them.

    The test record is another file, or the end of this one.
    """
    chosen = choose_columns(options)
    file = read_record_file(path, chosen)
    assert file.outputs is not None
    notices = [*file.notices, *_check_signals(file)]
    if options.test:
        other = read_record_file(options.test, chosen)
        _check_same_kind(other, file)
        notices += other.notices
        train: Signals = (file.u, file.y)
        test: Signals | None = (other.u, other.y)
    else:
        train, test = _split_end(file, options.test_share)
    for notice in notices:
        print_message(notice)
    return TrainTestRecords(
        train, test, file.names, file.output_names, file.sampling_time, tuple(notices)
    )


def _check_same_kind(other: RecordFile, file: RecordFile) -> None:
    """Refuse a test record with other columns or another sampling time."""
    if (len(other.names), len(other.output_names)) != (len(file.names), len(file.output_names)):
        raise InvalidFileError(f"{other.path} and {file.path} differ in their columns of u or y")
    if other.sampling_time is not None and file.sampling_time is not None:
        check_rate(other.path, other.sampling_time, file.path, file.sampling_time)


def _check_signals(file: RecordFile) -> list[str]:
    """Refuse constant signals; notices about saturated outputs."""
    assert file.outputs is not None
    for signals, names, flag in (
        (file.inputs, file.names, "--u"),
        (file.outputs, file.output_names, "--y"),
    ):
        spread = np.ptp(np.concatenate(signals), axis=0)
        for name, width in zip(names, spread.tolist(), strict=True):
            if width == 0:
                raise InvalidFileError(
                    f"{file.path}: {name} is constant and carries no information: leave it out of "
                    f"{flag}, or use a record in which it varies"
                )
    pairs = zip(file.inputs, file.outputs, strict=True)
    found = detect_saturation([Record(u, y) for u, y in pairs])
    if found is None:
        return []
    return [
        f"{file.path}: {name} is saturated at {bound:.6g}: state-space models limit it there, NARX "
        f"models do not"
        for bounds in found
        for name, bound in zip(file.output_names, bounds.tolist(), strict=True)
        if math.isfinite(bound)
    ]


def _split_end(file: RecordFile, share: float) -> tuple[Signals, Signals | None]:
    """Split off the final share of the samples; a record may be cut into two.

    Of several records none is cut where a part would be too short.
    """
    assert file.outputs is not None
    n_test = int(share * file.n_samples)
    if n_test == 0:
        return (file.u, file.y), None
    train, test = [], []
    for u, y in reversed(list(zip(file.inputs, file.outputs, strict=True))):
        cut = min(max(len(u) - n_test, 0), len(u))
        n_test -= len(u) - cut
        if len(file.inputs) > 1 and not MIN_RECORD_SAMPLES <= cut <= len(u) - MIN_RECORD_SAMPLES:
            cut = 0 if 2 * cut < len(u) else len(u)
        train += [(u[:cut], y[:cut])] if cut > 0 else []
        test += [(u[cut:], y[cut:])] if cut < len(u) else []
    if not train or not test:
        raise InvalidFileError(
            f"{file.path}: --test-share {share:g} leaves no record to fit or to test on: pass "
            f"another share, or --test FILE"
        )
    return _join_pairs(train[::-1]), _join_pairs(test[::-1])


def _join_pairs(pairs: list[tuple[Array, Array]]) -> Signals:
    inputs, outputs = zip(*pairs, strict=True)
    return join_records(list(inputs)), join_records(list(outputs))


def choose_initial(n_samples: int, requested: int | None) -> int:
    """Measured outputs from which the initial state of a record is estimated."""
    if requested is not None:
        return requested
    return min(DEFAULT_INITIAL_SAMPLES, max(n_samples // 4, 1))


def identify_model(records: TrainTestRecords, degree: int, options: SimpleNamespace) -> NARX:
    """Fit the coupled model to the training record."""
    return fit_polynomial_narx(
        *records.train,
        options.input_lags,
        options.output_lags,
        degree,
        ridge=options.ridge,
        input_names=records.names,
        output_names=records.outputs,
        sampling_time=records.sampling_time,
    )
