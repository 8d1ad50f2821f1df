"""State-space models: a linear model plus a static map of states and inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._util.documents import read_document, write_document
from .._util.markup import join_children, make_facts_table, tag
from .._util.progress import show_progress
from .._util.validation import check_integer, check_path, count_noun
from ..dynamics._plots import plot_simulation
from ..dynamics._validation import Validation
from ..dynamics._validation_case import (
    DEFAULT_CONFIDENCE,
    DEFAULT_RESIDUAL_LAGS,
    DEFAULT_STEPS,
    check_validation_options,
)
from ..errors import InvalidFileError, InvalidOptionError
from ..export import StepModel
from ..model._function import DecoupledFunction
from ._decoupling import decouple_model
from ._description import StateSpaceDescription, describe_model
from ._files import from_document, to_document
from ._linearisable_model import LinearisableModel
from ._lti import to_control, to_scipy
from ._order import OrderSelection, find_singular_values
from ._plots import plot_linear_part, plot_order, plot_state_branches
from ._refinement import refine_model
from ._signals import measure_scaling
from ._simulated_model import DEFAULT_INITIAL
from ._stability import StabilityCheck, check_stability
from ._step_model import make_step_model
from ._validation import validate_model

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class StateSpace(LinearisableModel):
    """State-space model ``[x(t+1); y(t)] = linear p + function(p) + offset``.

    p = [x(t); u(t)], and ``linear`` holds the matrices A, B, C, D of the linear part. Estimated
    models have states of zero mean and unit covariance over the records, ordered by their effect on
    the next outputs.

    Parameters
    ----------
    function : DecoupledFunction, polynomial, callable, PyTorch module, model with ``predict``, None
        The nonlinear part: takes (N, n_x + n_u), returns (N, n_x + n_y). None: a linear model.
    n_states : int
    linear : (n_x + n_y, n_x + n_u), optional
        [[A, B], [C, D]]; zero by default, which needs ``n_inputs`` and ``n_outputs``.
    offset : (n_x + n_y,), optional
    n_inputs, n_outputs : int
        Used where ``linear`` is not given.
    sampling_time : float, optional
        Seconds; frequencies of ``describe`` are in Hz if it is known.
    bounds : (low, high), optional
        Limits of saturated outputs, (n_y,) each; simulated outputs are clipped.

    Signals are (T,) or (T, channels); a list of arrays is several records.

    Examples
    --------
    >>> import numpy as np
    >>> f = lambda p: np.stack([0.5 * np.tanh(p[:, 0]) + p[:, 1], p[:, 0]], axis=1)
    >>> model = StateSpace(f, n_states=1)
    >>> model.simulate(np.array([1.0, 0.0, 0.0]), x0=[0.0]).round(3)
    array([0.   , 1.   , 0.381])
    """

    def plot(
        self, u: Any, y: Any, initial: int = DEFAULT_INITIAL, path: str | Path | None = None
    ) -> Figure:
        """Simulated and measured outputs, their error, a close-up and spectra."""
        records = self.records(u, y)
        runs = self.simulate_from_outputs(records, initial)
        measured = [record.y for record in records.items]
        return plot_simulation(measured, [run.y for run in runs], initial, path, self.sampling_time)

    def validate(
        self,
        u: Any,
        y: Any,
        initial: int = DEFAULT_INITIAL,
        *,
        steps: int | Sequence[int] = DEFAULT_STEPS,
        n_lags: int = DEFAULT_RESIDUAL_LAGS,
        confidence: float = DEFAULT_CONFIDENCE,
        linear: Any = "auto",
    ) -> Validation:
        """Validate the model on records: errors, residual tests, spectra and ranges.

        Nothing is raised for a poor or diverging model: the result says so. The model has no model
        of the noise (an output-error model), so its prediction of any number of steps is its
        simulation, and the residuals are simulation errors.

        Parameters
        ----------
        u, y, initial
            As for ``score``. Use records that were not fitted.
        steps : sequence of int
            Numbers of samples to predict ahead; the errors are those of the simulation.
        n_lags : int
            Largest lag of the correlations of residuals; at most a fifth of the record.
        confidence : float
            Of the limits of correlations, and of each verdict.
        linear : StateSpace, "auto" or None
            A linear model beside. "auto" fits one of the same order to the records of this model.
        """
        settings = check_validation_options(steps, n_lags, confidence)
        return validate_model(self, self.records(u, y), initial, linear, settings)

    def plot_branches(self, path: str | Path | None = None) -> Figure:
        """One panel per branch, and the weights of states and inputs in it."""
        names = self.signal_names
        return plot_state_branches(self._decoupled(), *names, self.output_spread, path)

    def plot_linear(self, path: str | Path | None = None) -> Figure:
        """Magnitude of the frequency response of the linear part, poles and zeros."""
        inputs, outputs = (names[self.n_states :] for names in self.signal_names)
        matrices = self.A, self.B, self.C, self.D
        return plot_linear_part(matrices, self.sampling_time, inputs, outputs, path)

    def plot_singular_values(self, path: str | Path | None = None) -> Figure:
        """What the number of states is chosen by; see ``order_selection``."""
        return plot_order(self.order_selection, path)

    @property
    def order_selection(self) -> OrderSelection:
        """Singular values of the records, and held-out errors where these were compared."""
        if self.data is None:
            raise InvalidOptionError(
                "this model holds no records: singular values are those of the fitted records"
            )
        scaling = measure_scaling(self.data)
        values = find_singular_values([scaling.normalise(r) for r in self.data.items])
        errors = None if self.order_errors is None else np.array(self.order_errors)
        return OrderSelection(self.n_states, values, errors)

    def describe(self) -> StateSpaceDescription:
        """Order, poles, zeros, operating points, and the curves in words."""
        return describe_model(self)

    def decouple(self, n_branches: int | str, **options: Any) -> StateSpace:
        """The model around ``W g(V' p)``; options as for ``unbraid.decouple``.

        The nonlinear part is sampled along the trajectory of the fitted records.
        """
        return replace(self, **decouple_model(self, n_branches, options))

    def refine(
        self,
        u: Any,
        y: Any,
        *,
        max_iterations: int = 60,
        progress: bool | None = None,
        **options: Any,
    ) -> StateSpace:
        """Minimise the simulation error by Levenberg-Marquardt.

        Parameters
        ----------
        u, y
            Records to fit.
        max_iterations : int
        progress : bool, optional
        feedthrough, ridge, weights, basis
            As for ``identify``; ``basis`` replaces that of the branches first.
        """
        check_integer("max_iterations", max_iterations)
        with show_progress("Refining", progress):
            return replace(self, **refine_model(self, u, y, max_iterations, **options))

    def check_stability(self) -> StabilityCheck:
        """Whether simulations at the largest inputs of the fitted records stay bounded.

        A model from a file holds no records, but some of their points: its inputs are held at the
        extremes of these.
        """
        return check_stability(self, self.data)

    def step_model(self) -> StepModel:
        """The equations of one sample, which ``unbraid.export`` translates."""
        return make_step_model(self)

    def to_scipy(self) -> Any:
        """The linear part as a discrete ``scipy.signal.StateSpace``.

        It relates deviations from an equilibrium: offsets and curves are left out. The slopes of
        the curves of an identified model are in the linear part. ``statespace.from_lti`` reads it.

        >>> StateSpace(None, 1, linear=[[0.5, 1.0], [1.0, 0.0]]).to_scipy().A
        array([[0.5]])
        """
        return to_scipy(self)

    def to_control(self) -> Any:
        """The linear part as a ``control.StateSpace`` with the names of the signals.

        As ``to_scipy``. Needs python-control.
        """
        return to_control(self)

    def save(self, path: str | Path) -> Path:
        """Write the model without its data, as ``DecoupledFunction.save`` does."""
        return write_document(check_path(path), self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The model without its data as a document."""
        return to_document(self)

    def __repr__(self) -> str:
        sizes = [
            count_noun(self.n_states, "state"),
            count_noun(self.n_inputs, "input"),
            count_noun(self.n_outputs, "output"),
        ]
        if self.n_branches is None:
            sizes.append("coupled")
        else:
            freedom = count_noun(self.degrees_of_freedom or 0, "degree")
            sizes += [count_noun(self.n_branches, "branch", "es"), f"{freedom} of freedom"]
        return f"StateSpace({', '.join(sizes)})"

    def _repr_html_(self) -> str:
        facts = {
            "states": self.n_states,
            "inputs, outputs": f"{self.n_inputs}, {self.n_outputs}",
            "branches": self.n_branches,
            "refinement": None if self.refinement is None else self.refinement.words,
        }
        lines = [tag("p", line) for line in self.describe().lines]
        return join_children([make_facts_table("State-space model", facts), *lines])

    def _decoupled(self) -> DecoupledFunction:
        if not isinstance(self.function, DecoupledFunction):
            raise InvalidOptionError("only a decoupled model has branches: call decouple first")
        return self.function


def load(path: str | Path) -> StateSpace:
    """Read what ``StateSpace.save`` wrote; others raise ``InvalidFileError``."""
    return statespace_from_dict(read_document(check_path(path)), path)


def statespace_from_dict(document: Mapping[str, Any], path: str | Path) -> StateSpace:
    """The model in a document, or InvalidFileError."""
    try:
        return StateSpace(**from_document(document, path))
    except InvalidFileError:
        raise
    except (KeyError, TypeError, ValueError) as problem:
        raise InvalidFileError(f"{path} is incomplete or damaged: {str(problem)[:300]}") from None
