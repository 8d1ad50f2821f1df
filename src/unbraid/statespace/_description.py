"""A state-space model in words: poles, zeros, time constants, curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import count_noun, with_article
from ..model._direction_text import join_terms
from ..model._function import DecoupledFunction
from ..sources import HermitePolynomial
from ._linear_part import Mode, find_modes, find_zeros, list_conjugates, static_gain
from ._operating_levels import OperatingLevel, find_operating_levels
from ._state_curves import StateCurve, describe_curves

COUNT_WORDS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True, eq=False)
class StateSpaceDescription:
    """What a state-space model consists of; print it for the words.

    Attributes
    ----------
    n_states, n_inputs, n_outputs : int
    degrees_of_freedom : int or None
    modes : tuple of Mode
        Real poles and pairs of complex poles of the linear part, the slowest first.
    zeros : tuple of complex
        Of a linear part with as many inputs as outputs.
    gain : (n_y, n_u) or None
        Static gain of the linear part; None if it integrates.
    curves : tuple of StateCurve
        The branches.
    sampling_time : float or None
    saturated : tuple of str
        Outputs that are clipped.
    other : str
        A nonlinear part that has no branches, in words.
    output_names : tuple of str
    operating_levels : tuple of OperatingLevel
        Static gain and time constants at the 5 %, 50 % and 95 % levels of up to three inputs; empty
        without branches, training data or steady states.
    """

    n_states: int
    n_inputs: int
    n_outputs: int
    degrees_of_freedom: int | None
    modes: tuple[Mode, ...]
    zeros: tuple[complex, ...]
    gain: Array | None
    curves: tuple[StateCurve, ...]
    sampling_time: float | None
    saturated: tuple[str, ...]
    other: str = ""
    output_names: tuple[str, ...] = ()
    operating_levels: tuple[OperatingLevel, ...] = ()

    @property
    def is_stable(self) -> bool:
        """Whether the linear part is stable."""
        return all(abs(mode.pole) < 1 for mode in self.modes)

    @property
    def summary(self) -> str:
        """The model in one sentence."""
        shape = f"{count_noun(self.n_inputs, 'input')}, {count_noun(self.n_outputs, 'output')}"
        text = f"Linear model of order {self.n_states} ({shape})"
        if self.other:
            return f"{text} plus {self.other}."
        if len(self.curves) == 1:
            return f"{text} plus one {self.curves[0].phrase}."
        if self.curves:
            count = COUNT_WORDS.get(len(self.curves), str(len(self.curves)))
            listed = join_terms([with_article(curve.phrase) for curve in self.curves])
            return f"{text} plus {count} curves: {listed}."
        return f"{text}."

    @property
    def lines(self) -> tuple[str, ...]:
        """All sentences."""
        lines = [self.summary]
        lines += [f"{mode.format(self.sampling_time)}." for mode in self.modes]
        if not self.is_stable:
            lines.append("The linear part is not stable.")
        for level in self.operating_levels:
            lines.append(f"{level.format(self.output_names, self.sampling_time)}.")
        if self.zeros:
            lines.append(f"Zeros: {', '.join(list_conjugates(self.zeros))}.")
        lines += [curve.sentence for curve in self.curves if curve.sentence]
        lines += [f"{name} is clipped where its sensor saturates." for name in self.saturated]
        if self.degrees_of_freedom is not None:
            lines.append(f"{count_noun(self.degrees_of_freedom, 'degree')} of freedom.")
        return tuple(lines)

    @property
    def words(self) -> str:
        """The model in sentences."""
        return "\n".join(self.lines)

    def __str__(self) -> str:
        return self.words


def describe_model(model: Any) -> StateSpaceDescription:
    """The description of a linear or nonlinear model."""
    names, outputs = model.signal_names
    saturated: tuple[str, ...] = ()
    if model.bounds is not None:
        limited = np.any(np.isfinite(model.bounds), axis=0)
        saturated = tuple(outputs[model.n_states + o] for o in np.flatnonzero(limited))
    function = model.function
    decoupled = isinstance(function, DecoupledFunction)
    return StateSpaceDescription(
        model.n_states,
        model.n_inputs,
        model.n_outputs,
        model.degrees_of_freedom,
        find_modes(model.A, model.sampling_time),
        find_zeros(model.A, model.B, model.C, model.D),
        static_gain(model.A, model.B, model.C, model.D),
        describe_curves(function, names) if decoupled else (),
        model.sampling_time,
        saturated,
        "" if decoupled or function is None else _name_function(function),
        tuple(outputs[model.n_states :]),
        find_operating_levels(model),
    )


def _name_function(function: Any) -> str:
    if isinstance(function, HermitePolynomial):
        count = int(np.count_nonzero(function.coefficients))
        return (
            f"a polynomial of degree {function.degree} of states and inputs with "
            f"{count_noun(count, 'coefficient')}"
        )
    name = getattr(function, "__name__", type(function).__name__)
    return f"a static map of states and inputs ({name})"
