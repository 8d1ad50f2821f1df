"""A static map with lags: regressors, one-step prediction, free-run simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from .._util.validation import check_overflow, finite_array, real_array
from ..dynamics._divergence import make_divergence_error
from ..dynamics._plots import plot_simulation
from ..dynamics._records import (
    Records,
    as_columns,
    check_sampling_time,
    is_record_list,
    make_records,
    pair_with_initial,
)
from ..dynamics._scoring import Score, score_runs
from ..dynamics._static_map import make_static_map
from ..errors import InvalidOptionError, InvalidSamplesError
from ..metrics import relative_error
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..sampling import RandomState
from ._lags import Lags, LagSpec, check_lags
from ._points import choose_points
from ._simulation import SimulationCase, SimulationResult, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class LaggedModel:
    """The part of a NARX model that needs no decoupling; see ``NARX`` for the fields."""

    function: Any
    input_lags: LagSpec
    output_lags: LagSpec
    limit: Any = None
    data: Records | None = field(default=None, repr=False)
    input_names: tuple[str, ...] | None = field(default=None, repr=False)
    output_names: tuple[str, ...] | None = field(default=None, repr=False)
    sampling_time: float | None = None

    def __post_init__(self) -> None:
        for name in ("input_lags", "output_lags"):
            object.__setattr__(self, name, check_lags(name, getattr(self, name)))
        for name in ("input_names", "output_names"):
            object.__setattr__(self, name, _check_names(name, getattr(self, name)))
        object.__setattr__(self, "sampling_time", check_sampling_time(self.sampling_time))
        if self.limit is not None:
            limit = np.atleast_1d(real_array("limit", self.limit))
            if limit.ndim > 1 or not np.all(limit > 0):
                raise InvalidOptionError(f"limit must be greater than 0, got {self.limit!r}")
        if not self.input_lags and not self.output_lags:
            raise InvalidOptionError(
                "input_lags and output_lags are both empty: pass at least one lag"
            )

    @property
    def n_parameters(self) -> int | None:
        """Number of parameters of the static map, if it is known."""
        return getattr(self.function, "n_parameters", None)

    def lags(self, n_inputs: int = 1, n_outputs: int = 1) -> Lags:
        """The lags for these numbers of channels."""
        return Lags.expand(self.input_lags, self.output_lags, n_inputs, n_outputs)

    def records(self, u: Any, y: Any) -> Records:
        """Check inputs and outputs; they must be long enough for the lags."""
        records = make_records(u, y, self.input_names, self.output_names)
        if self.limit is not None and np.size(self.limit) not in (1, records.n_outputs):
            raise InvalidSamplesError(
                f"limit has {np.size(self.limit)} numbers but y has {records.n_outputs} channels"
            )
        records.check_length(self.lags(*records.channels).longest + 1)
        return records

    def regressors(self, u: Any, y: Any) -> Array:
        """All regressors of the records, eq. (x), (N, m)."""
        return self._regressors(self.records(u, y))

    def predict(self, u: Any, y: Any) -> Any:
        """One-step prediction from the measured past, as long as y.

        The first samples, which have no full regressor, are those of y.
        """
        records = self.records(u, y)
        values, longest, outputs = self._predict(records), self._longest(records), []
        for record in records.items:
            here, values = np.split(values, [len(record) - longest])
            outputs.append(np.concatenate([record.y[:longest], here]))
        return records.restore_shape(outputs)

    def simulate(self, u: Any, initial: Any) -> Any:
        """Free-run simulation, eq. (pred).

        The result is as long as u and starts with the initial samples.

        Parameters
        ----------
        u : (T,), (T, n_u) or a list of them
        initial : (T0,), (T0, n) or a list of them
            Measured outputs to start from, at least as many as the longest lag.

        Raises
        ------
        DivergenceError
            If the simulation diverges; it has the sample and the outputs before it.
        """
        many, outputs = is_record_list(u), []
        for k, (signal, start) in enumerate(pair_with_initial(u, initial)):
            inputs_here = as_columns("u", signal, self.input_names)
            run = self._run(inputs_here, as_columns("initial", start, self.output_names))
            y = run.y[:, 0] if np.ndim(start) == 1 else run.y
            if run.diverged_at is not None:
                record = k if many else None
                raise make_divergence_error(run.diverged_at, record, y)
            outputs.append(y)
        return outputs if many else outputs[0]

    def score(self, u: Any, y: Any, initial: int | None = None) -> Score:
        """Simulation error after the first ``initial`` samples.

        ``initial`` is the longest lag by default. Several records are pooled.
        """
        return self._score(self.records(u, y), initial)

    def operating_points(
        self,
        points: Any = "random",
        n_points: int = 2000,
        *,
        spread: float = 1.0,
        data: tuple[Any, Any] | None = None,
        random_state: RandomState = None,
    ) -> Array:
        """Points to sample F at, from the regressors of the fitted record or ``data``.

        ``points`` is "random", "space-filling" (each next point the farthest from all before),
        "covariance" (normal points of the same covariance) or an array (N, m). ``spread`` > 1
        moves them outwards, in favour of extrapolation.
        """
        records = self.data if data is None else self.records(*data)
        if records is not None:
            return choose_points(self._regressors(records), points, n_points, spread, random_state)
        if isinstance(points, str):
            raise InvalidOptionError(
                "this model has not seen data: pass data=(u, y), or points as an array (N, m)"
            )
        return finite_array("points", points, ndim=2)

    def plot(
        self, u: Any, y: Any, initial: int | None = None, path: str | Path | None = None
    ) -> Figure:
        """Simulated and measured outputs, their error, a close-up and spectra.

        Several records are shown one after the other. Time is in seconds if ``sampling_time`` is
        known. Needs the extra ``plot``.
        """
        records = self.records(u, y)
        first, runs = self._run_records(records, initial)
        measured = [record.y for record in records.items]
        return plot_simulation(measured, [run.y for run in runs], first, path, self.sampling_time)

    def simulate_from_outputs(self, records: Records, initial: int) -> list[SimulationResult]:
        """Simulate records from their first outputs, at least as many as the longest lag."""
        return self._run_records(records, max(initial, self._longest(records)))[1]

    @property
    def _is_nan_outside(self) -> bool:
        """Whether the function is NaN beyond the data."""
        d = self.function
        return isinstance(d, DecoupledFunction) and any(b.extrapolate == "nan" for b in d.branches)

    def _longest(self, records: Records) -> int:
        return self.lags(*records.channels).longest

    def _regressors(self, records: Records) -> Array:
        return self.lags(*records.channels).regressors(records.items)

    def _predict(self, records: Records) -> Array:
        """One-step predictions at all regressors."""
        table = self._regressors(records)
        function = make_static_map(self.function, table, records.n_outputs)
        with np.errstate(all="ignore"):
            values = function.values(table)
        return values if self._is_nan_outside else check_overflow("the model", values, table)

    def _one_step_error(self, records: Records) -> float:
        """In %, mean of the outputs that vary."""
        measured = [record.y[self._longest(records) :] for record in records.items]
        return mean_error(relative_error(np.concatenate(measured), self._predict(records)))

    def _run(self, u: Array, initial: Array) -> SimulationResult:
        """Simulate from the initial outputs (T0, n) over the inputs u (T, n_u)."""
        lags = self.lags(u.shape[1], initial.shape[1])
        longest = lags.longest
        if len(initial) < longest:
            raise InvalidSamplesError(
                f"initial has {len(initial)} samples but the longest lag is {longest}"
            )
        if len(initial) >= len(u):
            raise InvalidSamplesError(
                f"initial has {len(initial)} samples and u has {len(u)}: nothing is left to "
                f"simulate; pass the first few outputs only, say y[:{max(longest, 1)}]"
            )
        y = np.concatenate([initial, np.zeros((1, initial.shape[1]))])
        probe = np.repeat(lags.table(u, y, longest, longest + 1), 2, axis=0)
        function = make_static_map(self.function, probe, initial.shape[1])
        limit = np.inf if self.limit is None else self.limit
        return simulate(function, lags, SimulationCase(u, initial, limit))

    def _run_records(
        self, records: Records, initial: int | None
    ) -> tuple[int, list[SimulationResult]]:
        """The number of initial samples, and the simulation of every record."""
        first = records.check_initial(self._longest(records), initial)
        return first, [self._run(record.u, record.y[:first]) for record in records.items]

    def _score(self, records: Records, initial: int | None) -> Score:
        first, runs = self._run_records(records, initial)
        return score_runs(records, runs, first)


def _check_names(name: str, names: Any) -> tuple[str, ...] | None:
    """The names of the channels of u or y, or InvalidOptionError."""
    if names is None:
        return None
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise InvalidOptionError(f"{name} must be a list with one name per channel, got {names!r}")
    return tuple(names)
