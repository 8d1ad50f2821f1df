"""The linear part of a state-space model: poles, zeros, gain, frequency response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from .._typing import Array
from ._realisation import spectral_radius

LARGEST_ZERO = 1e3  # of finite zeros; larger ones are at infinity
REAL_POLE = 1e-9  # imaginary part below which a pole is real
RESONANT_DAMPING = 0.7071  # damping ratio below which a pair of poles has a resonance
MIN_INTEGRATOR_DISTANCE = 1e-9  # of a pole from 1: a closer one integrates
LOWEST_FREQUENCY = 1e-3  # cycles per sample: where a response begins, unless poles are slower
RESPONSE_POINTS = 400  # frequencies at equal distances
POINTS_PER_RESONANCE = 60  # more of them


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
        Natural frequency of a complex pair, in Hz, or in cycles per sample.
    damping : float or None
        Damping ratio of a complex pair.
    """

    pole: complex
    time_constant: float | None
    frequency: float | None
    damping: float | None

    @property
    def is_resonant(self) -> bool:
        """Whether the pair of poles has a peak in the frequency response."""
        return self.damping is not None and self.damping < RESONANT_DAMPING

    def format(self, sampling_time: float | None) -> str:
        """The mode in words."""
        time, frequency = ("s", "Hz") if sampling_time else ("samples", "cycles per sample")
        parts = []
        if self.frequency is not None:
            what = "resonance at" if self.is_resonant else "natural frequency"
            parts.append(f"{what} {self.frequency:.3g} {frequency}")
            parts.append(f"damping ratio {self.damping:.2g}")
        if self.pole == 1:
            parts.append("an integrator")
        elif self.time_constant is None:
            parts.append("does not decay")
        elif self.time_constant > 0:
            parts.append(f"time constant {self.time_constant:.3g} {time}")
        else:
            parts.append("a delay of one sample")
        pair = "Poles" if self.frequency is not None else "Pole"
        return f"{pair} {format_complex(self.pole, self.frequency is not None)}: {', '.join(parts)}"


def find_modes(A: Array, sampling_time: float | None) -> tuple[Mode, ...]:
    """Real poles and pairs of complex poles, the slowest first.

    >>> find_modes(np.array([[0.5]]), None)[0].pole
    (0.5+0j)
    """
    poles = [complex(pole) for pole in np.linalg.eigvals(A) if pole.imag >= -REAL_POLE]
    step = sampling_time or 1.0
    modes = []
    for pole in sorted(poles, key=lambda pole: (-round(abs(pole), 9), pole.imag, pole.real)):
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
    """Finite invariant zeros of a system with as many inputs as outputs.

    Inputs and outputs are scaled first, so that their units do not matter.
    """
    if B.shape[1] != len(C):
        return ()
    n, m = len(A), B.shape[1]
    columns = np.linalg.norm(np.concatenate([B, D]), axis=0)
    rows = np.linalg.norm(C, axis=1)
    inner = 1 / np.where(columns > 0, columns, 1.0)
    outer = 1 / np.where(rows > 0, rows, 1.0)
    pencil = np.block([[A, B * inner], [outer[:, None] * C, outer[:, None] * D * inner]])
    mass = np.zeros((n + m, n + m))
    mass[:n, :n] = np.eye(n)
    with np.errstate(all="ignore"):
        found = scipy.linalg.eigvals(pencil, mass)
    limit = LARGEST_ZERO * max(1.0, spectral_radius(A))
    finite = [complex(z) for z in found if np.isfinite(z) and abs(z) < limit]
    return tuple(sorted(finite, key=lambda z: (-round(abs(z), 9), -z.real, -z.imag)))


def static_gain(A: Array, B: Array, C: Array, D: Array) -> Array | None:
    """Outputs per inputs at rest; None if the model integrates.

    >>> static_gain(np.array([[0.5]]), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)))
    array([[2.]])
    """
    if np.abs(np.linalg.eigvals(A) - 1).min() < MIN_INTEGRATOR_DISTANCE:
        return None
    return np.asarray(C @ np.linalg.solve(np.eye(len(A)) - A, B) + D)


def find_response(
    A: Array, B: Array, C: Array, D: Array, modes: Sequence[Mode] = ()
) -> tuple[Array, Array]:
    """Frequencies in cycles per sample, and the response there, (F, n_y, n_u).

    The frequencies lie closer at resonances.
    """
    angles = [abs(np.angle(mode.pole)) / (2 * np.pi) for mode in modes]
    rates = [-np.log(min(max(abs(mode.pole), 1e-300), 1 - 1e-12)) / (2 * np.pi) for mode in modes]
    slowest = min([np.hypot(*pair) for pair in zip(angles, rates, strict=True)], default=1.0)
    low = min(LOWEST_FREQUENCY, max(0.1 * slowest, 1e-7))
    grids = [np.geomspace(low, 0.5, RESPONSE_POINTS)]
    for angle, rate in zip(angles, rates, strict=True):
        if angle > 0:
            width = 4 * np.sinh(np.linspace(-3, 3, POINTS_PER_RESONANCE)) / np.sinh(3)
            grids.append(angle + rate * width)
    frequency = np.unique(np.concatenate(grids))
    frequency = frequency[(frequency >= low) & (frequency <= 0.5)]
    turns = np.exp(2j * np.pi * frequency)[:, None, None]
    right = np.broadcast_to(B.astype(complex), (frequency.size, *B.shape))
    return frequency, np.asarray(C @ np.linalg.solve(turns * np.eye(len(A)) - A, right) + D)


def list_conjugates(numbers: Sequence[complex]) -> list[str]:
    """Numbers as text; a conjugate pair is one entry.

    >>> list_conjugates([0.5, -1 + 2j, -1 - 2j])
    ['0.5', '-1 ± 2i']
    """
    shown = [z for z in numbers if z.imag >= -REAL_POLE]
    return [format_complex(z, abs(z.imag) > REAL_POLE) for z in shown]


def format_complex(number: complex, pair: bool) -> str:
    """A real number, or a conjugate pair, with three digits."""
    return f"{number.real:.3g} ± {abs(number.imag):.3g}i" if pair else f"{number.real:.3g}"
