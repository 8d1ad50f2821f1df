"""The decoupled function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from .._typing import Array, Mask
from .._util.documents import write_document
from .._util.tables import match_columns
from .._util.validation import check_path, count_noun, finite_array
from ..errors import InvalidOptionError
from ..solvers._base import Solution
from ._branch import Branch, Extrapolate
from ._branch_files import branch_to_dict
from ._description import Description
from ._error_summary import format_error_list
from ._evaluation import as_point_table, differentiate, evaluate, is_inside, project
from ._fit_record import FitRecord
from ._html import render_function
from ._names import resolve_names
from ._residuals import Residuals
from ._validation import check_shapes
from ._views import describe_function, plot_function

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HELD_OUT_FIELDS = ("held_out_error", "held_out_error_se", "held_out_error_inside")
NO_HELD_OUT_ERRORS: dict[str, Any] = dict.fromkeys(HELD_OUT_FIELDS)
ERROR_FIELDS = ("fitted_error", *HELD_OUT_FIELDS, "noise")


@dataclass(frozen=True, eq=False)
class DecoupledFunction:
    """``f(p) ~ W g(V' p) + offset``, every g_i a function of one variable.

    Attributes
    ----------
    W : (n, r), V : (m, r), offset : (n,)
        Unit columns, largest entry positive; the branches carry the size.
    branches : tuple of Branch
        Largest share in the outputs first.
    solution : Solution or None
        The result of the solver; not saved in files.
    fitted_error : (n,) or None
        Relative rms error on the operating points, in percent, eq. (rel_er).
    held_out_error : (n,) or None
        The error to expect on new points: cross-validated, or measured on points held out.
    held_out_error_se : (n,) or None
        Standard error of ``held_out_error``.
    held_out_error_inside : (n,) or None
        ``held_out_error`` of points inside the range of every branch.
    spread : (m,) or None
        Standard deviation of every input at the operating points.
    residuals : Residuals or None
        Values and residuals at up to 500 of the operating points.
    noise : (n,) or None
        Estimated noise of the data in percent of the spread, where it was fitted to data.
    points : (K, m) or None
        Up to 1000 of the operating points, at which it is described and plotted.
    origin : str
        How the function was obtained, as text; saved in files.
    input_names, output_names : tuple of str or None
        Used by descriptions, plots and exports, see ``named``.
    fit : FitRecord or None
        Method, status, ``unique`` and ``identified`` of the fit; kept in files.

    Examples
    --------
    >>> import unbraid
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
    ...                      basis=unbraid.Polynomial(2), random_state=0)
    >>> float(abs(d([[0.5, -0.4]])[0, 0] + 0.2)) < 1e-3
    True
    """

    W: Array
    V: Array
    branches: tuple[Branch, ...]
    offset: Array
    solution: Solution | None = field(default=None, repr=False)
    fitted_error: Array | None = None
    held_out_error: Array | None = None
    spread: Array | None = field(default=None, repr=False)
    residuals: Residuals | None = field(default=None, repr=False)
    origin: str = field(default="", repr=False)
    input_names: tuple[str, ...] | None = field(default=None, repr=False)
    output_names: tuple[str, ...] | None = field(default=None, repr=False)
    fit: FitRecord | None = field(default=None, repr=False)
    held_out_error_se: Array | None = field(default=None, repr=False)
    held_out_error_inside: Array | None = field(default=None, repr=False)
    points: Array | None = field(default=None, repr=False)
    noise: Array | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, ndim in (("W", 2), ("V", 2), ("offset", 1)):
            object.__setattr__(self, name, finite_array(name, getattr(self, name), ndim))
        if not isinstance(self.branches, Sequence) or not all(map(callable, self.branches)):
            raise InvalidOptionError(f"branches must be a list of Branch, got {self.branches!r}")
        object.__setattr__(self, "branches", tuple(self.branches))
        check_shapes(self.W, self.V, len(self.branches), self.offset)

    @property
    def converged(self) -> bool | None:
        """Whether the fit converged; None where that is unknown."""
        return None if self.fit is None else self.fit.status.converged

    @property
    def largest_error(self) -> Array | None:
        """The larger of fitted and held-out error, (n,); None if both are unknown."""
        known = [e for e in (self.fitted_error, self.held_out_error) if e is not None]
        return np.max(known, axis=0) if known else None

    @property
    def n_inputs(self) -> int:
        return int(self.V.shape[0])

    @property
    def n_outputs(self) -> int:
        return int(self.W.shape[0])

    @property
    def n_branches(self) -> int:
        return len(self.branches)

    @property
    def n_parameters(self) -> int:
        """Entries of W and V that are not zero, coefficients of branches, offset."""
        coefficients = sum(branch.n_parameters for branch in self.branches)
        n_entries = np.count_nonzero(self.W) + np.count_nonzero(self.V)
        return int(n_entries + coefficients + self.offset.size)

    @property
    def degrees_of_freedom(self) -> int:
        """Parameters, less one scale per branch that W and g share."""
        return self.n_parameters - self.n_branches

    def named(
        self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
    ) -> DecoupledFunction:
        """The same function with new names of inputs and outputs; None keeps the old.

        A name may contain the unit, "speed [m/s]". Exports have the names in their comments.

        >>> import numpy as np, unbraid
        >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
        >>> d = unbraid.decouple(lambda p: p[:, 0] ** 2, points, n_branches=1, random_state=0)
        >>> d.named(["speed", "load"], ["force"]).describe().words
        'force is a quadratic function of speed (100 %).'
        """
        named = {"input_names": self.input_names, "output_names": self.output_names}
        if inputs is not None:
            named["input_names"] = resolve_names("inputs", inputs, self.n_inputs, "p")
        if outputs is not None:
            named["output_names"] = resolve_names("outputs", outputs, self.n_outputs, "f")
        return replace(self, **named)  # type: ignore[arg-type]

    def transform(self, points: Any) -> Array:
        """z = V' p, (N, r)."""
        return project(self.V, self._table(points))

    @overload
    def __call__(self, points: Any, return_inside: Literal[False] = False) -> Array: ...

    @overload
    def __call__(self, points: Any, return_inside: Literal[True]) -> tuple[Array, Mask]: ...

    def __call__(self, points: Any, return_inside: bool = False) -> Array | tuple[Array, Mask]:
        """Values (N, n), and on request which points are inside the range of the data.

        Parameters
        ----------
        points : (N, m)
            The columns of a table with names are matched with ``input_names``.
        return_inside : bool
            Also return ``inside`` (N,): whether z of every branch is in the range of its data. At
            all other points the function extrapolates.

        Examples
        --------
        >>> import unbraid
        >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
        >>> d = unbraid.decouple(lambda p: p[:, 0] ** 2, points, n_branches=1, random_state=0)
        >>> values, inside = d([[0.5, 0.0], [2.0, 0.0]], return_inside=True)
        >>> inside.tolist()
        [True, False]
        """
        table = self._table(points)
        values = evaluate(self.W, self.V, self.branches, self.offset, table)
        if not return_inside:
            return values
        return values, is_inside(self.branches, project(self.V, table))

    def jacobian(self, points: Any) -> Array:
        """Jacobians (N, n, m), eq. (Jac_d)."""
        return differentiate(self.W, self.V, self.branches, self._table(points))

    def _table(self, points: Any) -> Array:
        return as_point_table(points, self.n_inputs, self.input_names)

    def plot(
        self,
        path: str | Path | None = None,
        names: Sequence[str] | None = None,
        *,
        outputs: Sequence[str | int] | None = None,
        ax: Any = None,
        figsize: tuple[float, float] | None = None,
    ) -> Figure:
        """Plot one panel per term of ``describe``, the largest share first.

        Shown are the curve with its band (two standard errors), the estimate and the data.
        ``names`` are those of the inputs, ``outputs`` the outputs to show, ``ax`` axes to draw on.
        Without ``points`` there is one panel per branch. Needs the extra ``plot``.
        """
        return plot_function(self, path, names, outputs, ax, figsize)

    def describe(
        self,
        points: Any = None,
        names: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Description:
        """Describe the function: directions, curves, shares of the variance, words.

        Parameters
        ----------
        points : (N, m), optional
            Where shares are taken; by default the operating points that were kept.
        names, outputs : list of str, optional
            Names of the inputs and outputs; by default the function's own, or p1, p2, ... and
            f1, f2, ...

        Examples
        --------
        >>> import numpy as np, unbraid
        >>> points = unbraid.sampling.uniform(200, [-1, -1], [1, 1], random_state=0)
        >>> f = lambda p: (3 * p[:, :1] + 4 * p[:, 1:]) ** 2
        >>> d = unbraid.decouple(f, points, n_branches=1, random_state=0)
        >>> print(d.describe(names=["speed", "load"], outputs=["force"]).words)
        force is a quadratic function of 0.81 load + 0.59 speed (100 %).
        """
        points = match_columns(points, self.input_names)
        return describe_function(self, points, names, outputs)

    def to_dict(self) -> dict[str, Any]:
        """A document that ``function_from_dict`` turns back into the function."""
        errors = {name: getattr(self, name) for name in ERROR_FIELDS}
        return {
            "W": self.W,
            "V": self.V,
            "offset": self.offset,
            "branches": [branch_to_dict(branch) for branch in self.branches],
            "spread": self.spread,
            "points": self.points,
            "residuals": None
            if self.residuals is None
            else {"values": self.residuals.values, "errors": self.residuals.errors},
            "origin": self.origin,
            "fit": None if self.fit is None else self.fit.to_dict(),
            "input_names": self.input_names,
            "output_names": self.output_names,
            **{
                name: None if e is None or not np.all(np.isfinite(e)) else e
                for name, e in errors.items()
            },
        }

    def save(self, path: str | Path) -> Path:
        """Write one file: JSON, or a smaller binary one if its name ends in .npz."""
        return write_document(check_path(path), self.to_dict())

    def __repr__(self) -> str:
        error = ""
        for name, value in (("fitted", self.fitted_error), ("held out", self.held_out_error)):
            if value is not None:
                error += f", {name} {format_error_list(value)} %"
        return (
            f"DecoupledFunction({count_noun(self.n_inputs, 'input')}, "
            f"{count_noun(self.n_outputs, 'output')}, "
            f"{count_noun(self.n_branches, 'branch', 'es')}, "
            f"{self.n_parameters} parameters{error})"
        )

    def _repr_html_(self) -> str:
        return render_function(self)


def with_extrapolation(d: DecoupledFunction, extrapolate: Extrapolate) -> DecoupledFunction:
    """The function with another extrapolation of its branches."""
    branches = (replace(branch, extrapolate=extrapolate) for branch in d.branches)
    return replace(d, branches=tuple(branches))
