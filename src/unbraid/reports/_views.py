"""From a result to what a page shows of a model: names, words, errors, residuals, a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array
from .._util.validation import finite_array
from ..data._samples import Samples
from ..errors import InvalidOption, InvalidSamples, UnbraidError
from ..metrics import relative_error
from ..model._description import Description, checked_names
from ..model._function import DecoupledFunction
from ..model._residuals import Residuals, residuals_of
from ._markup import distinct

NODES = 200  # of an even spread over z, where a branch keeps no points
MOST_POINTS = 2000  # that shares and densities are taken from


class Names(NamedTuple):
    """Names as the user wrote them, and as they are shown: short, but all different."""

    full: tuple[str, ...]
    short: tuple[str, ...]


class Errors(NamedTuple):
    """Relative errors in percent, one an output, and what to call them."""

    name: str
    values: Array


@dataclass(frozen=True, eq=False)
class Simulation:
    """A free run beside the measured outputs, (T, n); ``ends`` of the records in them.

    ``error`` (n,) is in percent, without the samples that every run starts from.
    """

    measured: Array
    simulated: Array
    ends: tuple[int, ...]
    where: str
    diverged_at: int | None
    error: Array


@dataclass(frozen=True, eq=False)
class ModelView:
    """All that is shown of one model.

    ``even`` says that shares are over an even spread of every z, for want of points. ``z`` are
    the data's (N, r), if known. ``errors`` has the most telling ones last. ``facts`` are settings
    and other plain pairs, ``code`` loads the model, ``saved`` is the object that can be saved.
    """

    key: str
    function: DecoupledFunction
    inputs: Names
    outputs: Names
    description: Description
    even: bool
    z: Array | None
    errors: tuple[Errors, ...]
    residuals: Residuals | None
    saved: Any
    code: str
    simulation: Simulation | None = None
    coupled_parameters: int | None = None
    heading: str = "The model"
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def dynamic(self) -> bool:
        """Is it a model in a loop of lags?"""
        return not isinstance(self.saved, DecoupledFunction)

    @property
    def telling(self) -> Errors | None:
        """The errors to judge by."""
        return self.errors[-1] if self.errors else None


def function_view(
    d: DecoupledFunction,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
    errors: tuple[Errors, ...] | None = None,
    **others: Any,
) -> ModelView:
    """A decoupled function; ``data`` are points and values that it is judged on."""
    shown = make_names(d, names, outputs)
    table = None if data is None else _points_and_values(d, data)
    points = None if table is None else table[0]
    if errors is None:
        errors = listed_errors(
            [("fitted error", d.fitted_error), ("held-out error", d.held_out_error)]
        )
    residuals = d.residuals
    if table is not None:
        approximation = d(table[0])
        rows = np.all(np.isfinite(approximation), axis=1)
        if not rows.any():
            raise InvalidOption("data lies outside the range of the branches, which end there")
        residuals = residuals_of(table[1][rows], approximation[rows])
        errors = (*errors, Errors("error on the data given", _error(table[1], approximation)))
    return model_view(d, *shown, points, errors=errors, residuals=residuals, **others)


def regressor_view(model: Any, *, names: Sequence[str] | None = None, **options: Any) -> ModelView:
    """A fitted DecoupledRegressor: what its function keeps is beside its coupled model, not y."""
    d: DecoupledFunction = model.decoupled_
    names = getattr(model, "feature_names_in_", None) if names is None else names
    square = getattr(model, "cv_errors_", {}).get(d.n_branches)
    crossed = None if square is None else np.full(d.n_outputs, 100 * np.sqrt(square))
    errors = [("beside the coupled model", d.fitted_error), ("cross-validated error", crossed)]
    bare = replace(d, residuals=None)
    return function_view(bare, names=names, errors=listed_errors(errors), **options)


def listed_errors(pairs: Sequence[tuple[str, Any]]) -> tuple[Errors, ...]:
    """Those errors that were measured."""
    return tuple(Errors(name, np.array(e, dtype=float)) for name, e in pairs if e is not None)


def model_view(
    d: DecoupledFunction, inputs: Names, outputs: Names, points: Array | None, **others: Any
) -> ModelView:
    """The view of a function whose names are checked, described at points where there are some."""
    if points is not None:
        points = points[np.linspace(0, len(points) - 1, min(MOST_POINTS, len(points))).astype(int)]
    description, even = described(d, inputs.short, outputs.short, points)
    defaults = {
        "key": "model",
        "saved": d,
        "code": 'import unbraid\n\nd = unbraid.load("model.json")\nvalues = d(points)',
    }
    return ModelView(
        function=d,
        inputs=inputs,
        outputs=outputs,
        description=description,
        even=even,
        z=None if points is None else d.transform(points),
        **{**defaults, **others},
    )


def make_names(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> tuple[Names, Names]:
    """Names of the inputs and of the outputs, checked."""
    found = (
        checked_names("names", d.input_names if names is None else names, d.n_inputs, "p"),
        checked_names("outputs", d.output_names if outputs is None else outputs, d.n_outputs, "f"),
    )
    inputs, targets = (Names(full, distinct(full)) for full in found)
    return inputs, targets


def described(
    d: DecoupledFunction, names: Sequence[str], outputs: Sequence[str], points: Array | None
) -> tuple[Description, bool]:
    """In words: at the points, at those that the branches keep, or else over an even spread."""
    if points is not None and np.all(np.isfinite(d(points))):
        try:
            return d.describe(points, names, outputs), False
        except UnbraidError:  # too few points
            pass
    try:
        return d.describe(None, names, outputs), False
    except UnbraidError:
        return _evenly(d).describe(None, names, outputs), True


def _evenly(d: DecoupledFunction) -> DecoupledFunction:
    """The same function with marks spread over every z, in random order: z taken as independent."""
    rng = np.random.default_rng(0)
    branches = []
    for branch in d.branches:
        z = rng.permutation(np.linspace(*branch.interval, NODES))
        branches.append(replace(branch, estimate=np.column_stack([z, branch(z)])))
    return replace(d, branches=tuple(branches))


def _points_and_values(d: DecoupledFunction, data: Any) -> tuple[Array, Array]:
    """Points (N, m) and values (N, n) in what the user passed."""
    if isinstance(data, Samples):
        data = (data.points, data.values)
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise InvalidOption("data must be Samples or a pair (points, values)")
    points, values = finite_array("points", data[0]), finite_array("values", data[1])
    points = points[:, None] if points.ndim == 1 and d.n_inputs == 1 else points
    values = values[:, None] if values.ndim == 1 else values
    fits = points.ndim == 2 and points.shape[1] == d.n_inputs and len(points) > 0
    if not fits or values.shape != (len(points), d.n_outputs):
        raise InvalidSamples(
            f"data has points {np.shape(data[0])} and values {np.shape(data[1])}: this function "
            f"needs (N, {d.n_inputs}) and (N, {d.n_outputs})"
        )
    return points, values


def _error(values: Array, approximation: Array) -> Array:
    """In percent; unknown where the function ends before the data do."""
    if not np.all(np.isfinite(approximation)):
        return np.full(values.shape[1], np.nan)
    return relative_error(values, approximation)
