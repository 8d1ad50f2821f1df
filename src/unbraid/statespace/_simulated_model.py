"""A state-space model that can be simulated and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_integer, finite_array
from ..dynamics._candidates import CandidateTable
from ..dynamics._divergence import make_divergence_error
from ..dynamics._records import Records, as_columns, is_record_list, make_records, pair_with_initial
from ..dynamics._refinement import Refinement
from ..dynamics._scoring import Score, score_runs
from ..errors import DivergenceError, InvalidOptionError, InvalidSamplesError
from ..model._function import DecoupledFunction
from ..sources import HermitePolynomial
from ._initial_state import estimate_initial_state, find_rest
from ._integrators import find_integrators
from ._maps import make_equations, make_transition
from ._simulation import DEFAULT_STATE_LIMIT, StateRun, Transition, simulate_states

REST_REACH = 3.0  # largest state of the record; a steady state beyond it is no start
DEFAULT_INITIAL = 50  # first samples of y from which a score estimates the initial state


@dataclass(frozen=True, eq=False)
class SimulatedModel:
    """The part of a state-space model that simulates; fields as in ``StateSpace``."""

    function: Any
    n_states: int
    linear: Any = None
    offset: Any = None
    n_inputs: int = 1
    n_outputs: int = 1
    sampling_time: float | None = None
    bounds: tuple[Array, Array] | None = None
    input_names: tuple[str, ...] | None = field(default=None, repr=False)
    output_names: tuple[str, ...] | None = field(default=None, repr=False)
    output_spread: Any = field(default=None, repr=False)
    initial_states: Array | None = field(default=None, repr=False)
    data: Records | None = field(default=None, repr=False)
    refinement: Refinement | None = field(default=None, repr=False)
    order_errors: tuple[float, ...] | None = field(default=None, repr=False)
    candidates: CandidateTable | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        n = check_integer("n_states", self.n_states)
        if self.linear is None:
            shape = n + check_integer("n_outputs", self.n_outputs), n + self.n_inputs
            object.__setattr__(self, "linear", np.zeros(shape))
        linear = finite_array("linear", self.linear, ndim=2)
        if min(linear.shape) <= n:
            raise InvalidOptionError(
                f"linear has shape {linear.shape}: it must be [[A, B], [C, D]] of {n} states "
                f"and at least one input and one output"
            )
        offset = np.zeros(len(linear)) if self.offset is None else self.offset
        offset = finite_array("offset", offset, ndim=1)
        if offset.size != len(linear):
            raise InvalidOptionError(f"offset has {offset.size} entries, linear {len(linear)} rows")
        n_y = len(linear) - n
        spread = np.ones(n_y) if self.output_spread is None else self.output_spread
        for name, value in (
            ("linear", linear),
            ("offset", offset),
            ("n_inputs", linear.shape[1] - n),
            ("n_outputs", n_y),
            ("output_spread", finite_array("output_spread", spread, ndim=1)),
        ):
            object.__setattr__(self, name, value)

    @property
    def A(self) -> Array:
        return np.asarray(self.linear[: self.n_states, : self.n_states])

    @property
    def B(self) -> Array:
        return np.asarray(self.linear[: self.n_states, self.n_states :])

    @property
    def C(self) -> Array:
        return np.asarray(self.linear[self.n_states :, : self.n_states])

    @property
    def D(self) -> Array:
        return np.asarray(self.linear[self.n_states :, self.n_states :])

    @property
    def n_branches(self) -> int | None:
        """Number of branches; None if the model is not decoupled."""
        if self.function is None:
            return 0
        return self.function.n_branches if isinstance(self.function, DecoupledFunction) else None

    @property
    def degrees_of_freedom(self) -> int | None:
        """Parameters, less those that only change coordinates; None if unknown.

        n_x^2 + n_x parameters change the coordinates of n_x states, integrators not counted. Every
        branch shares two scales and its linear part with the rest.
        """
        is_known = self.function is None or isinstance(self.function, DecoupledFunction)
        n_sums = len(find_integrators(self.equations())) if is_known else 0
        n = self.n_states - n_sums
        n_entries = int(np.count_nonzero(self.linear)) + self.offset.size
        linear = n_entries - 3 * n_sums - n * n - n
        if self.function is None:
            return int(linear)
        d = self.function
        if isinstance(d, DecoupledFunction):
            curves = sum(branch.n_parameters for branch in d.branches)
            n_entries = int(np.count_nonzero(d.W) + np.count_nonzero(d.V))
            return int(linear + n_entries + curves - 3 * d.n_branches)
        if isinstance(d, HermitePolynomial):
            return int(linear + np.count_nonzero(d.coefficients))
        return None

    def simulate(self, u: Any, initial: Any = None, *, x0: Any = None) -> Any:
        """Free-run simulation, as long as u.

        Parameters
        ----------
        u : (T,), (T, n_u) or a list of them
        initial : (T0,), (T0, n_y) or a list of them, optional
            First measured outputs, from which the initial state is estimated.
        x0 : (n_x,), optional
            The initial state. Without ``initial`` and ``x0`` it is the steady state at u[0], or
            zero if there is none. An export cannot know u[0]: it starts at ``operating_state``.

        Raises
        ------
        DivergenceError
            If the simulation diverges; it has the sample and the outputs before it.
        """
        many, outputs = is_record_list(u), []
        for k, (signal, start) in enumerate(pair_with_initial(u, initial)):
            table = as_columns("u", signal, self.input_names)
            first = None if start is None else as_columns("initial", start, self.output_names)
            run = self._run(table, first, x0)
            flat = np.ndim(start) == 1 or (start is None and self.n_outputs == 1)
            y = run.y[:, 0] if flat and np.ndim(signal) == 1 else run.y
            if run.diverged_at is not None:
                record = k if many else None
                raise make_divergence_error(run.diverged_at, record, y[: run.diverged_at])
            outputs.append(y)
        return outputs if many else outputs[0]

    def find_initial_state(self, u: Any = None, initial: Any = None) -> Array:
        """The state (n_x,) from which ``simulate`` starts with these arguments.

        Parameters
        ----------
        u : (T,) or (T, n_u), optional
            Without it the state is that from which exports start, see ``operating_state``.
        initial : (T0,) or (T0, n_y), optional
            First measured outputs; without them it is the steady state at u[0], or zero if there
            is none.
        """
        if u is None:
            return self.operating_state
        table = as_columns("u", u, self.input_names)
        first = None if initial is None else as_columns("initial", initial, self.output_names)
        return self._find_state(self.transition(table), table, first)

    @property
    def operating_state(self) -> Array:
        """The steady state at the mean inputs of the record.

        Zero for linear models and where there is none within reach, as of an integrator. States of
        identified models have zero mean over the record.
        """
        points = getattr(self.function, "points", None)
        if points is None:
            return np.zeros(self.n_states)
        u = points[:, self.n_states :]
        rest = find_rest(self.transition(u), u.mean(axis=0), self.n_states)
        reach = REST_REACH * np.abs(points[:, : self.n_states]).max(axis=0, initial=1e-300)
        is_near = rest is not None and bool(np.all(np.abs(rest) <= reach))
        return rest if rest is not None and is_near else np.zeros(self.n_states)

    def score(self, u: Any, y: Any, initial: int = DEFAULT_INITIAL) -> Score:
        """Simulation error after the first ``initial`` samples, which give the state.

        With ``initial=0`` the simulation starts from the steady state. Records are pooled.
        """
        records = self.records(u, y)
        try:
            runs = self.simulate_from_outputs(records, initial)
        except DivergenceError as error:  # already in the initial samples
            infinite = np.inf if self.n_outputs == 1 else np.full(self.n_outputs, np.inf)
            return Score(infinite, infinite, error.sample)
        return score_runs(records, runs, initial)

    @property
    def signal_names(self) -> tuple[Sequence[str], Sequence[str]]:
        """Names of [x; u] and of [next x; y]."""
        states = [f"x{k + 1}" for k in range(self.n_states)]
        inputs = self.input_names or _number("u", self.n_inputs)
        outputs = self.output_names or _number("y", self.n_outputs)
        return [*states, *inputs], [*[f"{x}(t+1)" for x in states], *outputs]

    def records(self, u: Any, y: Any) -> Records:
        """The signals as records, checked to have the channels of the model."""
        records = make_records(u, y, self.input_names, self.output_names)
        if records.channels != (self.n_inputs, self.n_outputs):
            raise InvalidSamplesError(
                f"the model has {self.n_inputs} inputs and {self.n_outputs} outputs, the records "
                f"have {records.n_inputs} and {records.n_outputs}"
            )
        return records

    def simulate_from_outputs(self, records: Records, initial: int) -> list[StateRun]:
        """Simulate records from the states that the first outputs give; 0: at rest."""
        if initial != 0:
            records.check_initial(1, initial)
        firsts = [record.y[:initial] if initial else None for record in records.items]
        pairs = zip(records.items, firsts, strict=True)
        return [self._run(record.u, first, None) for record, first in pairs]

    def simulate_records(self, records: Records) -> list[StateRun]:
        """Simulate records from the initial states that were estimated with the model."""
        states = self.initial_states
        if states is None or len(states) != len(records.items):
            return self.simulate_from_outputs(
                records, min(DEFAULT_INITIAL, *map(len, records.items))
            )
        pairs = zip(records.items, states, strict=True)
        return [self._run(record.u, None, state) for record, state in pairs]

    def _run(self, u: Array, first: Array | None, x0: Any) -> StateRun:
        """Simulate from given, estimated or steady states; outputs are clipped."""
        system = self.transition(u)
        state = self._find_state(system, u, first) if x0 is None else finite_array("x0", x0, ndim=1)
        if state.size != self.n_states:
            raise InvalidSamplesError(f"x0 has {state.size} entries, not {self.n_states}")
        run = simulate_states(system, u, state, self.n_outputs, limit=DEFAULT_STATE_LIMIT)
        return run if self.bounds is None else replace(run, y=np.clip(run.y, *self.bounds))

    def _find_state(self, system: Transition, u: Array, first: Array | None) -> Array:
        """The state that the first outputs give, or the steady state."""
        if first is not None:
            return self._estimate_state(system, u, first)
        rest = find_rest(system, u[0], self.n_states)
        return np.zeros(self.n_states) if rest is None else rest

    def _estimate_state(self, system: Transition, u: Array, first: Array) -> Array:
        if first.shape[1] != self.n_outputs or len(first) > len(u):
            raise InvalidSamplesError(
                f"initial has shape {first.shape}: pass at most {len(u)} rows of {self.n_outputs} "
                f"outputs"
            )
        starts = [np.zeros(self.n_states)]
        rest = find_rest(system, u[0], self.n_states)
        starts += [] if rest is None else [rest]
        starts += [] if self.initial_states is None else list(self.initial_states[:3])
        return estimate_initial_state(
            system, u[: len(first)], first, np.array(starts), self.bounds, self.output_spread
        )

    def transition(self, u: Array) -> Transition:
        """The static map [x; u] to [next x; y] in the form that simulation needs."""
        probe = np.concatenate([np.zeros((min(len(u), 2), self.n_states)), u[:2]], axis=1)
        if u.shape[1] != self.n_inputs:
            raise InvalidSamplesError(f"u has {u.shape[1]} channels, the model {self.n_inputs}")
        return make_transition(self.n_states, self.linear, self.offset, self.function, probe)

    def equations(self) -> Any:
        """The equations of a linear or decoupled model."""
        return make_equations(self.n_states, self.linear, self.offset, self.function)


def _number(letter: str, count: int) -> list[str]:
    return [letter] if count == 1 else [f"{letter}{k + 1}" for k in range(count)]
