"""What a page shows of a model: names, description, errors, a simulation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from .._util.tables import check_same_names, match_columns
from .._util.validation import count_noun, finite_array
from ..data._samples import Samples
from ..errors import InvalidOptionError, InvalidSamplesError
from ..metrics import relative_error
from ..model._describe import MIN_DESCRIBED_POINTS
from ..model._description import Description
from ..model._function import DecoupledFunction, with_extrapolation
from ..model._linear_panels import list_linear_panels
from ..model._names import resolve_names
from ..model._panels import Panel, list_panels
from ..model._residuals import Residuals, sample_residuals
from ..model._views import describe_function
from ._branch_view import BranchView, view_branches
from ._page_view import NamedErrors, Names, PageView, make_names, name_errors

UNIFORM_NODES = 200  # values of z per branch that stores no points
MOST_DESCRIBED_POINTS = 2000  # data points for shares and densities
LOAD_FUNCTION = 'import unbraid\n\nd = unbraid.load("model.json")\nvalues = d(points)'


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelView(PageView):
    """Everything that a page shows of a decoupled function or NARX model.

    ``uniform_z`` says that shares of the variance assume a uniform distribution of every z.
    ``z`` (N, r) belongs to the data, if known. ``points`` are those of the description.
    """

    function: DecoupledFunction
    inputs: Names
    description: Description
    branches: tuple[BranchView, ...]
    uniform_z: bool
    z: Array | None
    residuals: Residuals | None
    points: Array
    panels: tuple[Panel, ...] = ()
    n_panels_left_out: int = 0

    @property
    def dynamic(self) -> bool:
        """Whether the function is part of a NARX model."""
        return not isinstance(self.saved, DecoupledFunction)

    @property
    def size(self) -> str:
        d = self.function
        return f"{count_noun(d.n_branches, 'branch', 'es')}, {d.n_parameters:,} parameters"

    @property
    def n_parameters(self) -> int:
        return self.function.n_parameters

    @property
    def origin(self) -> str:
        return self.function.origin

    @property
    def noise(self) -> Array | None:
        return self.function.noise

    @property
    def converged(self) -> bool | None:
        return self.function.converged


def view_function(
    d: DecoupledFunction,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
    errors: tuple[NamedErrors, ...] | None = None,
    **others: Any,
) -> ModelView:
    """Return the view of a decoupled function.

    ``data`` are points and values at which its errors and residuals are computed.
    """
    shown = choose_names(d, names, outputs)
    if errors is None:
        errors = name_errors(("fitted error", d.fitted_error), ("held-out error", d.held_out_error))
    if data is None:
        return make_view(d, *shown, None, errors=errors, residuals=d.residuals, **others)
    points, values = _check_data(d, data)
    approximation = d(points)
    rows = np.all(np.isfinite(approximation), axis=1)
    if not rows.any():
        raise InvalidOptionError("data lies outside the range of the branches, which end there")
    error = np.full(d.n_outputs, np.nan)  # unknown if the function ends before the data
    if rows.all():
        error = relative_error(values, approximation)
    return make_view(
        d,
        *shown,
        points,
        errors=(*errors, NamedErrors("error on the data given", error)),
        residuals=sample_residuals(values[rows], approximation[rows]),
        **others,
    )


def view_regressor(model: Any, *, names: Sequence[str] | None = None, **options: Any) -> ModelView:
    """Return the view of a fitted DecoupledRegressor."""
    d: DecoupledFunction = model.decoupled_
    names = getattr(model, "feature_names_in_", None) if names is None else names
    square = getattr(model, "cv_errors_", {}).get(d.n_branches)
    validated = None if square is None else np.full(d.n_outputs, 100 * np.sqrt(square))
    errors = name_errors(("fitted error", d.fitted_error), ("cross-validated error", validated))
    return view_function(d, names=names, errors=errors, **options)


def make_view(
    d: DecoupledFunction,
    inputs: Names,
    outputs: Names,
    points: Array | None,
    dynamic: bool = False,
    **others: Any,
) -> ModelView:
    """Return the view of a function, described at the points if there are some.

    A dynamic model is shown as a linear model plus curved remainders.
    """
    if points is not None:
        count = min(MOST_DESCRIBED_POINTS, len(points))
        points = points[np.linspace(0, len(points) - 1, count).astype(int)]
    described, where, uniform_z = _choose_points(d, points)
    description = describe_function(described, where, inputs.short, outputs.short, dynamic)
    panels, left_out = (
        list_linear_panels(description) if dynamic else list_panels(description, where)
    )
    z = None if points is None else d.transform(points)
    defaults = {"key": "model", "saved": d, "code": LOAD_FUNCTION}
    return ModelView(
        function=d,
        inputs=inputs,
        outputs=outputs,
        description=description,
        branches=view_branches(d, description, inputs.short),
        uniform_z=uniform_z,
        z=z,
        points=where,
        panels=tuple(panels),
        n_panels_left_out=left_out,
        **{**defaults, **others},
    )


def choose_names(
    d: DecoupledFunction, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> tuple[Names, Names]:
    """Return the names of the inputs and of the outputs, checked."""
    names = d.input_names if names is None else names
    outputs = d.output_names if outputs is None else outputs
    inputs = resolve_names("names", names, d.n_inputs, "p")
    targets = resolve_names("outputs", outputs, d.n_outputs, "f")
    return make_names(inputs), make_names(targets)


def _choose_points(
    d: DecoupledFunction, points: Array | None
) -> tuple[DecoupledFunction, Array, bool]:
    """Return a function, where to describe it, and whether z is uniform there."""
    enough = points is not None and len(points) >= MIN_DESCRIBED_POINTS
    if points is not None and enough and np.all(np.isfinite(d(points))):
        return d, points, False
    if d.points is not None:
        return d, d.points, False
    return with_extrapolation(d, "linear"), _draw_points(d), True


def _draw_points(d: DecoupledFunction) -> Array:
    """Return points at which every z is uniform on its interval, as far as possible."""
    rng = np.random.default_rng(0)
    z = [rng.permutation(np.linspace(*branch.interval, UNIFORM_NODES)) for branch in d.branches]
    return np.asarray(np.stack(z, axis=1) @ np.linalg.pinv(d.V))


def _check_data(d: DecoupledFunction, data: Any) -> tuple[Array, Array]:
    """Return the points (N, m) and values (N, n) that the user passed."""
    if isinstance(data, Samples):
        check_same_names("data", data.input_names, d.input_names)
        data = (data.points, data.values)
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise InvalidOptionError("data must be Samples or a pair (points, values)")
    points = finite_array("points", match_columns(data[0], d.input_names))
    values = finite_array("values", data[1])
    points = points[:, None] if points.ndim == 1 and d.n_inputs == 1 else points
    values = values[:, None] if values.ndim == 1 else values
    fits = points.ndim == 2 and points.shape[1] == d.n_inputs and len(points) > 0
    if not fits or values.shape != (len(points), d.n_outputs):
        raise InvalidSamplesError(
            f"data has points {np.shape(data[0])} and values {np.shape(data[1])}: this function "
            f"needs (N, {d.n_inputs}) and (N, {d.n_outputs})"
        )
    return points, values
