"""Decoupled functions as pure functions for JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial.legendre import legval

from ..bases._piecewise import Pieces
from ..errors import InvalidSamplesError
from ..model._function import DecoupledFunction
from ._formula import Formula, Harmonics, Legendre, Smooth, translate_branches
from ._support import check_function, load_extra

if TYPE_CHECKING:
    from jax import Array


def to_jax(d: DecoupledFunction) -> Callable[[Any], Array]:
    """Return a decoupled function as a pure JAX function of p, (m,) or (N, m).

    It works with ``jit``, ``vmap`` and ``grad``. It computes in double precision where
    ``jax_enable_x64`` is on, in single elsewhere.

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> f = unbraid.export.to_jax(d)
    >>> f(np.array([0.5, -0.4])).shape
    (2,)
    """
    check_function(d)
    jnp = load_extra("jax").numpy
    branches = translate_branches(d)

    def f(p: Any) -> Array:
        if jnp.shape(p)[-1:] != (d.n_inputs,):
            raise InvalidSamplesError(
                f"p has shape {jnp.shape(p)}: its rows have {d.n_inputs} inputs"
            )
        z = jnp.asarray(p, dtype=float) @ jnp.asarray(d.V)
        g = [_evaluate_branch(jnp, z[..., i], formula) for i, formula in enumerate(branches)]
        return jnp.stack(g, axis=-1) @ jnp.asarray(d.W).T + jnp.asarray(d.offset)

    return f


def _evaluate_branch(jnp: Any, z: Any, formula: Formula) -> Any:
    evaluate = _evaluate_pieces if isinstance(formula.curve, Pieces) else _evaluate_smooth
    if formula.tails is not None:
        tails = formula.tails
        inside = jnp.clip(z, tails.low, tails.high)
        slope = jnp.where(z <= tails.low, tails.low_slope, tails.high_slope)
        return evaluate(jnp, inside, formula.curve) + slope * (z - inside)
    g = evaluate(jnp, z, formula.curve)
    if formula.bounds is not None:
        low, high = formula.bounds
        g = g * jnp.where((z < low) | (z > high), np.nan, 1.0)  # slopes are NaN there as well
    return g


def _evaluate_pieces(jnp: Any, z: Any, curve: Any) -> Any:
    breaks, table = jnp.asarray(curve.breaks), jnp.asarray(curve.coefficients)
    piece = jnp.searchsorted(breaks[1:-1], z, side="right", method="compare_all")
    x = z - breaks[piece]
    g = table[0][piece]
    for row in table[1:]:
        g = g * x + row[piece]
    return g


def _evaluate_smooth(jnp: Any, z: Any, curve: Smooth | Any) -> Any:
    t = (z - curve.low) * curve.rate - 1.0
    if isinstance(curve, Legendre):
        return legval(t, np.append(0.0, curve.coefficients))
    if isinstance(curve, Harmonics):
        phase = t[..., None] * jnp.asarray(curve.frequencies)
        waves = jnp.sin(phase) @ jnp.asarray(curve.sines)
        return curve.line * t + (waves + jnp.cos(phase) @ jnp.asarray(curve.cosines))
    x = (t[..., None] - jnp.asarray(curve.centres)) / curve.width
    return jnp.exp(-0.5 * x**2) @ jnp.asarray(curve.heights)
