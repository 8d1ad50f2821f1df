"""``decouple``: from a model or samples to a decoupled function."""

from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from typing import Any, Literal

import numpy as np

from ._util.progress import show_progress
from ._util.tables import check_same_names
from ._util.threads import limit_threads
from ._util.validation import check_integer, is_real
from .bases import Basis
from .data._samples import Samples
from .data._splitting import split_samples
from .errors import InvalidOptionError, InvalidSamplesError
from .model._branch import Extrapolate, check_extrapolate
from .model._branch_fit import check_basis
from .model._function import DecoupledFunction
from .pipeline._branch_count import BranchCount
from .pipeline._diagnostics import emit_warnings
from .pipeline._pipeline import finish, fit, fit_selected_count, run_without_outliers
from .pipeline._provenance import attach_provenance
from .pipeline._state import FitSettings, FitState
from .pipeline._target import make_target
from .solvers import METHODS
from .solvers._base import Solver, capabilities_of
from .solvers._problem import check_n_branches
from .sources import sample

MIN_POINTS = 4
MANY_NUMBERS = 1_000_000  # of the Jacobians: from here on several threads pay


def decouple(
    model: Any,
    points: Any = None,
    n_branches: int | Literal["auto"] | None = None,
    *,
    method: str | Solver = "varpro",
    basis: Basis | Literal["auto"] | None = "auto",
    extrapolate: Extrapolate = "linear",
    jacobian: Callable[..., Any] | None = None,
    refine: bool | None = None,
    held_out: float | Samples | None = None,
    target: Any = None,
    robust: bool = False,
    simplify: bool = True,
    tolerance: float = 0.01,
    max_branches: int | None = None,
    inputs: Any = None,
    fixed: Any = None,
    outputs: Any = None,
    progress: bool | None = None,
    **options: Any,
) -> DecoupledFunction:
    """Write a model as ``W g(V' p) + c`` with functions g of one variable.

    Parameters
    ----------
    model : callable, model, file or Samples
        A function of m inputs and n outputs, a model or file of any kind that ``sample`` takes, or
        samples of one.
    points : (N, m)
        Operating points that cover the domain of interest; not with Samples or a file of them.
    n_branches : int or "auto"
        Number of univariate functions, r. "auto", the default, adds directions until more of them
        gain little or the held-out error is below ``tolerance``, and simplifies them; every
        output has its own curve along a direction, and so its own branch. ``solution.table`` then
        has the errors by number. A function that is a sum of few branches is returned as such.
    method : {"varpro", "implicit", "explicit", "cpd"} or a solver object
        Variable projection, the paper's two methods, and their ancestor.
    basis : Basis, "auto" or None
        What the branches are made of: ``Polynomial(degree)``, ``BSpline(n_coefficients)``,
        ``PiecewiseLinear``, ``Fourier``, ``RBF``, ``SignedSquare``, ``CustomBasis``. "auto" takes
        the smallest of several polynomials and B-splines that is as good as the best on held-out
        points (``BSpline(12)`` with the paper's methods); None keeps the estimate at the points
        itself.
    extrapolate : {"linear", "constant", "basis", "nan"}
        How a branch continues outside the range of the data.
    jacobian : callable, optional
        Jacobian of the model, see ``sample``.
    refine : bool, optional
        Polish everything on the values of f afterwards, eq. (4); kept only where it lowers the
        held-out error. By default with "varpro" only.
    held_out : float or Samples, optional
        Share of the points kept for ``held_out_error`` and for the choices above; a fifth with
        "varpro", none with the paper's methods. The points join the others for a last polish. With
        "varpro" and up to 5000 points, ``held_out_error`` is then cross-validated on all of them.
        Samples of your own are only ever judged on.
    target : (N, n), optional
        Data that the model was fitted to, at the points. With n_branches="auto", an error that is
        small beside that of the model is good enough. ``solution.details`` then has
        ``model_error`` and ``data_error``: errors of the model and of the result against the data,
        in %.
    robust : bool
        Leave out points whose value or Jacobian is grossly wrong; ``solution.outliers`` has their
        rows. Without it, a warning names them.
    simplify : bool
        Set entries of V to zero where the held-out error grows by 5 % of itself at most. All
        branches stay.
    tolerance : float
        Of n_branches="auto": held-out error in % that is good enough.
    max_branches : int, optional
        Of n_branches="auto": most branches of the result. By default there is no such limit, and
        at most 12 directions.
    inputs, fixed, outputs
        Which inputs move, what the others are, and which outputs to keep, see ``sample``.
    progress : bool, optional
        Show a line with the number of branches, the stage and the time on standard error: True
        always, False never; by default in a terminal or notebook, after two seconds.
    **options
        Of the method: ``n_starts``, ``max_iterations``, ``random_state``, ``callback``,
        ``weights``, ``n_jobs`` and its own, see ``unbraid.solvers``.

    Returns
    -------
    DecoupledFunction

    Examples
    --------
    >>> import numpy as np, unbraid
    >>> points = unbraid.sampling.uniform(80, [-1, -1], [1, 1], random_state=0)
    >>> d = decouple(lambda p: np.sin(p[:, :1] + p[:, 1:]), points, n_branches=1, random_state=0)
    >>> bool(d.held_out_error[0] < 0.01)
    True
    """
    n_asked = _check_branch_count(n_branches)
    solver = _make_solver(method, options)
    if hasattr(solver, "validate"):
        solver.validate()  # before any work is done
    capabilities = capabilities_of(solver)
    if not isinstance(basis, str) or basis != "auto":
        check_basis(basis)
    check_extrapolate(extrapolate)
    samples = samples_of(
        model, points, jacobian=jacobian, inputs=inputs, fixed=fixed, outputs=outputs
    )
    _check_samples(samples, n_asked)
    tolerance = _check_tolerance(tolerance)
    goal = None if target is None else make_target(target, samples)
    enough = tolerance if goal is None else max(tolerance, goal.tolerance)
    if max_branches is not None:
        check_integer("max_branches", max_branches)
    for name, flag in (
        ("refine", refine),
        ("robust", robust),
        ("simplify", simplify),
        ("progress", progress),
    ):
        if flag is not None and not isinstance(flag, bool):
            raise InvalidOptionError(f"{name} must be True or False, got {flag!r}")
    refines = capabilities.default_refine if refine is None else refine
    settings = FitSettings(solver, basis, refines, simplify)

    def run(samples: Samples) -> tuple[FitState, BranchCount | None]:
        fitted, held = _split(samples, held_out, capabilities.default_held_out)
        if n_asked == "auto":
            state, count = fit_selected_count(
                settings, fitted, held, enough, max_branches, samples.values.size
            )
            count = count if goal is None or enough == tolerance else goal.explain(count)
        else:
            state, count = fit(settings, fitted, held, n_asked), None
        return finish(state, samples, held_out_given=isinstance(held_out, Samples)), count

    small = samples.jacobians.size < MANY_NUMBERS
    with show_progress("Decoupling", progress), limit_threads(small):
        state, count = run_without_outliers(run, samples) if robust else run(samples)
    emit_warnings(state, count)
    if goal is not None:
        state = state.with_details(goal.measure(state.function, samples.points))
    d = attach_provenance(state, samples, extrapolate, count)
    return d.named(samples.input_names)


