"""SymPy expressions, with derivatives by SymPy."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array
from ..errors import InvalidOptionError, SamplingError
from ._batches import check_width, map_batches
from ._packages import comes_from


def is_sympy(model: Any) -> bool:
    """Return whether it is an expression, a matrix, or a list with an expression.

    >>> is_sympy([1.0, 2.0])
    False
    """
    parts = model if isinstance(model, (list, tuple)) else [model]
    return any(comes_from(part, "sympy") for part in parts)


class SymbolicFunction:
    """Expressions as a function of arrays.

    Parameters
    ----------
    expressions : expression, list or matrix of expressions
        One per output; a ``sympy.Lambda`` defines its symbols.
    symbols : list of symbols or names, optional
        One per input. By default those that occur, sorted by name with numbers as numbers:
        p1, p2, p10.

    Examples
    --------
    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> SymbolicFunction([x * y, y]).jacobian([[2.0, 3.0]])
    array([[[3., 2.],
            [0., 1.]]])
    """

    source = "exact, by sympy"

    def __init__(self, expressions: Any, symbols: Any = None) -> None:
        import sympy

        if isinstance(expressions, sympy.Lambda):
            symbols = expressions.signature if symbols is None else symbols
            expressions = expressions.expr
        self.expressions = _read_expressions(expressions)
        self.symbols = _choose_symbols(self.expressions, symbols)

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return map_batches(lambda batch: _evaluate(self._values, batch), self._check(points))

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m)."""
        table = self._check(points)
        flat = map_batches(lambda batch: _evaluate(self._slopes, batch), table)
        return flat.reshape(len(table), len(self.expressions), len(self.symbols))

    @cached_property
    def _values(self) -> Callable[..., Any]:
        return self._compile(self.expressions)

    @cached_property
    def _slopes(self) -> Callable[..., Any]:
        import sympy

        real = {s: sympy.Dummy(s.name, real=True) for s in self.symbols}
        back = {new: old for old, new in real.items()}
        slopes = [e.xreplace(real).diff(real[s]) for e in self.expressions for s in self.symbols]
        smooth = [slope.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for slope in slopes]
        return self._compile([slope.xreplace(back) for slope in smooth])

    def _compile(self, expressions: list[Any]) -> Callable[..., Any]:
        import sympy

        modules = ["scipy", "numpy"]  # dummify: a symbol may have the name of a function
        return sympy.lambdify(  # type: ignore[no-any-return]
            self.symbols, expressions, modules, cse=True, dummify=True
        )

    def _check(self, points: Any) -> Array:
        count, names = len(self.symbols), ", ".join(map(str, self.symbols))
        return check_width(
            np.atleast_2d(finite_array("points", points)),
            count,
            f"the expressions have {count} symbols: {names}; for others or another order use "
            f"unbraid.sources._sympy.SymbolicFunction(expressions, symbols)",
        )


def _evaluate(compiled: Callable[..., Any], table: Array) -> Array:
    """Values (N, k); constants are repeated for every point."""
    try:
        with np.errstate(all="ignore"):  # values that are not finite are reported with their points
            columns = compiled(*table.T)
    except (NameError, TypeError, AttributeError, KeyError) as error:
        raise SamplingError(f"the expressions hold a function without values: {error}") from error
    return np.stack([np.broadcast_to(column, len(table)) for column in columns], axis=1)


def _read_expressions(expressions: Any) -> list[Any]:
    """A list of expressions. Text is refused, since SymPy would run it as a program."""
    import sympy

    single = isinstance(expressions, sympy.Expr)  # some expressions can be iterated over
    if single or not sympy.utilities.iterables.iterable(expressions):
        expressions = [expressions]
    found = []
    for part in expressions:
        try:
            found.append(sympy.sympify(part, strict=True))
        except sympy.SympifyError:
            found.append(None)
        if not isinstance(found[-1], sympy.Expr):
            raise InvalidOptionError(
                f"{part!r} is not an expression: pass one expression per output"
            )
    return found


def _choose_symbols(expressions: list[Any], symbols: Any) -> list[Any]:
    free: set[Any] = set().union(*(e.free_symbols for e in expressions))
    if symbols is None:
        if not free:
            raise InvalidOptionError("the expressions have no free symbols, so nothing to decouple")
        names = [symbol.name for symbol in free]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InvalidOptionError(
                f"several symbols are called {twice[0]}: rename them, or give their order, "
                f"unbraid.sources._sympy.SymbolicFunction(expressions, symbols)"
            )
        return sorted(free, key=lambda symbol: _sort_key(symbol.name))
    if isinstance(symbols, str) or not isinstance(symbols, Iterable):
        raise InvalidOptionError(f"symbols is {symbols!r}: pass a list, one per input")
    chosen = [_find_symbol(symbol, free) for symbol in symbols]
    if len(set(chosen)) < len(chosen):
        raise InvalidOptionError(f"symbols names one twice: {', '.join(map(str, chosen))}")
    unknown = sorted(map(str, free.difference(chosen)))
    if unknown:
        raise InvalidOptionError(f"symbols lacks {', '.join(unknown)}, which the expressions hold")
    return chosen


def _find_symbol(symbol: Any, free: set[Any]) -> Any:
    """The symbol of this name that occurs, whatever its assumptions are."""
    import sympy

    if isinstance(symbol, sympy.Symbol):
        return symbol
    if not isinstance(symbol, str):
        raise InvalidOptionError(f"{symbol!r} is no symbol: pass symbols or their names")
    return next((s for s in free if s.name == symbol), sympy.Symbol(symbol))


def _sort_key(name: str) -> list[Any]:
    """A key that sorts names with numbers by the number.

    >>> sorted(["p10", "p2", "a"], key=_sort_key)
    ['a', 'p2', 'p10']
    """
    return [int(part) if k % 2 else part for k, part in enumerate(re.split(r"(\d+)", name))]
