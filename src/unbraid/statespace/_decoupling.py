"""Decoupling of the nonlinear part of a state-space model, the paper's route."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..bases import Polynomial
from ..data import Samples
from ..dynamics._static_map import make_static_map
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ..model._operating_points import sample_points
from ..sampling import from_data
from ..sources import HermitePolynomial
from ._branches import trajectory

DECOUPLING_POINTS = 2000  # of the trajectory, at which the function is sampled
FLAT_EQUATION = 1e-9  # spread of an equation relative to the largest: it is left linear


def decouple_model(model: Any, n_branches: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Fields of the model around a decoupled function.

    The linear part of the function over the trajectory is moved to A, B, C, D; the rest is
    decoupled. W and the linear part then follow from least squares on all sampled values.
    """
    if model.function is None:
        raise InvalidOptionError("a linear model has nothing to decouple: identify branches")
    points = _draw_points(model, options)
    function = make_static_map(model.function, points, len(model.linear))
    values = function.values(points)
    rows = np.column_stack([points, np.ones(len(points))])
    line = np.asarray(np.linalg.lstsq(rows, values, rcond=None)[0].T)
    rest = values - rows @ line.T
    spread = rest.std(axis=0)
    curved = np.flatnonzero(spread > FLAT_EQUATION * max(float(spread.max()), 1e-300))
    slopes = function.linearise(points, np.arange(points.shape[1]))[1] - line[:, :-1]
    unit = spread[curved]
    samples = Samples(points, rest[:, curved] / unit, slopes[:, curved] / unit[:, None])
    options = {"basis": _default_basis(model), "simplify": False} | options
    d = decouple(samples, n_branches=n_branches, **options)
    return _combine(model, d, points, values)


def _draw_points(model: Any, options: dict[str, Any]) -> Array:
    """Points of the trajectory of the fitted records, or those of the user."""
    points = options.pop("points", None)
    if points is not None:
        return np.asarray(points, dtype=float)
    if model.data is None:
        raise InvalidOptionError(
            "this model has not seen data: pass points, rows of [x; u] to sample it at"
        )
    records = model.data.items
    runs = model.simulate_records(model.data)
    table = trajectory(records, runs)
    seed = options.get("random_state")
    return from_data(table, min(DECOUPLING_POINTS, len(table)), random_state=seed)


def _default_basis(model: Any) -> Any:
    """Polynomials of the same degree for a polynomial."""
    if isinstance(model.function, HermitePolynomial):
        return Polynomial(model.function.degree)
    return "auto"


def _combine(model: Any, d: DecoupledFunction, points: Array, values: Array) -> dict[str, Any]:
    """W, linear part and offset by least squares with the curves of a decoupling."""
    z = points @ d.V
    curves = np.stack([b(z[:, i]) for i, b in enumerate(d.branches)], axis=1)
    scale = np.maximum(curves.std(axis=0), 1e-300)
    spread = np.maximum(points.std(axis=0), 1e-300)
    middle = points.mean(axis=0)
    rows = np.column_stack([curves / scale, (points - middle) / spread, np.ones(len(points))])
    solved = np.linalg.lstsq(rows, values, rcond=1e-10)[0]
    W, linear, offset = np.split(solved, [d.n_branches, d.n_branches + points.shape[1]])
    linear = linear.T / spread
    function = DecoupledFunction(
        W.T / scale,
        d.V,
        d.branches,
        np.zeros(len(model.linear)),
        spread=spread,
        points=sample_points(points),
        origin=d.origin,
        fit=d.fit,
    )
    return {
        "function": function,
        "linear": model.linear + linear,
        "offset": model.offset + offset[0] - linear @ middle,
    }
