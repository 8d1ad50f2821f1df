"""The PyTorch modules of ``to_torch``.

Pickled models name these classes and this module: do not rename them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module, ModuleList, Parameter

from ..bases._piecewise import Pieces
from ..errors import InvalidSamplesError
from ..model._branch import Branch
from ..model._curves import Expansion, Nonparametric
from ..model._function import DecoupledFunction
from ._formula import Bumps, Harmonics, Legendre, Smooth, find_bounds, translate_curve


class DecoupledModule(Module):  # type: ignore[misc, unused-ignore]
    """``f(p) = W g(V' p) + offset`` with all of its parameters trainable."""

    def __init__(self, d: DecoupledFunction) -> None:
        super().__init__()
        self.W = Parameter(_tensor(d.W))
        self.V = Parameter(_tensor(d.V))
        self.offset = Parameter(_tensor(d.offset))
        self.branches = ModuleList(BranchModule(branch) for branch in d.branches)

    def forward(self, p: Tensor) -> Tensor:
        if p.ndim not in (1, 2) or p.shape[-1] != len(self.V) or p.dtype != self.V.dtype:
            raise InvalidSamplesError(
                f"p is {p.dtype} of shape {tuple(p.shape)}: pass {self.V.dtype} of shape (m,) or "
                f"(N, m) with m = {len(self.V)}"
            )
        z = p @ self.V
        g = [branch(z[..., i : i + 1]) for i, branch in enumerate(self.branches)]
        return torch.cat(g, dim=-1) @ self.W.T + self.offset


class BranchModule(Module):  # type: ignore[misc, unused-ignore]
    """A curve and its extrapolation."""

    curve: Any
    ends: Tensor

    def __init__(self, branch: Branch) -> None:
        super().__init__()
        self.curve = _make_curve(branch)
        self.extrapolate = branch.extrapolate
        ends = find_bounds(branch) if branch.extrapolate == "nan" else branch.edges
        self.register_buffer("ends", _tensor(ends))

    def forward(self, z: Tensor) -> Tensor:
        low, high = self.ends
        if self.extrapolate == "linear":
            inside = z.clamp(low, high)
            slope = torch.where(z < low, self.curve.slope(low), self.curve.slope(high))
            return self.curve(inside) + slope * (z - inside)
        if self.extrapolate == "constant":
            z = z.clamp(low, high)
        g: Tensor = self.curve(z)
        if self.extrapolate == "nan":
            g = g * torch.where((z < low) | (z > high), np.nan, 1.0)  # slopes are NaN there too
        return g


def _make_curve(branch: Branch) -> Any:
    """Return the module of a curve; refuse Python functions."""
    curve = translate_curve(branch)
    if isinstance(branch.curve, Nonparametric):
        return HermiteModule(branch.curve)
    if isinstance(curve, Pieces):
        assert isinstance(branch.curve, Expansion)
        return SplineModule(branch.curve, curve)
    modules = {Legendre: LegendreModule, Harmonics: HarmonicsModule, Bumps: BumpsModule}
    return modules[type(curve)](curve)


class SmoothModule(Module):  # type: ignore[misc, unused-ignore]
    """A function of t, where t is z with its interval mapped to [-1, 1]."""

    low: Tensor
    rate: Tensor

    def __init__(self, curve: Smooth) -> None:
        super().__init__()
        self.register_buffer("low", _tensor(curve.low))
        self.register_buffer("rate", _tensor(curve.rate))

    def unit(self, z: Tensor) -> Tensor:
        return (z - self.low) * self.rate - 1.0


class LegendreModule(SmoothModule):
    """A series of Legendre polynomials."""

    def __init__(self, curve: Legendre) -> None:
        super().__init__(curve)
        self.coefficients = Parameter(_tensor(curve.coefficients))

    def forward(self, z: Tensor) -> Tensor:
        return self._sum(self.unit(z))[0]

    def slope(self, z: Tensor) -> Tensor:
        return self._sum(self.unit(z))[1] * self.rate

    def _sum(self, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return the series and its derivative, both by recurrence."""
        below, current = torch.ones_like(t), t
        slope_below, slope = torch.zeros_like(t), torch.ones_like(t)
        values, slopes = [current], [slope]
        for k in range(1, len(self.coefficients)):
            slope_below, slope = slope, slope_below + (2 * k + 1) * current
            below, current = current, ((2 * k + 1) * t * current - k * below) / (k + 1)
            values.append(current)
            slopes.append(slope)
        c = self.coefficients
        return torch.stack(values, dim=-1) @ c, torch.stack(slopes, dim=-1) @ c


class HarmonicsModule(SmoothModule):
    """A straight line plus harmonics."""

    frequencies: Tensor

    def __init__(self, curve: Harmonics) -> None:
        super().__init__(curve)
        self.line = Parameter(_tensor(curve.line))
        self.sines = Parameter(_tensor(curve.sines))
        self.cosines = Parameter(_tensor(curve.cosines))
        self.register_buffer("frequencies", _tensor(curve.frequencies))

    def forward(self, z: Tensor) -> Tensor:
        t = self.unit(z)
        phase = t[..., None] * self.frequencies
        return self.line * t + phase.sin() @ self.sines + phase.cos() @ self.cosines

    def slope(self, z: Tensor) -> Tensor:
        phase = self.unit(z)[..., None] * self.frequencies
        slopes = phase.cos() * self.sines - phase.sin() * self.cosines
        return (self.line + slopes @ self.frequencies) * self.rate


class BumpsModule(SmoothModule):
    """A sum of Gaussian bumps."""

    width: Tensor
    centres: Tensor

    def __init__(self, curve: Bumps) -> None:
        super().__init__(curve)
        self.heights = Parameter(_tensor(curve.heights))
        self.register_buffer("centres", _tensor(curve.centres))
        self.register_buffer("width", _tensor(curve.width))

    def forward(self, z: Tensor) -> Tensor:
        return torch.exp(-0.5 * self._distances(z) ** 2) @ self.heights

    def slope(self, z: Tensor) -> Tensor:
        x = self._distances(z)
        return (-x * torch.exp(-0.5 * x**2)) @ self.heights * self.rate / self.width

    def _distances(self, z: Tensor) -> Tensor:
        return (self.unit(z)[..., None] - self.centres) / self.width


class PiecesModule(Module, ABC):  # type: ignore[misc, unused-ignore]
    """Polynomials in z - break: exported coefficients plus changes by training.

    The exported table is computed in double precision and only then converted: a table computed
    from single-precision parameters would be less accurate.
    """

    breaks: Tensor
    table: Tensor

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self.register_buffer("breaks", _tensor(pieces.breaks))
        self.register_buffer("table", _tensor(pieces.coefficients))

    @abstractmethod
    def changes(self, piece: Tensor) -> Iterable[Tensor]:
        """Return the changes of the coefficients by training, highest power first."""

    def forward(self, z: Tensor) -> Tensor:
        return self._horner(z)[0]

    def slope(self, z: Tensor) -> Tensor:
        return self._horner(z)[1]

    def _horner(self, z: Tensor) -> tuple[Tensor, Tensor]:
        dense = z.detach().clone(memory_format=torch.contiguous_format)
        piece = torch.searchsorted(self.breaks[1:-1], dense, right=True)
        x = z - self.breaks[piece]
        value = slope = torch.zeros_like(z)
        for row, change in zip(self.table, self.changes(piece), strict=True):
            slope = slope * x + value
            value = value * x + row[piece] + change
        return value, slope


class SplineModule(PiecesModule):
    """A B-spline: only its coefficients are trained; its pieces are linear in them."""

    first: Tensor
    rates: Tensor

    def __init__(self, spline: Expansion, pieces: Pieces) -> None:
        super().__init__(pieces)
        units = [replace(spline, coefficients=unit) for unit in np.eye(spline.n_parameters)]
        rates = [unit.pieces.coefficients for unit in units if unit.pieces is not None]
        self.coefficients = Parameter(_tensor(spline.coefficients))
        self.register_buffer("first", _tensor(spline.coefficients))
        self.register_buffer("rates", _tensor(np.stack(rates, axis=-1)))

    def changes(self, piece: Tensor) -> Iterable[Tensor]:
        return (row[piece] for row in self.rates @ (self.coefficients - self.first))


class HermiteModule(PiecesModule):
    """Cubics between abscissae, given by their values and slopes there."""

    first_values: Tensor
    first_slopes: Tensor
    widths: Tensor

    def __init__(self, curve: Nonparametric) -> None:
        super().__init__(curve.pieces)
        self.values = Parameter(_tensor(curve.values))
        self.slopes = Parameter(_tensor(curve.slopes))
        self.register_buffer("first_values", _tensor(curve.values))
        self.register_buffer("first_slopes", _tensor(curve.slopes))
        self.register_buffer("widths", _tensor(np.diff(curve.abscissae)))

    def changes(self, piece: Tensor) -> Iterable[Tensor]:
        values, slopes = self.values - self.first_values, self.slopes - self.first_slopes
        width, value, slope = self.widths[piece], values[piece], slopes[piece]
        secant = (values[piece + 1] - value) / width
        bend = (slope + slopes[piece + 1] - 2 * secant) / width
        return bend / width, (secant - slope) / width - bend, slope, value


def _tensor(values: Any) -> Tensor:
    return torch.tensor(np.asarray(values, dtype=float))
