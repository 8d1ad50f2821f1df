"""Free-run simulation as the solution of a triangular system of equations.

``y_k = F(u_k, ..., y_(k-1), ..., y_(k-n))`` for all k is a system whose Jacobian is the identity
minus a lower band. A Newton step is one banded substitution, and so are the sensitivities to
parameters. Where Newton does not converge, a loop over the samples takes over for a short window.
Both give the same values.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from .._typing import Array
from ..dynamics._static_map import StaticMap
from ..errors import SamplingError
from ._lags import Lags

MAX_NEWTON_STEPS = 25  # per window
NEWTON_TOLERANCE = 1e-14  # residual, relative to the size of y: only rounding is left
NEWTON_STALL_TOLERANCE = 1e-9  # residual at which a step without progress counts as convergence
SMALLEST_WINDOW = 64  # samples; the loop is as fast on fewer


@dataclass(frozen=True)
class SimulationCase:
    """A record to simulate.

    With ``feedback`` below 1, that share of the simulated output is fed back and the rest is
    ``measured``: 0 is one-step prediction, 1 is simulation. A smaller share diverges less easily.
    """

    u: Array  # (T, n_u)
    initial: Array  # (T0, n), given outputs
    limit: Array | float = np.inf  # larger outputs mean divergence
    measured: Array | None = None  # (T, n)
    feedback: float = 1.0

    def mix_feedback(self, y: Array, first: int = 0) -> Array:
        """Outputs from sample ``first`` on as they enter the regressors."""
        if self.measured is None or self.feedback == 1.0:
            return y
        measured = self.measured[first : first + len(y)]
        return np.asarray(measured + self.feedback * (y - measured))

    def is_bounded(self, y: Array) -> bool:
        return bool(np.all(np.isfinite(y)) and np.all(np.abs(y) <= self.limit))


@dataclass(frozen=True)
class SimulationResult:
    """A simulated record, and the sample at which it diverged, if it did."""

    y: Array
    diverged_at: int | None = None
    looped: int = 0  # samples that needed the loop


def simulate(
    function: StaticMap,
    lags: Lags,
    case: SimulationCase,
    guess: Array | None = None,
    newton_only: bool = False,
) -> SimulationResult:
    """Simulate after the initial samples.

    A guess of y (T, n) saves iterations. With ``newton_only``, a record on which Newton does not
    converge from the guess counts as diverged, which is quick to find out.
    """
    u, initial = case.u, case.initial
    y = np.empty((len(u), initial.shape[1]))
    if guess is None:
        guess = initial.mean(axis=0) if len(initial) else np.zeros(initial.shape[1])
    y[:] = guess
    y[: len(initial)] = initial
    begin, looped = len(initial), 0
    window = len(u) if function.vectorised else SMALLEST_WINDOW
    while begin < len(u):
        end = min(begin + window, len(u))
        solved = _solve_newton(function, lags, case, y, begin, end) if function.vectorised else None
        if solved is not None and case.is_bounded(solved):
            y[begin:end] = solved
            begin, window = end, 4 * window
        elif newton_only and function.vectorised:
            return SimulationResult(y, begin)
        elif end - begin > SMALLEST_WINDOW:
            window = max((end - begin) // 8, SMALLEST_WINDOW)
        else:
            diverged_at = _run_loop(function, lags, case, y, begin, end)
            looped += end - begin
            if diverged_at is not None:
                return SimulationResult(y, diverged_at, looped)
            begin = end
    return SimulationResult(y, None, looped)


def _solve_newton(
    function: StaticMap, lags: Lags, case: SimulationCase, y: Array, begin: int, end: int
) -> Array | None:
    """The samples from begin to end, or None if Newton does not converge.

    A sample has converged when it and all before it satisfy their equations, relative to the
    largest output up to there, for each channel. An iterate may overshoot later in the window, and
    that must not make earlier residuals look small. Later samples never change a converged one.
    """
    longest = lags.longest
    past = begin - longest
    u, trial = case.u[past:end], y[past:end].copy()  # the window and the samples before it
    head = np.zeros((lags.memory, y.shape[1], 1))
    reach = np.abs(y[:begin]).max(axis=0, initial=1e-300)
    front, last = longest, np.inf
    tight = max(NEWTON_TOLERANCE, function.rounding)
    loose = max(NEWTON_STALL_TOLERANCE, 100 * function.rounding)
    for _ in range(MAX_NEWTON_STEPS):
        table = lags.table(u, case.mix_feedback(trial, past), front, len(trial))
        try:
            with np.errstate(all="ignore"):
                values, slopes = function.linearise(table, lags.feedback[0])
                residual = values - trial[front:]
                scale = np.maximum(np.maximum.accumulate(np.abs(values)), reach)
                errors = (np.abs(residual) / scale).max(axis=1)
        except SamplingError:  # F refuses an iterate; the loop may never go there
            return None
        worst = float(errors.max())
        if not (np.isfinite(worst) and np.all(np.isfinite(slopes))):
            return None
        if worst <= tight or (worst <= loose and worst > 0.5 * last):
            trial[front:] = values
            return trial[longest:]
        done = int(np.argmax(errors > tight))
        step = substitute(case.feedback * slopes[done:], lags, residual[done:, :, None], head)
        if not np.all(np.isfinite(step)):
            return None
        trial[front : front + done] = values[:done]
        reach = scale[done - 1] if done else reach
        front += done
        trial[front:] += step[:, :, 0]
        last = worst
    return None


def _run_loop(
    function: StaticMap, lags: Lags, case: SimulationCase, y: Array, begin: int, end: int
) -> int | None:
    """Simulate in place, sample by sample; return where it diverged, or None."""
    for k in range(begin, end):
        first = k - lags.longest
        fed = case.mix_feedback(y[first : k + 1], first)
        with np.errstate(all="ignore"):
            row = lags.table(case.u[first : k + 1], fed, lags.longest, lags.longest + 1)
            y[k] = function.values(row)[0]
        if not case.is_bounded(y[k]):
            y[k:] = np.nan
            return k
    return None


def substitute(slopes: Array, lags: Lags, right: Array, head: Array) -> Array:
    """Solve ``x_k = sum of slopes_k x_(k - lag) + right_k`` forward in time.

    ``slopes`` (N, n, k) are derivatives of F with respect to the fed-back regressors, ``right`` is
    (N, n, q), and ``head`` (memory, n, q) holds x before the first sample.
    """
    n_samples, n, q = right.shape
    _, channels, delays = lags.feedback
    before = len(head)
    size = (before + n_samples) * n
    band = np.zeros((n * (lags.memory + 1), size), order="F")
    for k, (channel, delay) in enumerate(zip(channels, delays, strict=True)):
        for output in range(n):
            first = (before - delay) * n + channel  # the unknown that sample 0 refers to
            entries = slice(first, first + n_samples * n, n)
            band[n * delay + output - channel, entries] = -slopes[:, output, k]
    unknowns = np.empty((size, q), order="F")
    unknowns[: before * n] = head.reshape(-1, q)
    unknowns[before * n :] = right.reshape(-1, q)
    solved, _ = scipy.linalg.lapack.dtbtrs(band, unknowns, uplo="L", diag="U", overwrite_b=True)
    return np.asarray(solved[before * n :].reshape(n_samples, n, q))
