"""JAX functions, Equinox and Flax models, with Jacobians by jacfwd and jacrev."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import SamplingError
from ._batches import map_batches
from ._evaluator import find_style
from ._packages import comes_from


def is_jax(model: Any) -> bool:
    """Return whether it is a jitted function or a model of a JAX library.

    >>> is_jax(abs)
    False
    """
    return callable(model) and comes_from(model, "jax", "jaxlib", "equinox", "flax")


def trace_with_jax(f: Callable[..., Any], probe: Array) -> JaxFunction | None:
    """Wrap a plain callable that JAX can differentiate, or return None."""
    if "jax" not in sys.modules:
        return None
    function = JaxFunction(f)
    try:
        function.jacobian(probe)
    except Exception:
        return None
    return function


class JaxFunction:
    """A callable of JAX arrays as a function of NumPy arrays.

    The callable takes one point or rows of points. It runs in double precision. The global setting
    of JAX is not changed.
    """

    source = "exact, by jax"

    def __init__(self, model: Callable[..., Any]) -> None:
        self.model = model
        self._style: str | None = None

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return self._run(points, self._evaluate_point)

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m), in forward or reverse mode, whichever takes fewer passes."""
        import jax

        def differentiate(point: Any) -> Any:
            try:
                return first(self._evaluate_point)(point)
            except (TypeError, ValueError, NotImplementedError):  # some support one mode only
                return second(self._evaluate_point)(point)

        table = np.array(points, dtype=float, ndmin=2)
        forward = table.shape[1] <= self._count_outputs(table)
        first, second = (jax.jacfwd, jax.jacrev) if forward else (jax.jacrev, jax.jacfwd)
        return self._run(table, differentiate)

    def _count_outputs(self, table: Array) -> int:
        import jax.numpy as jnp

        with _double_precision():
            self._find_style(table)
            outputs = self._evaluate_point(jnp.asarray(table[0]))
        if outputs.dtype.kind in "biu":
            raise SamplingError(
                f"the function returns {outputs.dtype}, which has no slopes: return real numbers, "
                f"for example those that are rounded or compared at the end"
            )
        return int(outputs.size)

    def _find_style(self, table: Array) -> None:
        import jax.numpy as jnp

        if self._style is None:
            self._style = find_style(lambda p: _to_numpy(self.model(jnp.asarray(p))), table)

    def _evaluate_point(self, point: Any) -> Any:
        """Map a point (m,) to a vector (n,)."""
        import jax.numpy as jnp

        return jnp.ravel(jnp.asarray(self.model(point if self._style == "point" else point[None])))

    def _run(self, points: Any, function: Callable[[Any], Any]) -> Any:
        table = np.array(points, dtype=float, ndmin=2)
        with _double_precision():
            self._find_style(table)
            return map_batches(lambda batch: _map_rows(function, batch), table)


def _map_rows(function: Callable[[Any], Any], points: Any) -> Any:
    """Call a function on every row by vmap, or row by row if it cannot be traced."""
    import jax

    rows = jax.numpy.asarray(points)
    try:
        return _to_numpy(jax.vmap(function)(rows))
    except (TypeError, IndexError):
        return np.stack([_to_numpy(function(row)) for row in rows])


def _to_numpy(values: Any) -> Any:
    """Convert to NumPy; half precision becomes single, since NumPy has no bfloat16."""
    import jax.numpy as jnp

    values = jnp.asarray(values)
    half = values.dtype in (jnp.float16, jnp.bfloat16)
    return np.asarray(values.astype(jnp.float32) if half else values)


def _double_precision() -> AbstractContextManager[Any]:
    enable = getattr(import_module("jax"), "enable_x64", None)
    if enable is None:  # before JAX 0.8
        enable = import_module("jax.experimental").enable_x64
    return enable(True)  # type: ignore[no-any-return]
