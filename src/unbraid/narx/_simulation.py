"""Free-run simulation as the root of a triangular system.

``y_k = F(u_k, ..., y_(k-1), ..., y_(k-n))`` for all k at once is a system of equations whose
Jacobian is the identity less a lower band: a Newton step is one banded substitution, and so are the
sensitivities to parameters. No loop over time as long as Newton settles; where it does not, the
loop is taken for a stretch, and both give the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from .._typing import Array
from ..errors import SamplingError
from ._lags import Lags
from ._static_map import StaticMap

MOST_STEPS = 25  # of Newton in one window
SETTLED = 1e-14  # residual over the size of y at which rounding is all that is left
ROUGHLY = 1e-9  # ... and at which a step that gains nothing says the same
FEWEST = 64  # samples of a window below which the loop is as good


@dataclass(frozen=True)
class Setting:
    """A record to be run.

    Attributes
    ----------
    u : (T, n_u)
    initial : (T0, n)
        Outputs that are given.
    limit : (n,) or float
        Outputs beyond it have run off.
    measured : (T, n) or None, feedback : float
        Below 1, that share of the simulated output is fed back and the rest is the measured one:
        0 is one-step prediction, 1 is simulation. What lies between is tamer than simulation.
    """

    u: Array
    initial: Array
    limit: Array | float = np.inf
    measured: Array | None = None
    feedback: float = 1.0

    def fed_back(self, y: Array, first: int = 0) -> Array:
        """Outputs from sample ``first`` on, as the regressors see them."""
        if self.measured is None or self.feedback == 1.0:
            return y
        measured = self.measured[first : first + len(y)]
        return np.asarray(measured + self.feedback * (y - measured))

    def allows(self, y: Array) -> bool:
        return bool(np.all(np.isfinite(y)) and np.all(np.abs(y) <= self.limit))


@dataclass(frozen=True)
class Run:
    """A simulated record, and the sample at which it ran off, if it did."""

    y: Array
    diverged_at: int | None = None
    looped: int = 0  # samples that took the loop


def simulate(
    function: StaticMap,
    lags: Lags,
    setting: Setting,
    guess: Array | None = None,
    near: bool = False,
) -> Run:
    """Run free after the initial samples.

    A guess of y (T, n) saves steps. Where it is said to be near and Newton does not settle from
    it, that counts as run off: a quick answer for those who can do with another question.
    """
    u, initial = setting.u, setting.initial
    y = np.empty((len(u), initial.shape[1]))
    if guess is None:
        guess = initial.mean(axis=0) if len(initial) else np.zeros(initial.shape[1])
    y[:] = guess
    y[: len(initial)] = initial
    begin, looped = len(initial), 0
    window = len(u) if function.vectorised else FEWEST
    while begin < len(u):
        end = min(begin + window, len(u))
        settled = _newton(function, lags, setting, y, begin, end) if function.vectorised else None
        if settled is not None and setting.allows(settled):
            y[begin:end] = settled
            begin, window = end, 4 * window
        elif near and function.vectorised:
            return Run(y, begin)
        elif end - begin > FEWEST:
            window = max((end - begin) // 8, FEWEST)
        else:
            stop = _loop(function, lags, setting, y, begin, end)
            looped += end - begin
            if stop is not None:
                return Run(y, stop, looped)
            begin = end
    return Run(y, None, looped)


def _newton(
    function: StaticMap, lags: Lags, setting: Setting, y: Array, begin: int, end: int
) -> Array | None:
    """The samples from begin to end, or None where Newton does not settle.

    A sample is settled when it and all before it meet their equations, measured by the outputs up
    to there, each channel by itself: an iterate may overshoot wildly later on, and that must not
    make anything look small. Nothing that comes later changes a settled sample.
    """
    columns = lags.feedback[0]
    longest = lags.longest
    past = begin - longest
    u, trial = setting.u[past:end], y[past:end].copy()  # the window and what it looks back to
    head = np.zeros((lags.memory, y.shape[1], 1))
    reach = np.abs(y[:begin]).max(axis=0, initial=1e-300)
    front, last = longest, np.inf
    enough, roughly = max(SETTLED, function.rounding), max(ROUGHLY, 100 * function.rounding)
    for _ in range(MOST_STEPS):
        table = lags.table(u, setting.fed_back(trial, past), front, len(trial))
        try:
            with np.errstate(all="ignore"):
                values, slopes = function.linearised(table, columns)
        except SamplingError:  # F says no where an iterate went: the loop may not go there
            return None
        with np.errstate(all="ignore"):
            miss = values - trial[front:]
            scale = np.maximum(np.maximum.accumulate(np.abs(values)), reach)
            errors = (np.abs(miss) / scale).max(axis=1)
            worst = float(errors.max())
        if not (np.isfinite(worst) and np.all(np.isfinite(slopes))):
            return None
        if worst <= enough or (worst <= roughly and worst > 0.5 * last):
            trial[front:] = values
            return trial[longest:]
        settled = int(np.argmax(errors > enough))
        step = substitute(setting.feedback * slopes[settled:], lags, miss[settled:, :, None], head)[
            :, :, 0
        ]
        if not np.all(np.isfinite(step)):
            return None
        trial[front : front + settled] = values[:settled]
        reach = scale[settled - 1] if settled else reach
        front += settled
        trial[front:] += step
        last = worst
    return None


def _loop(
    function: StaticMap, lags: Lags, setting: Setting, y: Array, begin: int, end: int
) -> int | None:
    """Sample by sample, in place; the sample that ran off, if one did."""
    for k in range(begin, end):
        first = k - lags.longest
        fed = setting.fed_back(y[first : k + 1], first)
        with np.errstate(all="ignore"):
            row = lags.table(setting.u[first : k + 1], fed, lags.longest, lags.longest + 1)
            y[k] = function.values(row)[0]
        if not setting.allows(y[k]):
            y[k:] = np.nan
            return k
    return None


def substitute(slopes: Array, lags: Lags, right: Array, head: Array) -> Array:
    """Solve ``x_k = sum of slopes_k x_(k - lag) + right_k`` forward in time.

    Parameters
    ----------
    slopes : (N, n, k)
        Derivatives of F by the fed-back regressors.
    right : (N, n, q)
    head : (memory, n, q)
        x before the first sample.
    """
    n_samples, n, q = right.shape
    _, channels, delays = lags.feedback
    before = len(head)
    size = (before + n_samples) * n
    band = np.zeros((n * (lags.memory + 1), size), order="F")
    for k, (channel, delay) in enumerate(zip(channels, delays, strict=True)):
        for output in range(n):
            first = (before - delay) * n + channel  # the unknown that sample 0 looks back to
            entries = slice(first, first + n_samples * n, n)
            band[n * delay + output - channel, entries] = -slopes[:, output, k]
    unknowns = np.empty((size, q), order="F")
    unknowns[: before * n] = head.reshape(-1, q)
    unknowns[before * n :] = right.reshape(-1, q)
    solved, _ = scipy.linalg.lapack.dtbtrs(band, unknowns, uplo="L", diag="U", overwrite_b=True)
    return np.asarray(solved[before * n :].reshape(n_samples, n, q))
