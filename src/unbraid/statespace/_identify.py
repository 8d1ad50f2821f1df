"""Identification of linear and decoupled state-space models from records."""

from __future__ import annotations

import warnings
from typing import Any, Literal

from .._util.parallel import check_n_jobs
from .._util.progress import show_progress
from .._util.validation import check_integer, check_non_negative
from ..bases import Basis, BSpline
from ..dynamics._records import check_sampling_time
from ..errors import FitWarning, InvalidOptionError
from ..model._branch import Extrapolate, check_extrapolate
from ..sampling import RandomState
from ._estimation import prepare, to_fields
from ._identification import (
    SMALL_BASIS,
    SearchOptions,
    choose_splines,
    choose_states,
    identify_equations,
    spawn_seeds,
)
from ._linear import fit_linear_equations
from ._model import StateSpace
from ._stability import warn_of_instability
from ._starts import ModelForm

ORIGIN = "Identified as a state-space model."


def fit_linear(
    u: Any,
    y: Any,
    n_states: int | Literal["auto"] = "auto",
    *,
    feedthrough: bool = True,
    held_out: float = 0.2,
    weights: Any = None,
    sampling_time: Any = None,
    progress: bool | None = None,
) -> StateSpace:
    """The linear state-space model of least simulation error.

    Candidates from ARX models of several orders (Ho-Kalman) and from a subspace method are refined
    by Levenberg-Marquardt on the simulation error. The result is stable. Offsets and initial states
    are estimated.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
    n_states : int or "auto"
        "auto" takes the smallest order with 1.05 times the least held-out error.
    feedthrough : bool
        Whether u(t) acts on y(t).
    held_out : float
        Share of the samples, in blocks, that decides on "auto".
    weights : (T,) or a list of them, optional
    sampling_time : float, optional
        Seconds; a list, one per record, must agree.

    Examples
    --------
    >>> import numpy as np
    >>> u = np.random.default_rng(0).standard_normal(400)
    >>> y = np.zeros(400)
    >>> for t in range(399):
    ...     y[t + 1] = 0.8 * y[t] + u[t]
    >>> model = fit_linear(u, y, n_states=1)
    >>> model.A.round(6), bool(model.score(u, y).percent < 1e-6)
    (array([[0.8]]), True)
    """
    data, time = prepare(u, y, weights), check_sampling_time(sampling_time)
    with show_progress("Identifying", progress):
        states = choose_states(data, n_states, feedthrough, held_out)
        found = fit_linear_equations(data.problem, states.n_states, feedthrough)
    fields = to_fields(data, found, time, "A linear model.")
    return StateSpace(**fields, order_errors=states.errors)


def identify(
    u: Any,
    y: Any,
    n_states: int | Literal["auto"] = "auto",
    n_branches: int | Literal["auto"] = "auto",
    basis: Basis | None = None,
    *,
    extrapolate: Extrapolate = "linear",
    feedthrough: bool = True,
    n_starts: int = 8,
    held_out: float = 0.2,
    ridge: float | Literal["auto"] = "auto",
    weights: Any = None,
    sampling_time: Any = None,
    random_state: RandomState = None,
    n_jobs: int | None = 1,
    progress: bool | None = None,
) -> StateSpace:
    """Identify a nonlinear state-space model that is decoupled from the start.

    A linear model gets branches with random directions and without weight. Cubic and s|s| branches
    are refined on a short part of the records, the best starts go on in the requested basis and on
    all samples. More branches are also grown by a score test. Branches are kept if they lower the
    simulation error on held-out blocks of samples.

    Parameters
    ----------
    u, y : (T,), (T, channels), or lists of them for several records
    n_states : int or "auto"
        "auto" begins with the smallest order whose linear model has at most 1.25 times the least
        error. It adds states while the error on held-out blocks falls, tries the order of the best
        linear model, and removes states that do not help. Records of more than 5000 samples begin
        with the order of the best linear model.
    n_branches : int or "auto"
        "auto" adds branches while the error on held-out blocks falls by more than its standard
        error.
    basis : Basis, optional
        Of the branches; by default splines of 6 or, for more than 5000 samples, 12 coefficients,
        and up to four times as many with ``n_branches="auto"`` where that lowers the error on
        held-out blocks.
    extrapolate : {"linear", "basis", "constant"}
        Branches beyond the records.
    feedthrough : bool
        Whether u(t) acts on y(t).
    n_starts : int
    held_out : float
        Share of the samples, in blocks, on which the branches must lower the simulation error of
        the linear model; it decides on "auto". All samples are used in the end.
    ridge : float or "auto"
        Weight of a ridge on the branches, relative to that of a prior of unit variance. "auto"
        begins with 1 and raises it while the error on held-out blocks falls.
    weights, sampling_time
        As for ``fit_linear``.
    random_state : int, Generator or None
    n_jobs : int or None
        Processes for the starts, through joblib. The result does not depend on it.

    Returns
    -------
    StateSpace
        With fewer branches, or the linear model, and a ``FitWarning`` where branches do not lower
        the error on held-out samples. A ``StabilityWarning`` says that the model diverges at
        inputs as large as those of the records.
    """
    form = _check_form(basis, extrapolate, feedthrough, ridge)
    check_integer("n_starts", n_starts)
    check_n_jobs(n_jobs)
    if n_branches != "auto":
        check_integer("n_branches", n_branches, 0)
    data, time = prepare(u, y, weights), check_sampling_time(sampling_time)
    form = form if basis is not None else choose_splines(form, data)
    options = SearchOptions(
        data, form, spawn_seeds(random_state, n_starts), n_jobs, held_out, ridge == "auto"
    )
    with show_progress("Identifying", progress):
        states = choose_states(data, n_states, feedthrough, held_out)
        result = identify_equations(options, states, n_branches)
    fields = to_fields(data, result.found, time, ORIGIN)
    model = StateSpace(**fields, order_errors=states.errors)
    _warn_of_fewer_branches(n_branches, model.n_branches or 0)
    warn_of_instability(model)
    return model


def _warn_of_fewer_branches(wanted: int | str, n_branches: int) -> None:
    """Say that branches were left out because they do not validate."""
    if wanted == 0:
        return
    if n_branches == 0:
        message = (
            "no branch lowers the simulation error of the linear model on held-out samples: the "
            "linear model is returned"
        )
    elif isinstance(wanted, int) and n_branches < wanted:
        message = (
            f"{wanted} branches do not lower the simulation error on held-out samples: the model "
            f"has {n_branches}"
        )
    else:
        return
    warnings.warn(message, FitWarning, stacklevel=3)


def _check_form(basis: Any, extrapolate: Any, feedthrough: Any, ridge: Any) -> ModelForm:
    if basis is not None and not isinstance(basis, Basis):
        raise InvalidOptionError(f"basis is {basis!r}: pass a basis such as BSpline(8)")
    check_extrapolate(extrapolate)
    if extrapolate == "nan":
        raise InvalidOptionError("extrapolate='nan' cannot be simulated: choose 'linear'")
    if not isinstance(feedthrough, bool):
        raise InvalidOptionError(f"feedthrough must be True or False, got {feedthrough!r}")
    weight = 1.0 if ridge == "auto" else check_non_negative("ridge", ridge)
    return ModelForm(basis or BSpline(SMALL_BASIS), extrapolate, feedthrough, weight)
