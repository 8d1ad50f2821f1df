"""The result of validating a dynamic model on a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._typing import Array
from ..model._names import select_outputs
from ._correlation import Correlation
from ._ranges import RangeUse
from ._scoring import Score
from ._spectra import ErrorSpectrum
from ._validation_plot import plot_validation
from ._validation_text import render_html, render_text

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LinearComparison:
    """Simulation error of a linear model on the same samples.

    Attributes
    ----------
    score : Score or None
        None where there is no linear model.
    n_states : int or None
    reason : str
        Why there is none.
    """

    score: Score | None = None
    n_states: int | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class ResidualTest:
    """Tests on the residuals of one output.

    Attributes
    ----------
    output : str
    mean, rms : float
        In units of the output.
    autocorrelation : Correlation
    inputs : tuple of Correlation
        One per input.
    squares : tuple of Correlation
        With u² and u·|u| of every input u, less its mean: what they explain is a nonlinearity.
    """

    output: str
    mean: float
    rms: float
    autocorrelation: Correlation
    inputs: tuple[Correlation, ...]
    squares: tuple[Correlation, ...]

    @property
    def is_white(self) -> bool | None:
        """Whether the residuals can be white noise; None where that was not tested."""
        return self.autocorrelation.is_zero

    @property
    def is_independent_of_input(self) -> bool | None:
        """Whether past inputs do not explain them; None where that was not tested."""
        return _combine(part.is_zero for part in self.inputs)

    @property
    def is_independent_of_squares(self) -> bool | None:
        """Whether squares of past inputs do not explain them; None if not tested."""
        return _combine(part.is_zero for part in self.squares)


@dataclass(frozen=True, eq=False)
class Validation:
    """How good a dynamic model is on a record. ``print`` shows it as a table.

    Attributes
    ----------
    simulation : Score
        Of free-run simulation. Infinite, with the sample, if it diverges.
    predictions : mapping of int to Score
        Of predictions so many steps ahead from measured outputs.
    predicts_by_simulation : bool
        The model has no model of the noise, and its predictions are its simulation.
    linear : LinearComparison
        A linear model on the same samples.
    residual_kind : str
        "prediction" (one step ahead) or "simulation": the errors that were tested.
    residuals : tuple of ResidualTest
        One per output; empty if the model diverges.
    confidence : float
        Of the limits of correlations, and of the verdicts.
    spectrum : ErrorSpectrum or None
        Of the outputs and of the simulation error; None if the model diverges.
    ranges : tuple of RangeUse
        Branches and signals, and how far this record leaves the range of the training record.
    range_reason : str
        Why signals, or all of them, are missing in ``ranges``.
    diverged_record : int or None
        The record in which the simulation diverges.
    input_names, output_names : tuple of str
    sampling_time : float or None
    initial : int
        Samples at the start of each record that are not scored.
    measured, simulated : tuple of (T, n)
        Outputs of each record; simulated ones end where they diverge.
    """

    simulation: Score
    predictions: Mapping[int, Score]
    predicts_by_simulation: bool
    linear: LinearComparison
    residual_kind: str
    residuals: tuple[ResidualTest, ...]
    confidence: float
    spectrum: ErrorSpectrum | None
    ranges: tuple[RangeUse, ...]
    range_reason: str
    diverged_record: int | None
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    sampling_time: float | None
    initial: int
    measured: tuple[Array, ...] = field(repr=False)
    simulated: tuple[Array, ...] = field(repr=False)

    @property
    def is_white(self) -> bool | None:
        """Whether the residuals of all outputs can be white noise."""
        return _combine(test.is_white for test in self.residuals)

    @property
    def is_independent_of_input(self) -> bool | None:
        """Whether past inputs explain the residuals of no output."""
        return _combine(test.is_independent_of_input for test in self.residuals)

    @property
    def is_independent_of_squares(self) -> bool | None:
        """Whether squares of past inputs explain the residuals of no output."""
        return _combine(test.is_independent_of_squares for test in self.residuals)

    @property
    def diverges(self) -> bool:
        """Whether the simulation diverges."""
        return self.simulation.diverged_at is not None

    @property
    def extrapolates(self) -> bool:
        """Whether 1 % of the samples leave the training range of a branch or signal."""
        return any(use.is_left for use in self.ranges)

    @property
    def n_samples(self) -> int:
        """Number of samples of all records, without the initial ones."""
        return sum(len(y) - self.initial for y in self.measured)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        output: str | int | Sequence[str | int] | None = None,
    ) -> Figure:
        """Plot simulation, errors, correlations of residuals with limits, and spectra.

        Parameters
        ----------
        path : path, optional
            Also written there, in the format of its suffix.
        output : str, int or list of them, optional
            Outputs to show, by name or number from 0; all by default, one below the other.
        """
        names = select_outputs(self.output_names, output)  # type: ignore[arg-type]
        chosen = self.output_names if names is None else names
        return plot_validation(self, [self.output_names.index(name) for name in chosen], path)

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_html(self)


def _combine(verdicts: Any) -> bool | None:
    """All of them; None if none fails and some are not known, or there are none."""
    listed = list(verdicts)
    if False in listed:
        return False
    return None if None in listed or not listed else True
