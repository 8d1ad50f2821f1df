"""Decoupled functions as pure functions for JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bases._piecewise import Pieces
from ..errors import InvalidSamples
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, Smooth, formulas
from ._support import check_function, load_extra

if TYPE_CHECKING:
    from jax import Array


def to_jax(d: DecoupledFunction) -> Callable[[Any], Array]:
    """A decoupled function as a pure function of p, (m,) or (N, m), for jit, vmap and grad.

    It computes in double precision where ``jax_enable_x64`` is on, in single elsewhere.

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_jax
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
    ...                      basis=unbraid.Polynomial(2), random_state=0)
    >>> f = to_jax(d)
    >>> f(np.array([0.5, -0.4])).shape
    (1,)
    """
    check_function(d)
    jnp = load_extra("jax").numpy
    branches = formulas(d)

    def f(p: Any) -> Array:
        if jnp.shape(p)[-1:] != (d.n_inputs,):
            raise InvalidSamples(f"p has shape {jnp.shape(p)}: its rows have {d.n_inputs} inputs")
        z = jnp.asarray(p, dtype=float) @ jnp.asarray(d.V)
        g = [_branch(jnp, z[..., i], formula) for i, formula in enumerate(branches)]
        return jnp.stack(g, axis=-1) @ jnp.asarray(d.W).T + jnp.asarray(d.offset)  # type: ignore[no-any-return]

    return f


def _branch(jnp: Any, z: Any, formula: Formula) -> Any:
    tails = formula.tails
    if tails is not None:
        inside = jnp.clip(z, tails.low, tails.high)
        slope = jnp.where(z <= tails.low, tails.low_slope, tails.high_slope)
        return _curve(jnp, inside, formula.curve) + slope * (z - inside)
    g = _curve(jnp, z, formula.curve)
    if formula.bounds is not None:
        low, high = formula.bounds
        g = g * jnp.where((z < low) | (z > high), np.nan, 1.0)  # slopes are NaN there as well
    return g


def _curve(jnp: Any, z: Any, curve: Pieces | Smooth) -> Any:
    if isinstance(curve, Pieces):
        return _pieces(jnp, z, curve)
    t = (z - curve.low) * curve.rate - 1.0
    if isinstance(curve, Legendre):
        return _legendre(t, curve)
    if isinstance(curve, Harmonics):
        return _harmonics(jnp, t, curve)
    return _bumps(jnp, t, curve)


def _pieces(jnp: Any, z: Any, curve: Pieces) -> Any:
    breaks, table = jnp.asarray(curve.breaks), jnp.asarray(curve.coefficients)
    piece = jnp.searchsorted(breaks[1:-1], z, side="right", method="compare_all")
    x = z - breaks[piece]
    g = table[0][piece]
    for row in table[1:]:
        g = g * x + row[piece]
    return g


def _legendre(t: Any, curve: Legendre) -> Any:
    c = curve.coefficients.tolist()
    below, current = 1.0, t
    g = c[0] * t
    for k in range(1, len(c)):
        below, current = current, ((2 * k + 1) * t * current - k * below) / (k + 1)
        g = g + c[k] * current
    return g


def _harmonics(jnp: Any, t: Any, curve: Harmonics) -> Any:
    phase = t[..., None] * jnp.asarray(curve.frequencies)
    waves = jnp.sin(phase) @ jnp.asarray(curve.sines) + jnp.cos(phase) @ jnp.asarray(curve.cosines)
    return curve.line * t + waves


def _bumps(jnp: Any, t: Any, curve: Bumps) -> Any:
    x = (t[..., None] - jnp.asarray(curve.centres)) / curve.width
    return jnp.exp(-0.5 * x**2) @ jnp.asarray(curve.heights)
