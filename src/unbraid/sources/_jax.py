"""JAX functions, Equinox and Flax models: Jacobians by jacfwd and jacrev, in double precision."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import SamplingError
from ._batches import in_batches
from ._callables import style_of

PACKAGES = ("jax", "jaxlib", "equinox", "flax")


def is_jax(model: Any) -> bool:
    """Is it a jitted function or a model of a JAX library? Asked of its ancestors.

    >>> is_jax(abs)
    False
    """
    return callable(model) and any(
        str(kind.__module__).split(".")[0] in PACKAGES for kind in type(model).__mro__
    )


def jax_function(model: Any) -> JaxFunction:
    return JaxFunction(model)


def jax_callable(f: Callable[..., Any], probe: Array) -> JaxFunction | None:
    """A plain callable that returns JAX arrays and that JAX can trace; None if it does not."""
    jax = sys.modules.get("jax")
    if jax is None:
        return None
    with _double():
        rows = jax.numpy.asarray(probe)
        if not any(_holds_jax(_tried(f, p)) for p in (rows[:1], rows[0])):
            return None
    function = JaxFunction(f)
    try:
        function.jacobian(probe)
    except Exception:
        return None
    return function


def _holds_jax(answer: Any) -> bool:
    import jax

    parts = answer if isinstance(answer, (list, tuple)) and answer else [answer]
    return all(isinstance(part, jax.Array) for part in parts)


def _tried(f: Callable[..., Any], argument: Any) -> Any:
    try:
        return f(argument)
    except Exception:
        return None


class JaxFunction:
    """A callable of JAX arrays, of one point or of rows of points, as a function of arrays.

    It runs in double precision, whatever the setting outside; that is not changed.
    """

    source = "exact, by jax"

    def __init__(self, model: Callable[..., Any]) -> None:
        self.model = model
        self._style: str | None = None

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return self._run(points, self._one)

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m), forward or in reverse, whichever takes fewer passes."""
        import jax

        def slopes(point: Any) -> Any:
            try:
                return first(self._one)(point)
            except (TypeError, ValueError, NotImplementedError):  # some know one way only
                return second(self._one)(point)

        table = np.array(points, dtype=float, ndmin=2)
        forward = table.shape[1] <= self._n_outputs(table)
        first, second = (jax.jacfwd, jax.jacrev) if forward else (jax.jacrev, jax.jacfwd)
        return self._run(table, slopes)

    def _n_outputs(self, table: Array) -> int:
        with _double():
            self._find_style(table)
            outputs = self._one(_jax_array(table[0]))
        if outputs.dtype.kind in "biu":
            raise SamplingError(
                f"the function returns {outputs.dtype}, which has no slopes: pass one of real "
                f"numbers, say what is rounded or compared in the end"
            )
        return int(outputs.size)

    def _find_style(self, table: Array) -> None:
        if self._style is None:
            self._style = style_of(lambda p: _array(self.model(_jax_array(p))), table)

    def _one(self, point: Any) -> Any:
        """A point (m,) to a vector (n,)."""
        import jax.numpy as jnp

        outputs = self.model(point) if self._style == "point" else self.model(point[None])
        return jnp.ravel(jnp.asarray(outputs))

    def _run(self, points: Any, work: Callable[[Any], Any]) -> Any:
        table = np.array(points, dtype=float, ndmin=2)
        with _double():
            self._find_style(table)
            return in_batches(lambda part: _each(work, _jax_array(part)), table)


def _each(work: Callable[[Any], Any], points: Any) -> Any:
    """``work`` on every row: in one go, or one by one where its path hangs on the numbers."""
    import jax

    try:
        return _array(jax.vmap(work)(points))
    except (TypeError, IndexError):
        return np.stack([_array(work(point)) for point in points])


def _jax_array(points: Any) -> Any:
    import jax.numpy as jnp

    return jnp.asarray(points)


def _array(values: Any) -> Any:
    """As numpy; half precision, which it lacks in part, as single."""
    import jax.numpy as jnp

    values = jnp.asarray(values)
    half = values.dtype in (jnp.float16, jnp.bfloat16)
    return np.asarray(values.astype(jnp.float32) if half else values)


def _double() -> AbstractContextManager[Any]:
    """Double precision inside a ``with``."""
    enable = getattr(import_module("jax"), "enable_x64", None)
    if enable is None:  # before JAX 0.8
        enable = import_module("jax.experimental").enable_x64
    return enable(True)  # type: ignore[no-any-return]
