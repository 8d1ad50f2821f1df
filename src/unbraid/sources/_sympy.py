"""SymPy expressions, with derivatives by SymPy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array
from ..errors import InvalidOption, InvalidSamples, SamplingError
from ._batches import in_batches


def is_sympy(model: Any) -> bool:
    """Is it an expression, a matrix, or a list with an expression in it?

    >>> is_sympy([1.0, 2.0])
    False
    """
    if isinstance(model, (list, tuple)):
        return any(_from_sympy(part) for part in model)
    return _from_sympy(model)


def _from_sympy(model: Any) -> bool:
    return any(str(kind.__module__).split(".")[0] == "sympy" for kind in type(model).__mro__)


class SymbolicFunction:
    """Expressions as a function of arrays.

    Parameters
    ----------
    expressions : expression, list or matrix of expressions
        One an output; a ``sympy.Lambda`` brings its own symbols.
    symbols : list of symbols or names, optional
        One an input. By default those that occur, sorted by name with numbers as numbers:
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
        self.expressions = _listed(expressions)
        self.symbols = _symbols(self.expressions, symbols)

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return in_batches(lambda part: _called(self._values, part), self._table(points))

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m)."""
        table = self._table(points)
        flat = in_batches(lambda part: _called(self._slopes, part), table)
        return flat.reshape(len(table), len(self.expressions), len(self.symbols))

    @cached_property
    def _values(self) -> Callable[..., Any]:
        return self._compiled(self.expressions)

    @cached_property
    def _slopes(self) -> Callable[..., Any]:
        import sympy

        real = {s: sympy.Dummy(s.name, real=True) for s in self.symbols}
        back = {new: old for old, new in real.items()}
        slopes = [e.xreplace(real).diff(real[s]) for e in self.expressions for s in self.symbols]
        smooth = [slope.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for slope in slopes]
        return self._compiled([slope.xreplace(back) for slope in smooth])

    def _compiled(self, expressions: list[Any]) -> Callable[..., Any]:
        import sympy

        modules = ["scipy", "numpy"]  # and dummies: a symbol may be called exp
        return sympy.lambdify(  # type: ignore[no-any-return]
            self.symbols, expressions, modules, cse=True, dummify=True
        )

    def _table(self, points: Any) -> Array:
        table = np.atleast_2d(finite_array("points", points))
        if table.shape[1] != len(self.symbols):
            names = ", ".join(map(str, self.symbols))
            raise InvalidSamples(
                f"points has {table.shape[1]} columns but the expressions have "
                f"{len(self.symbols)} symbols: {names}; for others or another order use "
                f"unbraid.sources._sympy.SymbolicFunction(expressions, symbols)"
            )
        return table


def _called(compiled: Callable[..., Any], table: Array) -> Array:
    """(N, k); constants are repeated for every point."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is reported with its points
            columns = compiled(*table.T)
    except (NameError, TypeError, AttributeError, KeyError) as error:
        raise SamplingError(f"the expressions hold a function without numbers: {error}") from error
    return np.stack([np.broadcast_to(column, len(table)) for column in columns], axis=1)


def _listed(expressions: Any) -> list[Any]:
    import sympy

    if isinstance(expressions, sympy.Expr):
        return [expressions]
    several = sympy.utilities.iterables.iterable(expressions)
    return [_expression(part) for part in (expressions if several else [expressions])]


def _expression(part: Any) -> Any:
    """An expression or a number; never text, which SymPy would run as a program."""
    import sympy

    try:
        found = sympy.sympify(part, strict=True)
    except sympy.SympifyError:
        found = None
    if not isinstance(found, sympy.Expr):
        raise InvalidOption(f"{part!r} is not an expression: pass one expression an output")
    return found


def _symbols(expressions: list[Any], symbols: Any) -> list[Any]:
    free: set[Any] = set().union(*(e.free_symbols for e in expressions))
    if symbols is None:
        if not free:
            raise InvalidOption("the expressions have no free symbols, so nothing to decouple")
        names = [symbol.name for symbol in free]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InvalidOption(
                f"several symbols are called {twice[0]}: rename them, or give their order, "
                f"unbraid.sources._sympy.SymbolicFunction(expressions, symbols)"
            )
        return sorted(free, key=lambda symbol: _natural(symbol.name))
    if isinstance(symbols, str) or not isinstance(symbols, Iterable):
        raise InvalidOption(f"symbols is {symbols!r}: pass a list, one an input")
    chosen = [_symbol(symbol, free) for symbol in symbols]
    if len(set(chosen)) < len(chosen):
        raise InvalidOption(f"symbols names one twice: {', '.join(map(str, chosen))}")
    unknown = sorted(map(str, free.difference(chosen)))
    if unknown:
        raise InvalidOption(f"symbols lacks {', '.join(unknown)}, which the expressions hold")
    return chosen


def _symbol(symbol: Any, free: set[Any]) -> Any:
    """A symbol by its name: the one that occurs, whatever its assumptions."""
    import sympy

    if isinstance(symbol, sympy.Symbol):
        return symbol
    if not isinstance(symbol, str):
        raise InvalidOption(f"{symbol!r} is no symbol: pass symbols or their names")
    return next((s for s in free if s.name == symbol), sympy.Symbol(symbol))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sorts digits by their number.

    >>> sorted(["p10", "p2", "a"], key=_natural)
    ['a', 'p2', 'p10']
    """
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.split(r"(\d+)", name)
        if part
    ]
