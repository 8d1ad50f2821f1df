"""From the arrays of a file to the official split of each benchmark.

Splits and initial windows are those of the package nonlinear_benchmarks, version 1.0.1.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..cases import Recording
from ..cases._silverbox import ARROW, ARROW_INSIDE, RECORD_SAMPLES, TEST, TRAIN
from ..errors import InvalidFileError
from ._arrays import NamedArrays
from ._records import Start, TestSignal

WINDOW, EMPS_WINDOW, CED_WINDOW = 50, 20, 10  # samples at the start of a test
WH_SAMPLES, WH_TRAIN, WH_TEST = 188_000, slice(5_200, 105_200), slice(105_200, 184_000)
TANK_SAMPLES = 1024
CED_SAMPLES, CED_TRAINING = 500, 400
BOUC_WEN_PERIOD, SWEEP_SAMPLES = 8192, 153_000
N_LEVELS = 5  # amplitudes of the parallel Wiener-Hammerstein record


@dataclass(frozen=True, eq=False)
class Split:
    """Training records and tests; the sampling time if the file has one."""

    training: tuple[Recording, ...]
    tests: dict[str, TestSignal]
    sampling_time: float | None = None


Splitter = Callable[[NamedArrays], Split]


def _make_test(recording: Recording, window: int = WINDOW) -> TestSignal:
    return TestSignal(recording.u, recording.y, window)


def _cut(recording: Recording, part: slice) -> Recording:
    return Recording(recording.u[part], recording.y[part])


def split_silverbox(arrays: NamedArrays) -> Split:
    """One record: multisine for training, multisine and arrow as tests."""
    whole = arrays.take_pair(("u", "V1"), ("y", "V2"), RECORD_SAMPLES)
    parts = {"multisine": TEST, "arrow": ARROW, "arrow, no extrapolation": ARROW_INSIDE}
    tests = {name: _make_test(_cut(whole, part)) for name, part in parts.items()}
    return Split((_cut(whole, TRAIN),), tests)


def split_wiener_hammerstein(arrays: NamedArrays) -> Split:
    """One record: 100,000 samples for training, 78,800 as test."""
    whole = arrays.take_pair(("u", "uBenchMark"), ("y", "yBenchMark"), WH_SAMPLES)
    return Split((_cut(whole, WH_TRAIN),), {"test": _make_test(_cut(whole, WH_TEST))})


def split_tanks(arrays: NamedArrays) -> Split:
    """Two records of 1024 samples."""
    train = arrays.take_pair(("u_train", "uEst"), ("y_train", "yEst"), TANK_SAMPLES)
    test = arrays.take_pair(("u_test", "uVal"), ("y_test", "yVal"), TANK_SAMPLES)
    return Split((train,), {"test": _make_test(test)})


def split_emps(arrays: NamedArrays) -> Split:
    """Two records: motor force and position."""
    train, test = (arrays.take_pair((f"u_{part}",), (f"y_{part}",)) for part in ("train", "test"))
    return Split((train,), {"test": _make_test(test, EMPS_WINDOW)})


def split_ced(arrays: NamedArrays) -> Split:
    """Two records of 500 samples; the last 100 of each are a test."""
    whole = {
        level: arrays.take_pair((f"u_{level}", u), (f"y_{level}", y), CED_SAMPLES)
        for level, u, y in (("low", "u11", "z11"), ("high", "u12", "z12"))
    }
    training = tuple(_cut(recording, slice(CED_TRAINING)) for recording in whole.values())
    tests = {
        f"{level} amplitude": _make_test(_cut(recording, slice(CED_TRAINING, None)), CED_WINDOW)
        for level, recording in whole.items()
    }
    return Split(training, tests)


def split_bouc_wen(arrays: NamedArrays) -> Split:
    """Periods of a multisine for training; a period and a sweep from rest as tests."""
    train = arrays.take_pair(("u_train",), ("y_train",))
    if train.u.size % BOUC_WEN_PERIOD:
        raise InvalidFileError(
            f"{arrays.origin}: u_train has {train.u.size} samples, which are no whole periods of "
            f"{BOUC_WEN_PERIOD}"
        )
    multisine = arrays.take_pair(
        ("u_multisine", "uval_multisine"), ("y_multisine", "yval_multisine"), BOUC_WEN_PERIOD
    )
    sweep = arrays.take_pair(
        ("u_sinesweep", "uval_sinesweep"), ("y_sinesweep", "yval_sinesweep"), SWEEP_SAMPLES
    )
    tests = {
        "multisine": TestSignal(*multisine, start=Start.PERIODIC),
        "sine sweep": TestSignal(*sweep, start=Start.REST),
    }
    return Split((train,), tests)


def split_parallel_wiener_hammerstein(arrays: NamedArrays) -> Split:
    """All realisations of five amplitudes; one more of each amplitude as test.

    The arrays are (samples, periods, realisations, amplitudes). Periods follow each other in time.
    """
    stacks = {}
    for part, names in (("train", ("Est",)), ("test", ("Val",))):
        pair = [arrays.take(f"{x}_{part}", *(f"{x}{name}" for name in names)) for x in "uy"]
        if pair[0].shape != pair[1].shape or pair[0].ndim != 4 or pair[0].shape[3] != N_LEVELS:
            raise InvalidFileError(
                f"{arrays.origin}: u_{part} and y_{part} have the shapes {pair[0].shape} and "
                f"{pair[1].shape}; (samples, periods, realisations, {N_LEVELS}) is needed"
            )
        one = (pair[0].shape[0] * pair[0].shape[1], pair[0].shape[2], N_LEVELS)
        stacks[part] = [array.swapaxes(0, 1).reshape(one) for array in pair]
    u, y = stacks["train"]
    training = tuple(
        Recording(u[:, k, level], y[:, k, level]) for k, level in np.ndindex(u.shape[1:])
    )
    u, y = stacks["test"]
    tests = {
        f"level {level + 1}": TestSignal(u[:, 0, level], y[:, 0, level], WINDOW)
        for level in range(N_LEVELS)
    }
    rate = arrays.take_number("fs")
    return Split(training, tests, None if rate is None else 1 / rate)


def split_f16(arrays: NamedArrays) -> Split:
    """Records of force and acceleration, several of each part."""
    found: dict[str, dict[str, Recording]] = {"train": {}, "test": {}}
    for part, records in found.items():
        prefix = f"u_{part}_"
        for name in sorted(name for name in arrays.arrays if name.startswith(prefix)):
            label = name.removeprefix(prefix)
            records[label] = arrays.take_pair((name,), (f"y_{part}_{label}",))
        if not records:
            raise InvalidFileError(f"{arrays.origin} has no array with a name {prefix}...")
    tests = {label.replace("_", ", "): _make_test(pair) for label, pair in found["test"].items()}
    return Split(tuple(found["train"].values()), tests)
