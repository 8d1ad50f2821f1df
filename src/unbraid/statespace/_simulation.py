"""Free-run simulation as the solution of a block-bidiagonal system of equations.

``x(t+1) = F(x(t), u(t))`` for all t has a Jacobian with identities on its diagonal and
``-dF/dx`` below it. A Newton step is one banded substitution, and so are the sensitivities to
parameters. Windows of samples hand their last state to the next window. Where Newton does not
converge, windows get shorter, and at last a loop takes over. All of them give the same values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy

from .._typing import Array
from ..errors import SamplingError

WINDOW = 2048  # samples of a Newton solve: its arrays stay in the cache
SMALLEST_NEWTON_WINDOW = 16  # samples; a loop is as fast on fewer
MAX_WINDOW_STEPS = 20  # Newton steps per window
STATE_TOLERANCE = 1e-13  # residual relative to the size of the states: only rounding is left
STATE_STALL_TOLERANCE = 1e-9  # residual at which a step without progress counts as convergence
SMALLEST_STATE = 1e-9  # states below this share of the largest are compared with that share
DEFAULT_STATE_LIMIT = 1e8  # states beyond it mean divergence, in standard deviations or units
LOOPED_SIZE = 200  # entries of a state and its sensitivities from which a loop is the faster way


class Transition(Protocol):
    """A static map from [x; u] to [next x; y]."""

    @property
    def vectorised(self) -> bool: ...

    @property
    def rounding(self) -> float: ...

    def values(self, table: Array) -> Array: ...

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]: ...


@dataclass(frozen=True, eq=False)
class StateRun:
    """A simulated record: states (T + 1, n_x), outputs (T, n_y), where it diverged."""

    x: Array
    y: Array
    diverged_at: int | None = None
    looped: int = 0  # samples that needed the loop


def simulate_states(
    system: Transition,
    u: Array,
    x0: Array,
    n_outputs: int,
    guess: Array | None = None,
    limit: float | Array = DEFAULT_STATE_LIMIT,
    newton_only: bool = False,
    is_enough: Callable[[slice, Array], bool] | None = None,
) -> StateRun:
    """Simulate from the state x0 over the inputs u (T, n_u).

    A guess of the states (T + 1, n_x) saves iterations. With ``newton_only`` a record on which
    Newton does not converge in windows of full length counts as diverged, and so does one that
    ``is_enough``, which gets every window and its outputs, ends.
    """
    n_samples, n = len(u), x0.size
    x, y = np.full((n_samples + 1, n), np.nan), np.full((n_samples, n_outputs), np.nan)
    x[0] = x0
    begin, looped = 0, 0
    window = WINDOW if system.vectorised else SMALLEST_NEWTON_WINDOW
    reach = np.abs(x0)
    while begin < n_samples:
        end = min(begin + window, n_samples)
        start = None if guess is None else guess[begin + 1 : end + 1]
        solved = None
        if system.vectorised:
            solved = _solve_window(system, u[begin:end], x[begin], start, reach, limit)
        if solved is not None:
            x[begin + 1 : end + 1], y[begin:end] = solved[:, :n], solved[:, n:]
            if is_enough is not None and is_enough(slice(begin, end), y[begin:end]):
                return StateRun(x, y, end, looped)
            begin, window = end, min(2 * window, WINDOW)
        elif newton_only:
            return StateRun(x, y, begin, looped)
        elif window > SMALLEST_NEWTON_WINDOW and system.vectorised:
            window = max(window // 4, SMALLEST_NEWTON_WINDOW)
            continue
        else:
            diverged_at = _run_loop(system, u, x, y, begin, end, limit)
            looped += end - begin
            if diverged_at is not None:
                return StateRun(x, y, diverged_at, looped)
            begin = end
        reach = np.maximum(reach, np.abs(x[begin]))
    return StateRun(x, y, None, looped)


def _solve_window(
    system: Transition,
    u: Array,
    first: Array,
    guess: Array | None,
    reach: Array,
    limit: float | Array,
) -> Array | None:
    """[next x; y] of all samples of a window, or None if Newton does not converge."""
    n = first.size
    columns = np.arange(n)
    x = np.empty((len(u) + 1, n))
    x[0], x[1:] = first, first if guess is None else guess
    tight = max(STATE_TOLERANCE, system.rounding)
    loose = max(STATE_STALL_TOLERANCE, 100 * system.rounding)
    zero = np.zeros((n, 1))
    last = np.inf
    for _ in range(MAX_WINDOW_STEPS):
        try:
            with np.errstate(all="ignore"):
                values, slopes = system.linearise(np.concatenate([x[:-1], u], axis=1), columns)
        except SamplingError:  # the function refuses an iterate; the loop may never go there
            return None
        residual = values[:, :n] - x[1:]
        with np.errstate(all="ignore"):
            scale = np.maximum(np.maximum.accumulate(np.abs(values[:, :n])), reach)
            scale = np.maximum(scale, SMALLEST_STATE * scale.max(axis=1, keepdims=True) + 1e-300)
            worst = float((np.abs(residual) / scale).max())
        if not (np.isfinite(worst) and np.all(np.isfinite(slopes))):
            return None
        if worst <= tight or (worst <= loose and worst > 0.5 * last):
            is_bounded = np.all(np.abs(values[:, :n]) <= limit) and np.all(np.isfinite(values))
            return values if is_bounded else None
        step = solve_recursion(slopes[:, :n], residual[:, :, None], zero)
        if not np.all(np.isfinite(step)):
            return None
        x += step[:, :, 0]
        if worst <= last < np.inf and worst * (worst / last) ** 2 <= STATE_TOLERANCE:
            values[:, :n] = x[1:]  # convergence is quadratic: nothing is left to check
            values[:, n:] += (slopes[:, n:] @ step[:-1])[:, :, 0]
            is_bounded = np.all(np.abs(x) <= limit) and np.all(np.isfinite(values))
            return values if is_bounded else None
        last = worst
    return None


def _run_loop(
    system: Transition, u: Array, x: Array, y: Array, begin: int, end: int, limit: float | Array
) -> int | None:
    """Simulate in place, sample by sample; return where it diverged, or None."""
    n = x.shape[1]
    for t in range(begin, end):
        with np.errstate(all="ignore"):
            row = system.values(np.concatenate([x[t], u[t]])[None])[0]
        if not (np.all(np.isfinite(row)) and np.all(np.abs(row[:n]) <= limit)):
            return t
        x[t + 1], y[t] = row[:n], row[n:]
    return None


def propagate(slopes: Array, direct: Array, first: Array) -> Array:
    """Turn derivatives of [next x; y] at fixed x into total ones, in place.

    ``slopes`` (N, n + n_y, n) are derivatives by x, ``direct`` (N, n + n_y, q) those by q others,
    ``first`` (n, q) is the derivative of the first state. Returns that of the last state.
    """
    n = slopes.shape[2]
    if n * direct.shape[2] < LOOPED_SIZE:
        total = solve_recursion(slopes[:, :n], direct[:, :n], first)
        direct[:, n:] += slopes[:, n:] @ total[:-1]
        direct[:, :n] = total[1:]
        return np.asarray(total[-1])
    last = first
    for slope, row in zip(slopes, direct, strict=True):  # LAPACK would go column by column
        row += slope.dot(last)
        last = row[:n]
    return last.copy()


def solve_recursion(slopes: Array, right: Array, first: Array) -> Array:
    """Solve ``x_0 = first, x_(k+1) = slopes_k x_k + right_k``.

    There may be many right-hand sides: ``slopes`` is (N, n, n), ``right`` (N, n, q) and ``first``
    (n, q); the result is (N + 1, n, q).
    """
    n_samples, n, q = right.shape
    size = (n_samples + 1) * n
    band = np.zeros((2 * n, size), order="F")
    for column in range(n):
        for row in range(n):
            entries = slice(column, n_samples * n, n)
            band[n + row - column, entries] = -slopes[:, row, column]
    unknowns = np.empty((size, q), order="F")
    unknowns[:n] = first
    unknowns[n:] = right.reshape(-1, q)
    solved, _ = scipy.linalg.lapack.dtbtrs(band, unknowns, uplo="L", diag="U", overwrite_b=True)
    return np.asarray(solved.reshape(n_samples + 1, n, q))
