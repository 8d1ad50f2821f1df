"""Dynamic models as the equations of one sample, which every export translates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ._formula import FunctionFormula, translate_branches

AT_REST = "at rest at the mean inputs of the record"  # where a model starts unless told


@dataclass(frozen=True, eq=False)
class StepModel:
    """A dynamic model as the equations of one sample.

    ``p`` holds the entries ``arguments`` of [state; u], and ``q = linear p + function(p) +
    offset``. The outputs y are the last entries of q, clipped to ``bounds``. The next state holds
    the entries ``updates`` of [state; u; q].

    Attributes
    ----------
    kind : str
        The kind of model in words, for comments.
    function : DecoupledFunction or None
    linear : (n_q, m) or None
        None is zero.
    offset : (n_q,)
    arguments, updates : tuple of int
    input_names, output_names, state_names : tuple of str
    sampling_time : float or None
        Seconds.
    bounds : (low, high) or None
        Limits of saturated outputs, (n_y,) each.
    initial_state : (n_x,)
    start : str
        What the initial state is, for comments.

    Examples
    --------
    >>> from unbraid.statespace import StateSpace
    >>> step = StateSpace(None, 1, linear=[[0.5, 1.0], [2.0, 0.0]]).step_model()
    >>> state, outputs = step.initial_state, []
    >>> for u in (1.0, 0.0, 0.0):
    ...     y, state = step.step([u], state)
    ...     outputs.append(float(y[0]))
    >>> outputs
    [0.0, 2.0, 1.0]
    """

    kind: str
    function: DecoupledFunction | None
    linear: Array | None = field(repr=False)
    offset: Array = field(repr=False)
    arguments: tuple[int, ...] = field(repr=False)
    updates: tuple[int, ...] = field(repr=False)
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    state_names: tuple[str, ...]
    initial_state: Array
    sampling_time: float | None = None
    bounds: tuple[Array, Array] | None = None
    start: str = "zeros"

    def __post_init__(self) -> None:
        shape = self.offset.size, len(self.arguments)
        d = self.function
        if d is not None and (d.n_outputs, d.n_inputs) != shape:
            raise InvalidOptionError(
                f"the function has {d.n_inputs} inputs and {d.n_outputs} outputs, but the model "
                f"needs {shape[1]} and {shape[0]}"
            )

    @property
    def n_inputs(self) -> int:
        return len(self.input_names)

    @property
    def n_outputs(self) -> int:
        return len(self.output_names)

    @property
    def n_states(self) -> int:
        return len(self.state_names)

    @property
    def n_branches(self) -> int:
        return 0 if self.function is None else self.function.n_branches

    @property
    def takes_measured(self) -> bool:
        """Whether the state holds past inputs and outputs, so ``push`` works."""
        return self.offset.size == self.n_outputs

    @property
    def formula(self) -> FunctionFormula:
        """The map from p to q; branches without a formula are refused."""
        d, linear = self.function, self.linear
        if d is None:
            n, m = self.offset.size, len(self.arguments)
            return FunctionFormula(np.zeros((m, 0)), np.zeros((n, 0)), self.offset, (), linear)
        linear = linear if linear is not None and np.any(linear) else None
        return FunctionFormula(d.V, d.W, d.offset + self.offset, translate_branches(d), linear)

    @property
    def limits(self) -> list[tuple[int, str, float]]:
        """Finite bounds: output, comparison that exceeds the bound, bound."""
        if self.bounds is None:
            return []
        pairs = zip("<>", self.bounds, strict=True)
        return [
            (o, sign, float(bound))
            for sign, bounds in pairs
            for o, bound in enumerate(bounds)
            if np.isfinite(bound)
        ]

    def with_initial_state(self, x0: Any) -> StepModel:
        """The same model with another initial state."""
        state = finite_array("x0", np.atleast_1d(np.asarray(x0)), ndim=1)
        if state.size != self.n_states:
            raise InvalidOptionError(
                f"x0 has {state.size} entries: {self.n_states} are needed, in the order "
                f"{', '.join(self.state_names)}"
            )
        return replace(self, initial_state=state, start="the x0 that was given")

    def name_entries(self, indices: tuple[int, ...], *forms: str, first: int = 0) -> list[str]:
        """Write entries of [state; u; q] in a language; one form for each of the three.

        ``first`` is the index that the language begins with.
        """
        sizes = self.n_states, self.n_inputs, self.offset.size
        entries = [
            form.format(first + k)
            for form, size in zip(forms, sizes, strict=False)
            for k in range(size)
        ]
        return [entries[index] for index in indices]

    def step(self, u: Any, state: Any) -> tuple[Array, Array]:
        """The outputs (n_y,) and the next state (n_x,) for inputs u (n_u,)."""
        known = np.concatenate([state, u])
        p = known[list(self.arguments)]
        q = self.offset if self.linear is None else self.linear @ p + self.offset
        if self.function is not None:
            q = q + self.function(p[None])[0]
        y = q[q.size - self.n_outputs :]
        next_state = np.concatenate([known, q])[list(self.updates)]
        return y if self.bounds is None else np.clip(y, *self.bounds), next_state

    def push(self, u: Any, y: Any, state: Any) -> Array:
        """The next state of a NARX model after measured u (n_u,) and y (n_y,)."""
        if not self.takes_measured:
            raise InvalidOptionError(
                f"the state of a {self.kind} is not measured: estimate it with find_initial_state"
            )
        return np.concatenate([state, u, y])[list(self.updates)]
