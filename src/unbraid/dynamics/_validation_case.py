"""Validation of what a dynamic model did on records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_integer, is_real
from ..errors import InvalidOptionError, InvalidSamplesError
from ._correlation import SQUARES, choose_lags, measure_autocorrelation, measure_cross_correlation
from ._ranges import RangeUse
from ._records import Records
from ._scoring import Score, SimulatedRecord, score_runs
from ._spectra import ErrorSpectrum, measure_spectra
from ._validation import LinearComparison, ResidualTest, Validation

DEFAULT_STEPS = (1, 5, 10)  # samples ahead
DEFAULT_RESIDUAL_LAGS = 25  # samples
DEFAULT_CONFIDENCE = 0.99


@dataclass(frozen=True)
class ValidationSettings:
    """Options of ``validate``, checked."""

    steps: tuple[int, ...]
    n_lags: int
    confidence: float


@dataclass(frozen=True, eq=False)
class ValidationCase:
    """What a model contributes: its simulation, predictions and the range it uses."""

    records: Records
    first: int  # samples of each record that are not scored
    runs: Sequence[SimulatedRecord]
    predictions: Mapping[int, Score]
    predicts_by_simulation: bool
    residual_kind: str
    residuals: Sequence[Array] | None  # (T, n) per record; None: they are not finite
    linear: LinearComparison
    ranges: tuple[RangeUse, ...]
    range_reason: str
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    sampling_time: float | None


def check_validation_options(steps: Any, n_lags: Any, confidence: Any) -> ValidationSettings:
    """Check the options of ``validate``."""
    listed = list(steps) if isinstance(steps, Iterable) else [steps]
    whole = tuple(sorted({check_integer("steps", step) for step in listed}))
    if not is_real(confidence) or not 0 < confidence < 1:
        raise InvalidOptionError(
            f"confidence must be greater than 0 and less than 1, say 0.99, got {confidence!r}"
        )
    return ValidationSettings(whole, check_integer("n_lags", n_lags), float(confidence))


def validate_case(case: ValidationCase, settings: ValidationSettings) -> Validation:
    """Score and test what a model did on the records."""
    measured = tuple(record.y for record in case.records.items)
    simulated = tuple(run.y[: run.diverged_at] for run in case.runs)
    stopped = [k for k, run in enumerate(case.runs) if run.diverged_at is not None]
    return Validation(
        simulation=score_runs(case.records, case.runs, case.first),
        predictions=case.predictions,
        predicts_by_simulation=case.predicts_by_simulation,
        linear=case.linear,
        residual_kind=case.residual_kind,
        residuals=_measure_residuals(case, settings),
        confidence=settings.confidence,
        spectrum=None if stopped else _measure_spectrum(case),
        ranges=case.ranges,
        range_reason=case.range_reason,
        diverged_record=stopped[0] if stopped else None,
        input_names=case.input_names,
        output_names=case.output_names,
        sampling_time=case.sampling_time,
        initial=case.first,
        measured=measured,
        simulated=simulated,
    )


def _measure_spectrum(case: ValidationCase) -> ErrorSpectrum | None:
    pairs = zip(case.records.items, case.runs, strict=True)
    errors = [(record.y - run.y)[case.first :] for record, run in pairs]
    outputs = [record.y[case.first :] for record in case.records.items]
    return measure_spectra(outputs, errors, case.sampling_time)


def _measure_residuals(
    case: ValidationCase, settings: ValidationSettings
) -> tuple[ResidualTest, ...]:
    """One test per output."""
    if case.residuals is None:
        return ()
    residuals = case.residuals
    n_lags = choose_lags(residuals, settings.n_lags)
    if n_lags < 1:
        raise InvalidSamplesError(
            f"the longest record has {max(map(len, residuals))} samples after the initial ones: "
            f"they are too few to test residuals; pass a longer record"
        )
    names, signals = case.input_names, _list_inputs(case)
    spreads = np.concatenate([record.y for record in case.records.items]).std(axis=0)
    tests = []
    for o, name in enumerate(case.output_names):
        errors = [table[:, o] for table in residuals]
        options = float(spreads[o]), n_lags, settings.confidence
        inputs = (
            measure_cross_correlation(u, errors, parts, *options)
            for u, parts in zip(names, signals, strict=True)
        )
        squares = (
            measure_cross_correlation(u + suffix, errors, square(parts), *options)
            for u, parts in zip(names, signals, strict=True)
            for suffix, square in SQUARES.items()
        )
        together = np.concatenate(errors)
        mean, rms = float(together.mean()), float(np.sqrt(np.mean(together**2)))
        whiteness = measure_autocorrelation(name, errors, *options)
        tests.append(ResidualTest(name, mean, rms, whiteness, tuple(inputs), tuple(squares)))
    return tuple(tests)


def _list_inputs(case: ValidationCase) -> list[list[Array]]:
    """The scored samples of every input, per record."""
    items = case.records.items
    return [[r.u[case.first :, i] for r in items] for i in range(case.records.n_inputs)]
