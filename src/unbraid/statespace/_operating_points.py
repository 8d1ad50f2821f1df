"""Operating points of a state-space model: at rest, linearised, over the inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array
from .._util.validation import check_integer, finite_array
from ..errors import InvalidOptionError, InvalidSamplesError, OperatingPointError
from ..model._function import DecoupledFunction
from ._initial_state import find_rests
from ._linear_part import MIN_INTEGRATOR_DISTANCE, static_gain
from ._simulated_model import SimulatedModel

DEFAULT_CHARACTERISTIC_POINTS = 50
FIT_FIELDS = ("initial_states", "data", "refinement", "order_errors", "candidates")


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """State and output at rest for a constant input.

    Attributes
    ----------
    u : (n_u,)
    x : (n_x,)
    y : (n_y,)
    """

    u: Array
    x: Array
    y: Array


class StaticCharacteristic(NamedTuple):
    """Outputs at rest over one input.

    Attributes
    ----------
    u : (N,)
        The input that is varied.
    y : (N, n_y)
        The outputs; NaN where there is no stable steady state.
    """

    u: Array
    y: Array


class RestPoints(NamedTuple):
    """States, outputs and Jacobians of [next x; y] at rest; NaN where there is none."""

    x: Array
    y: Array
    slopes: Array

    @property
    def is_stable(self) -> Any:
        """Which points exist and attract the simulations that start near them."""
        n, known = self.x.shape[1], ~np.isnan(self.x[:, 0])
        stable = known.copy()
        poles = np.linalg.eigvals(self.slopes[known, :n, :n])
        stable[known] = np.abs(poles).max(axis=1) < 1
        return stable


def find_operating_point(model: SimulatedModel, u: Any) -> OperatingPoint:
    """The point at rest for one constant input, or OperatingPointError."""
    inputs = check_constant_input(model, u)
    points = solve_rest_points(model, inputs[None])
    if np.isnan(points.x[0, 0]):
        raise _make_error(model, inputs)
    return OperatingPoint(inputs, points.x[0], points.y[0])


def check_constant_input(model: SimulatedModel, u: Any) -> Array:
    """One value of every input, (n_u,)."""
    inputs = np.atleast_1d(finite_array("u", u))
    if inputs.shape != (model.n_inputs,):
        raise InvalidSamplesError(
            f"u has shape {np.shape(u)}: pass one constant value for each of the "
            f"{model.n_inputs} inputs"
        )
    return inputs


def linearise_model(model: SimulatedModel, u: Any) -> dict[str, Any]:
    """Fields of the linear model around the operating point at u.

    Its offsets make signals those of the user: x and y at rest are the same at u.
    """
    inputs = check_constant_input(model, u)
    points = solve_rest_points(model, inputs[None], clip=False)
    if np.isnan(points.x[0, 0]):
        raise _make_error(model, inputs)
    linear = points.slopes[0]
    p, q = np.append(points.x[0], inputs), np.append(points.x[0], points.y[0])
    changed = {"function": None, "linear": linear, "offset": q - linear @ p}
    return {**dict.fromkeys(FIT_FIELDS), **changed}


def solve_rest_points(model: SimulatedModel, u: Array, clip: bool = True) -> RestPoints:
    """Points at rest for rows of inputs (N, n_u); NaN where no single one exists."""
    n, system = model.n_states, model.transition(u)
    x = find_rests(system, u, n)
    q = np.full((len(u), len(model.linear)), np.nan)
    slopes = np.full((len(u), *model.linear.shape), np.nan)
    known = ~np.isnan(x[:, 0])
    if known.any():
        table = np.concatenate([x, u], axis=1)[known]
        q[known], slopes[known] = system.linearise(table, np.arange(table.shape[1]))
    distance = np.full(len(u), np.nan)
    distance[known] = np.abs(np.linalg.eigvals(slopes[known, :n, :n]) - 1).min(axis=1)
    for part in (x, q, slopes):
        part[~(distance >= MIN_INTEGRATOR_DISTANCE)] = np.nan
    y = q[:, n:] if model.bounds is None or not clip else np.clip(q[:, n:], *model.bounds)
    return RestPoints(x, y, slopes)


def find_static_characteristic(
    model: SimulatedModel, n_points: int, channel: int
) -> StaticCharacteristic:
    """Outputs at rest over the range of one input, the others at their means."""
    check_integer("n_points", n_points, 2)
    check_integer("channel", channel, 0)
    if channel >= model.n_inputs:
        raise InvalidOptionError(
            f"channel = {channel}: the model has {model.n_inputs} inputs, counted from 0"
        )
    table = list_training_inputs(model)
    if table is None:
        raise InvalidOptionError(
            "this model holds no records, so the range of its inputs is unknown: pass single "
            "inputs to find_operating_point"
        )
    u = np.tile(table.mean(axis=0), (n_points, 1))
    u[:, channel] = np.linspace(table[:, channel].min(), table[:, channel].max(), n_points)
    points = solve_rest_points(model, u)
    y = np.where(points.is_stable[:, None], points.y, np.nan)
    return StaticCharacteristic(u[:, channel], y)


def find_linear_characteristic(model: SimulatedModel, u: Array, channel: int) -> Array | None:
    """Outputs (N, n_y) at rest of the linear part; None if it integrates.

    The line goes through the means of the training data, as the linear part is their average.
    """
    gain = static_gain(model.A, model.B, model.C, model.D)
    means = _find_means(model)
    if gain is None or means is None:
        return None
    middle, level = means
    return np.asarray(level + np.outer(u - middle[channel], gain[:, channel]))


def list_training_inputs(model: SimulatedModel) -> Array | None:
    """Inputs (N, n_u) of the records, or at the points that the function keeps."""
    if model.data is not None:
        return np.concatenate([record.u for record in model.data.items])
    return list_kept_inputs(model)


def list_kept_inputs(model: SimulatedModel) -> Array | None:
    """Inputs at the points that the function keeps, which are saved with it."""
    points = model.function.points if isinstance(model.function, DecoupledFunction) else None
    return None if points is None else np.asarray(points[:, model.n_states :])


def _find_means(model: SimulatedModel) -> tuple[Array, Array] | None:
    """Means of the inputs and outputs of the training data."""
    if model.data is not None:
        u, y = (np.concatenate([getattr(r, name) for r in model.data.items]) for name in "uy")
        return u.mean(axis=0), y.mean(axis=0)
    kept = list_kept_inputs(model)
    if kept is None:
        return None
    values = model.transition(kept).values(model.function.points)
    return kept.mean(axis=0), values[:, model.n_states :].mean(axis=0)


def _make_error(model: SimulatedModel, u: Array) -> OperatingPointError:
    """The error of an input without a steady state."""
    n, where = model.n_states, np.array2string(u, precision=4)
    table = np.concatenate([np.outer([0.0, 1.0], np.ones(n)), [u, u]], axis=1)
    slopes = model.transition(u[None]).linearise(table, np.arange(n))[1][:, :n]
    if np.abs(np.linalg.eigvals(slopes) - 1).min(axis=1).max() < MIN_INTEGRATOR_DISTANCE:
        return OperatingPointError(
            f"no steady state at u = {where}: the model integrates, so its states grow or stay "
            f"anywhere while u is constant"
        )
    return OperatingPointError(
        f"no steady state found at u = {where}: the model diverges or oscillates there; pass u "
        f"within the range of the training data"
    )
