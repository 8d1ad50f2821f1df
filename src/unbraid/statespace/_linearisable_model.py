"""A state-space model with operating points, around which it can be linearised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from ._operating_points import (
    DEFAULT_CHARACTERISTIC_POINTS,
    OperatingPoint,
    StaticCharacteristic,
    find_linear_characteristic,
    find_operating_point,
    find_static_characteristic,
    linearise_model,
)
from ._plots import MAX_RESPONSE_PANELS, plot_static_characteristic
from ._simulated_model import SimulatedModel

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class LinearisableModel(SimulatedModel):
    """The part of a state-space model that concerns its behaviour at rest."""

    def find_operating_point(self, u: Any) -> OperatingPoint:
        """State and output at rest for a constant input.

        The point may be unstable: see ``linearise(u).describe().is_stable``.

        Parameters
        ----------
        u : float or (n_u,)

        Raises
        ------
        OperatingPointError
            If the model integrates, or no steady state is found.

        Examples
        --------
        >>> from unbraid.statespace import StateSpace
        >>> low_pass = StateSpace(None, 1, linear=[[0.5, 1.0], [1.0, 0.0]])
        >>> low_pass.find_operating_point(3.0).y
        array([6.])
        """
        return find_operating_point(self, u)

    def linearise(self, u: Any) -> Self:
        """The linear model around the operating point at a constant input.

        It has no branches, and A, B, C and D are the Jacobians there. Its signals are those of this
        model, not deviations: offsets let it rest at the same state and output. ``to_scipy`` leaves
        these offsets out.

        Parameters
        ----------
        u : float or (n_u,)

        Raises
        ------
        OperatingPointError
            If the model integrates, or no steady state is found.
        """
        return replace(self, **linearise_model(self, u))

    def static_characteristic(
        self, n_points: int = DEFAULT_CHARACTERISTIC_POINTS, channel: int = 0
    ) -> StaticCharacteristic:
        """Outputs at rest over the range of an input in the training data.

        Parameters
        ----------
        n_points : int
        channel : int
            The input that is varied, counted from 0; the others stay at their means.

        Returns
        -------
        StaticCharacteristic
            ``u`` (N,) and ``y`` (N, n_y), which is NaN where there is no stable steady state.
        """
        return find_static_characteristic(self, n_points, channel)

    def plot_static(self, path: str | Path | None = None) -> Figure:
        """Outputs at rest over each input; dashed: the linear part."""
        curves = []
        for channel in range(min(self.n_inputs, MAX_RESPONSE_PANELS)):
            u, y = self.static_characteristic(channel=channel)
            curves.append((u, y, find_linear_characteristic(self, u, channel)))
        inputs, outputs = (names[self.n_states :] for names in self.signal_names)
        return plot_static_characteristic(curves, inputs, outputs, path)
