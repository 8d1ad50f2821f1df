"""Validation of NARX models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._typing import Array
from ..dynamics._ranges import RangeUse, measure_branch_use, measure_signal_use
from ..dynamics._records import Records
from ..dynamics._scoring import Score, score_runs
from ..dynamics._static_map import make_static_map
from ..dynamics._validation import Validation
from ..dynamics._validation_case import (
    DEFAULT_CONFIDENCE,
    DEFAULT_RESIDUAL_LAGS,
    DEFAULT_STEPS,
    ValidationCase,
    ValidationSettings,
    check_validation_options,
    validate_case,
)
from ..errors import InvalidOptionError, InvalidSamplesError
from ..model._function import DecoupledFunction
from ..statespace._validation import compare_linear
from ._lagged_model import LaggedModel
from ._lags import name_channels
from ._prediction import predict_ahead
from ._simulation import SimulationResult

RESIDUAL_KINDS = ("auto", "prediction", "simulation")


@dataclass(frozen=True, eq=False)
class ValidatedLaggedModel(LaggedModel):
    """A lagged model with validation."""

    def validate(
        self,
        u: Any,
        y: Any,
        initial: int | None = None,
        *,
        steps: int | Sequence[int] = DEFAULT_STEPS,
        n_lags: int = DEFAULT_RESIDUAL_LAGS,
        confidence: float = DEFAULT_CONFIDENCE,
        residuals: Literal["auto", "prediction", "simulation"] = "auto",
        linear: Any = "auto",
    ) -> Validation:
        """Validate the model on records: errors, residual tests, spectra and ranges.

        Nothing is raised for a poor or diverging model: the result says so.

        Parameters
        ----------
        u, y, initial
            As for ``score``. Use records that were not fitted.
        steps : sequence of int
            Numbers of samples to predict ahead from measured outputs.
        n_lags : int
            Largest lag of the correlations of residuals; at most a fifth of the record.
        confidence : float
            Of the limits of correlations, and of each verdict.
        residuals : {"auto", "prediction", "simulation"}
            Errors to test: of one-step predictions, or of the simulation. "auto" takes those that
            the model was fitted to minimise: of the simulation where it was refined on it.
        linear : StateSpace, "auto" or None
            A linear model beside. "auto" fits one to the records of this model, with as many states
            per output as the longest lag.

        Examples
        --------
        >>> import numpy as np
        >>> from unbraid.narx import fit_polynomial_narx
        >>> rng = np.random.default_rng(0)
        >>> u, y = rng.uniform(-1, 1, 800), np.zeros(800)
        >>> for t in range(1, 800):
        ...     y[t] = 0.5 * y[t - 1] + u[t - 1] ** 3 + 0.01 * rng.standard_normal()
        >>> model = fit_polynomial_narx(u[:500], y[:500], (1,), (1,), degree=3)
        >>> found = model.validate(u[500:], y[500:])
        >>> found.is_white, found.is_independent_of_input, found.extrapolates
        (True, True, False)
        """
        settings = check_validation_options(steps, n_lags, confidence)
        return validate_narx(self, self.records(u, y), initial, residuals, linear, settings)


def validate_narx(
    model: LaggedModel,
    records: Records,
    initial: int | None,
    residuals: Any,
    linear: Any,
    settings: ValidationSettings,
) -> Validation:
    """Validate a model on records."""
    if residuals not in RESIDUAL_KINDS:
        raise InvalidOptionError(
            f"residuals is {residuals!r}: choose 'auto', 'prediction' or 'simulation'"
        )
    if residuals == "auto":
        is_refined = getattr(model, "refinement", None) is not None
        residuals = "simulation" if is_refined else "prediction"
    first, runs = model._run_records(records, initial)
    lags = model.lags(*records.channels)
    predictions = _predict(model, records, (1, *settings.steps))
    errors = runs if residuals == "simulation" else predictions[1]
    inputs = tuple(name_channels("u", records.n_inputs, model.input_names))
    outputs = tuple(name_channels("y", records.n_outputs, model.output_names))
    ranges, reason = _measure_ranges(model, records, first, inputs, outputs)
    n_states = max(lags.longest, 1) * records.n_outputs
    feedthrough = any(0 in channel for channel in lags.inputs)
    return validate_case(
        ValidationCase(
            records=records,
            first=first,
            runs=runs,
            predictions={
                k: _score_prediction(records, predictions[k], max(first, lags.longest + k - 1))
                for k in settings.steps
            },
            predicts_by_simulation=False,
            residual_kind=residuals,
            residuals=_subtract(records, errors, first),
            linear=compare_linear(records, first, linear, model.data, n_states, feedthrough),
            ranges=ranges,
            range_reason=reason,
            input_names=inputs,
            output_names=outputs,
            sampling_time=getattr(model, "sampling_time", None),
        ),
        settings,
    )


def _predict(
    model: LaggedModel, records: Records, steps: tuple[int, ...]
) -> Mapping[int, list[SimulationResult]]:
    """Predictions of all records, for every number of steps."""
    lags = model.lags(*records.channels)
    shortest, needed = min(map(len, records.items)), lags.longest + max(steps)
    if shortest < needed:
        raise InvalidSamplesError(
            f"a record has {shortest} samples: predictions {max(steps)} steps ahead need "
            f"{needed} with these lags; pass fewer steps, say steps=(1,)"
        )
    table = model._regressors(records)
    function = make_static_map(model.function, table, records.n_outputs)
    limit = np.inf if model.limit is None else model.limit
    found = [predict_ahead(function, lags, record, steps, limit) for record in records.items]
    return {k: [part[k] for part in found] for k in steps}


def _score_prediction(records: Records, predicted: list[SimulationResult], first: int) -> Score:
    return score_runs(records, predicted, first)


def _subtract(records: Records, runs: list[SimulationResult], first: int) -> list[Array] | None:
    """Residuals (T, n) per record; None if the model diverges in one."""
    if any(run.diverged_at is not None for run in runs):
        return None
    return [(r.y - run.y)[first:] for r, run in zip(records.items, runs, strict=True)]


def _measure_ranges(
    model: LaggedModel,
    records: Records,
    first: int,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
) -> tuple[tuple[RangeUse, ...], str]:
    """Use of branches and signals by measured regressors, and why some are missing."""
    found: list[RangeUse] = []
    if isinstance(model.function, DecoupledFunction):
        lags = model.lags(*records.channels)
        table = lags.regressors(records.items, first)
        trained = None if model.data is None else model._regressors(model.data)
        found += measure_branch_use(model.function, table, trained)
    if model.data is None:
        return tuple(found), "Ranges of the signals are not known: the model does not hold records"
    for names, kind, key in ((inputs, "input", "u"), (outputs, "output", "y")):
        seen, here = (
            np.concatenate([getattr(record, key) for record in part.items])
            for part in (model.data, records)
        )
        found += measure_signal_use(names, kind, here, seen)
    return tuple(found), ""
