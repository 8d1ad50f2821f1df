"""A state-space model in words: poles, zeros, time constants, curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from .._typing import Array
from .._util.validation import count_noun
from ..model._description import Description
from ..model._function import DecoupledFunction
from ._realisation import spectral_radius

LARGEST_ZERO = 1e6  # of finite zeros; larger ones are at infinity
REAL_POLE = 1e-9  # imaginary part below which a pole is real


@dataclass(frozen=True)
class Mode:
    """One real pole or one pair of complex poles of the linear part.

    Attributes
    ----------
    pole : complex
    time_constant : float or None
        Of the decay, in seconds, or in samples if the sampling time is unknown; None if it does
        not decay.
    frequency : float or None
        Of a complex pair, in Hz, or in cycles per sample.
    damping : float or None
        Damping ratio of a complex pair.
    """

    pole: complex
    time_constant: float | None
    frequency: float | None
    damping: float | None


@dataclass(frozen=True)
class StateSpaceDescription:
    """What a state-space model consists of; print it for the words."""

    n_states: int
    n_inputs: int
    n_outputs: int
    degrees_of_freedom: int | None
    modes: tuple[Mode, ...]
    zeros: tuple[complex, ...]
    curves: Description | None  # of the nonlinear part
    sampling_time: float | None
    saturated: tuple[int, ...]  # outputs that are clipped

    @property
    def is_stable(self) -> bool:
        """Whether the linear part is stable."""
        return all(abs(mode.pole) < 1 for mode in self.modes)

    @property
    def words(self) -> str:
        """The model in sentences."""
        shape = f"{count_noun(self.n_inputs, 'input')}, {count_noun(self.n_outputs, 'output')}"
        lines = [f"Linear model of order {self.n_states} ({shape})" + self._say_branches() + "."]
        lines += [self._say_mode(mode) for mode in self.modes]
        if self.zeros:
            lines.append("Zeros: " + ", ".join(_format_complex(zero) for zero in self.zeros) + ".")
        if self.curves is not None:
            lines.append(self.curves.words)
        lines += [f"Output {o + 1} is clipped where its sensor saturates." for o in self.saturated]
        if self.degrees_of_freedom is not None:
            lines.append(f"{self.degrees_of_freedom} degrees of freedom.")
        return "\n".join(lines)

    def _say_branches(self) -> str:
        if self.curves is None:
            return ""
        return " plus curves of states and inputs"

    def _say_mode(self, mode: Mode) -> str:
        time, frequency = ("s", "Hz") if self.sampling_time else ("samples", "cycles per sample")
        text = f"Pole {_format_complex(mode.pole)}"
        if mode.frequency is not None:
            text += f": {mode.frequency:.4g} {frequency}, damping ratio {mode.damping:.3g}"
        if mode.time_constant is None:
            return text + ": does not decay."
        return text + f", time constant {mode.time_constant:.4g} {time}."

    def __str__(self) -> str:
        return self.words


def describe_model(model: Any) -> StateSpaceDescription:
    """The description of a linear or nonlinear model."""
    curves = None
    if isinstance(model.function, DecoupledFunction):
        inputs, outputs = model.signal_names
        curves = model.function.describe(names=inputs, outputs=outputs)
    saturated: tuple[int, ...] = ()
    if model.bounds is not None:
        limited = np.any(np.isfinite(model.bounds), axis=0)
        saturated = tuple(int(o) for o in np.flatnonzero(limited))
    return StateSpaceDescription(
        model.n_states,
        model.n_inputs,
        model.n_outputs,
        model.degrees_of_freedom,
        find_modes(model.A, model.sampling_time),
        find_zeros(model.A, model.B, model.C, model.D),
        curves,
        model.sampling_time,
        saturated,
    )


def find_modes(A: Array, sampling_time: float | None) -> tuple[Mode, ...]:
    """Real poles and pairs of complex poles, the slowest first.

    >>> find_modes(np.array([[0.5]]), None)[0].pole
    (0.5+0j)
    """
    poles = [complex(pole) for pole in np.linalg.eigvals(A) if pole.imag >= -REAL_POLE]
    step = sampling_time or 1.0
    modes = []
    for pole in sorted(poles, key=lambda pole: (-abs(pole), pole.imag)):
        size = abs(pole)
        decays = 0 < size < 1
        time = -step / np.log(size) if decays else (0.0 if size == 0 else None)
        frequency = damping = None
        if pole.imag > REAL_POLE:
            rate = np.log(pole) / step  # of the continuous mode
            frequency = float(abs(rate) / (2 * np.pi))
            damping = float(-rate.real / abs(rate))
        modes.append(Mode(pole, None if time is None else float(time), frequency, damping))
    return tuple(modes)


def find_zeros(A: Array, B: Array, C: Array, D: Array) -> tuple[complex, ...]:
    """Finite invariant zeros of a system with as many inputs as outputs."""
    if B.shape[1] != len(C):
        return ()
    n, m = len(A), B.shape[1]
    pencil = np.block([[A, B], [C, D]])
    mass = np.zeros((n + m, n + m))
    mass[:n, :n] = np.eye(n)
    with np.errstate(all="ignore"):
        found = scipy.linalg.eigvals(pencil, mass)
    limit = LARGEST_ZERO * max(1.0, spectral_radius(A))
    finite = [complex(z) for z in found if np.isfinite(z) and abs(z) < limit]
    return tuple(sorted(finite, key=lambda z: (-abs(z), z.imag)))


def _format_complex(number: complex) -> str:
    if abs(number.imag) <= REAL_POLE:
        return f"{number.real:.4g}"
    sign = "+" if number.imag >= 0 else "−"
    return f"{number.real:.4g} {sign} {abs(number.imag):.4g}i"
