"""Choosing on points that were not fitted: the basis, and the number of branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, Polynomial
from ..data._consistency import still_outputs
from ..data._samples import Samples
from ..data._splitting import thinned
from ..errors import UnbraidError
from ..metrics import jacobian_error, relative_error
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import STOPPED

MOST_COMPARED = 2000  # points on which bases are compared
MOST_COEFFICIENTS = 600  # of all branches together: more take minutes to compare
NO_WORSE = 1.02  # a smaller basis may have this many times the error of the best
PROMISING = 3.0  # times the least error: bases that are also tried with smoothing
TINY = 1e-7  # %: errors below it are rounding
EXACT = 1e-6  # %: a polynomial that leaves no more is the function itself
GOOD = 1e-3  # %: nothing below it is worth another coefficient of an approximation
IMPROVED = 0.95  # a branch more has to bring the error below this share of the best so far


def held_out_error(d: DecoupledFunction, held: Samples) -> Array:
    """Relative rms error on points that were not fitted, % an output."""
    return relative_error(held.values, d(held.points))


def merit(d: DecoupledFunction, samples: Samples) -> float:
    """Geometric mean of the errors of values and Jacobians in %, on points not fitted.

    Noise in one of the two does not hide what the other one knows.
    """
    return float(np.sqrt(value_error(d, samples) * max(error_of_jacobians(d, samples), TINY)))


def value_error(d: DecoupledFunction, samples: Samples) -> float:
    """Mean error of the values in %, on points not fitted."""
    return mean_error(held_out_error(d, samples))


def error_of_jacobians(d: DecoupledFunction, samples: Samples) -> float:
    """Relative error of the Jacobians in %, every input and output counting alike."""
    spread = samples.points.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    expected = samples.jacobians * scale
    size = np.sqrt(np.mean(expected**2, axis=(0, 2)))
    size = np.where((size > 0) & ~still_outputs(samples, scale), size, np.inf)[:, None]
    found = np.nan_to_num(d.jacobian(samples.points)) * scale
    return float(jacobian_error(expected / size, found / size))


def candidates(samples: Samples, n_branches: int) -> list[Basis]:
    """Bases to be compared, smallest first: those that the samples determine well."""
    bases: list[Basis] = [Polynomial(degree) for degree in (1, 2, 3, 4, 5, 7, 9, 12)]
    bases += [BSpline(count) for count in (8, 12, 16, 24, 32, 48, 64)]
    bases += [BSpline(count, degree=5) for count in (12, 20, 32, 64)]
    most = min(n_numbers(samples, n_branches) // (3 * n_branches), 2 * len(samples) // 3)
    most = min(most, max(MOST_COEFFICIENTS // n_branches, 15))
    small = [basis for basis in bases if basis.n_functions <= most]
    return sorted(small or bases[:1], key=lambda basis: basis.n_functions)


def n_numbers(samples: Samples, n_branches: int) -> int:
    """Independent numbers that the samples hold: values, and slopes along the branches."""
    return len(samples) * samples.n_outputs * (min(samples.n_inputs, n_branches) + 1)


def choose_basis(
    trial: Callable[[Basis, float, Samples], DecoupledFunction],
    judge: Callable[[DecoupledFunction, Samples], float],
    bases: Sequence[Basis],
    smoothings: Sequence[float],
    fitted: Samples,
    held: Samples | None,
) -> tuple[Basis, float]:
    """The smallest basis that is as good as the best on points not fitted, and its smoothing.

    ``trial(basis, smoothing, samples)`` gives the function made of that, ``judge`` its error;
    ``bases`` come smallest first. Without points to judge on, errors on the fitted ones decide.
    """
    fitted = thinned(fitted, MOST_COMPARED)
    judged = fitted if held is None else thinned(held, MOST_COMPARED)
    errors: list[tuple[float, Basis, float]] = []

    def attempt(basis: Basis, smoothing: float) -> float:
        try:
            d = trial(basis, smoothing, fitted)
            error = judge(d, judged)
            if held is None:  # a fit is better than it should be by what it spent
                spent = d.n_parameters / n_numbers(fitted, d.n_branches)
                error /= max(1 - spent, 0.01)
        except (UnbraidError, np.linalg.LinAlgError):
            return np.inf
        errors.append((error, basis, smoothing))
        return error

    for basis in bases:
        if attempt(basis, smoothings[0]) <= EXACT and isinstance(basis, Polynomial):
            return basis, smoothings[0]  # the function itself
    if not errors:
        return bases[0], smoothings[0]
    promising = [row for row in errors if row[0] <= PROMISING * min(row[0] for row in errors)]
    for _, basis, _ in promising:
        for smoothing in smoothings[1:]:
            attempt(basis, smoothing)
    enough = max(NO_WORSE * min(row[0] for row in errors), GOOD)
    good = [row for row in errors if row[0] <= enough]
    _, basis, smoothing = min(good, key=lambda row: (row[1].n_functions, row[0]))
    return basis, smoothing


@dataclass(frozen=True, eq=False)
class Row:
    """One number of branches: mean errors in % and numbers stored; None where nothing was held."""

    n_branches: int
    fitted_error: float
    held_out_error: float | None
    n_parameters: int
    seconds: float

    @property
    def error(self) -> float:
        """The held-out error, or the fitted one where nothing was held out."""
        return self.fitted_error if self.held_out_error is None else self.held_out_error

    def __str__(self) -> str:
        held = "none" if self.held_out_error is None else f"{self.held_out_error:.3g} %"
        return (
            f"r = {self.n_branches:2d}: error {self.fitted_error:.3g} % fitted, {held} held out, "
            f"{self.n_parameters} parameters"
        )


@dataclass(frozen=True)
class Choice:
    """The number of branches chosen, the table it was chosen from, and why it ended."""

    function: DecoupledFunction
    table: tuple[Row, ...]
    reason: str


def grow(
    solve: Callable[[int, Sequence[DecoupledFunction]], DecoupledFunction],
    tolerance: float,
    max_branches: int,
    most_parameters: int,
) -> Choice:
    """Add branches until the held-out error meets a tolerance or stops falling.

    ``solve(r, known)`` decouples with r branches, starting also from what is known. A function of
    more than ``most_parameters`` numbers is not considered.
    """
    rows: list[Row] = []
    functions: list[DecoupledFunction] = []
    reason = f"max_branches = {max_branches} reached while still improving"
    for r in range(1, max_branches + 1):
        try:
            d = solve(r, functions[-1:])
        except UnbraidError as error:
            if not functions:
                raise
            reason = f"{r} branches could not be had: {error}"
            break
        if functions and d.n_parameters > most_parameters:
            reason = f"{r} branches would take more numbers than there are values"
            break
        functions.append(d)
        rows.append(_row(d))
        ended = _ended(d, rows, tolerance)
        if ended:
            reason = ended
            break
    enough = max(tolerance, min(row.error for row in rows) / IMPROVED)
    chosen = next(i for i, row in enumerate(rows) if row.error <= enough)
    return Choice(functions[chosen], tuple(rows), reason)


def _ended(d: DecoupledFunction, rows: Sequence[Row], tolerance: float) -> str:
    """Why no more branches are needed; nothing where they are."""
    kind = "fitted" if rows[-1].held_out_error is None else "held-out"
    if d.solution is not None and d.solution.stop_reason == STOPPED:
        return STOPPED
    if rows[-1].error <= tolerance:
        return f"the {kind} error met the tolerance of {tolerance:g} %"
    before = [row.error for row in rows[:-2]]
    if before and min(row.error for row in rows) > IMPROVED * min(before):
        return f"two more branches did not lower the {kind} error"
    return ""


def _row(d: DecoupledFunction) -> Row:
    held = None if d.held_out_error is None else mean_error(d.held_out_error)
    seconds = d.solution.seconds if d.solution is not None else 0.0
    return Row(d.n_branches, mean_error(d.fitted_error), held, d.n_parameters, seconds)


def pruned(d: DecoupledFunction, samples: Samples, tolerance: float) -> DecoupledFunction:
    """Without the branches that move no output by more than a tenth of the tolerance, in %."""
    z = d.transform(samples.points)
    spread = np.array([branch(z[:, i]).std() for i, branch in enumerate(d.branches)])
    outputs = samples.values.std(axis=0)
    moved = 100 * np.abs(d.W) * spread / np.where(outputs > 0, outputs, np.inf)[:, None]
    keep = np.flatnonzero(moved.max(axis=0) > 0.1 * tolerance)
    if keep.size in (0, d.n_branches):
        return d
    offset = d.offset + sum(
        d.W[:, i] * d.branches[i](z[:, i]).mean() for i in set(range(d.n_branches)) - set(keep)
    )
    return replace(
        d,
        W=d.W[:, keep],
        V=d.V[:, keep],
        branches=tuple(d.branches[i] for i in keep),
        offset=offset,
    )