def _check_samples(samples: Samples, n_branches: int | Literal["auto"]) -> None:
    """Refuse samples that cannot be decoupled, before any work is done."""
    if samples.n_points < MIN_POINTS:
        raise InvalidSamplesError(
            f"{samples.n_points} points are too few to see a branch; points has one row per point: "
            f"use at least {MIN_POINTS}, better 50 or more per branch"
        )
    if n_branches != "auto":
        check_n_branches(samples, n_branches)
    elif not np.any(np.ptp(samples.values, axis=0) > 0) and np.any(samples.jacobians):
        raise InvalidSamplesError(
            "the values do not vary, and n_branches='auto' is judged by them: say how many"
        )


def _check_tolerance(tolerance: Any) -> float:
    if not is_real(tolerance) or not 0 < tolerance < np.inf:
        raise InvalidOptionError(f"tolerance must be a positive number of %, got {tolerance!r}")
    return float(tolerance)


def _split(samples: Samples, held_out: Any, default: float) -> tuple[Samples, Samples | None]:
    if isinstance(held_out, Samples):
        if (held_out.n_inputs, held_out.n_outputs) != (samples.n_inputs, samples.n_outputs):
            raise InvalidSamplesError(
                f"held_out has {held_out.n_inputs} inputs and {held_out.n_outputs} outputs, the "
                f"samples {samples.n_inputs} and {samples.n_outputs}"
            )
        check_same_names("held_out", held_out.input_names, samples.input_names)
        if not np.any(held_out.values.std(axis=0) > 0):
            raise InvalidSamplesError("held_out does not vary: pass points that cover the domain")
        return samples, held_out
    return split_samples(samples, default if held_out is None else held_out)


def samples_of(model: Any, points: Any, **keywords: Any) -> Samples:
    if isinstance(model, Samples):
        unused = [name for name, value in keywords.items() if value is not None]
        if points is not None or unused:
            raise InvalidOptionError(
                "Samples hold their own points and Jacobians: decouple(samples, n_branches=...)"
            )
        return model
    return sample(model, points, **keywords)


def _check_branch_count(n_branches: Any) -> int | Literal["auto"]:
    if n_branches is None or (isinstance(n_branches, str) and n_branches == "auto"):
        return "auto"
    return check_integer("n_branches", n_branches)


def _make_solver(method: str | Solver, options: dict[str, Any]) -> Solver:
    """The solver of a method, with its options."""
    if not isinstance(method, str):
        if not hasattr(method, "solve") or isinstance(method, type):
            raise InvalidOptionError(
                f"method is {method!r}: a name or an object with solve() is needed"
            )
        if options:
            raise InvalidOptionError(f"options {sorted(options)} belong into the solver object")
        return method
    if method not in METHODS:
        raise InvalidOptionError(
            f"method is {method!r}: choose one of {', '.join(map(repr, METHODS))}"
        )
    kind = METHODS[method]
    known = _names(kind)
    unknown = sorted(set(options) - set(signature(kind).parameters))
    for name in unknown:
        owners = [other for other, s in METHODS.items() if name in signature(s).parameters]
        if owners:
            raise InvalidOptionError(f"{name!r} belongs to method={' or '.join(map(repr, owners))}")
    if unknown:
        raise InvalidOptionError(
            f"{method} has no option {', '.join(map(repr, unknown))}; it takes {', '.join(known)}"
        )
    solver: Solver = kind(**options)
    return solver


def _names(solver: type[Any]) -> list[str]:
    return [field.name for field in fields(solver)]
