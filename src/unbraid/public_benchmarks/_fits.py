"""Ways to fit a model to the training records of a benchmark, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy

from .._typing import Array
from ..bases import Basis, Polynomial
from ..identification import identify as compare_models
from ..narx import NARX, fit_polynomial_narx
from ..statespace import StateSpace, fit_linear, fit_polynomial, identify
from ._records import BenchmarkRecord

ENVELOPE_SAMPLES = 41  # window in which the largest output is looked for

Model = NARX | StateSpace
Signals = Array | list[Array]
FitFunction = Callable[[BenchmarkRecord, int], Model]


def training_signals(
    record: BenchmarkRecord, n_records: int | None = None
) -> tuple[Signals, Signals]:
    """Inputs and outputs to fit; lists where there are several records."""
    chosen = record.training[:n_records]
    if len(chosen) == 1:
        return chosen[0].u, chosen[0].y
    return [recording.u for recording in chosen], [recording.y for recording in chosen]


def weigh_large_outputs(y: Any) -> Array:
    """Weights that grow with the envelope of the outputs: large ones are rare."""
    size = np.abs(y)
    envelope = scipy.ndimage.maximum_filter1d(size, ENVELOPE_SAMPLES)
    return np.asarray((envelope / size.max()) ** 2)


@dataclass(frozen=True)
class LinearFit:
    """``statespace.fit_linear``; nothing in it is random."""

    n_states: Any = "auto"
    n_records: int | None = None

    def __call__(self, record: BenchmarkRecord, seed: int) -> StateSpace:
        signals = training_signals(record, self.n_records)
        return fit_linear(*signals, self.n_states, sampling_time=record.sampling_time)


@dataclass(frozen=True)
class StateSpaceFit:
    """``statespace.identify``."""

    n_states: Any = "auto"
    n_branches: Any = "auto"
    basis: Basis | None = None
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    n_records: int | None = None

    def __call__(self, record: BenchmarkRecord, seed: int) -> StateSpace:
        return identify(
            *training_signals(record, self.n_records),
            self.n_states,
            self.n_branches,
            self.basis,
            sampling_time=record.sampling_time,
            random_state=seed,
            **self.options,
        )


@dataclass(frozen=True)
class ComparedFit:
    """``unbraid.identify`` without options."""

    n_records: int | None = None

    def __call__(self, record: BenchmarkRecord, seed: int) -> Model:
        signals = training_signals(record, self.n_records)
        return compare_models(*signals, sampling_time=record.sampling_time, random_state=seed)


@dataclass(frozen=True)
class CoupledFit:
    """A polynomial state-space model with all monomials, decoupled and refined."""

    n_states: int
    degree: int
    n_branches: int

    def __call__(self, record: BenchmarkRecord, seed: int) -> StateSpace:
        u, y = training_signals(record)
        coupled = fit_polynomial(u, y, self.n_states, self.degree)
        return coupled.decouple(
            self.n_branches, basis=Polynomial(self.degree), extrapolate="basis", random_state=seed
        ).refine(u, y)


@dataclass(frozen=True)
class NARXFit:
    """A polynomial NARX model, decoupled and refined with weights on large outputs.

    ``limit`` is the output beyond which a simulation counts as divergence.
    """

    input_lags: tuple[int, ...]
    output_lags: tuple[int, ...]
    n_branches: int
    degree: int
    limit: float

    def __call__(self, record: BenchmarkRecord, seed: int) -> NARX:
        u, y = training_signals(record)
        start = fit_polynomial_narx(u, y, self.input_lags, self.output_lags).decouple(
            self.n_branches, basis=Polynomial(self.degree), random_state=seed
        )
        return replace(start, limit=self.limit).refine(u, y, weights=weigh_large_outputs(y))
