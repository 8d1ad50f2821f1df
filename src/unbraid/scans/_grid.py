"""The cells of a scan: one call each, told apart by their settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import product
from typing import Any

from .._util.validation import positive_integer
from ..bases import Basis, Polynomial
from ..errors import InvalidOption
from ..model._branch import check_basis
from ..solvers import METHODS
from ._labels import plain

OURS = ("callback", "n_jobs", "known")  # of the methods, and no business of a scan's caller
DRAWING = ("points", "n_points", "spread")  # of NARX.decouple
OTHERS = ("extrapolate", "tolerance", "max_branches", *DRAWING)  # of decouple
REFINING = ("held_out", "weights", "max_iterations")  # of NARX.refine
EVERYWHERE = ("n_branches", "method", "basis", "refine", "random_state")


@dataclass(frozen=True, eq=False)
class Cell:
    """One model to make: the keywords of the call, and how they read in the table."""

    keywords: Mapping[str, Any] = field(repr=False)
    settings: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The same for the same settings, today and tomorrow."""
        return json.dumps(dict(self.settings), sort_keys=True)


def make_cells(
    axes: Mapping[str, Any], grid: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> tuple[Cell, ...]:
    """All combinations, the last axis fastest; an option is given to the methods that have it.

    >>> found = make_cells({"n_branches": [1, 2], "method": ["varpro", "explicit"]},
    ...                    {"smoothness": [1.0, 10.0]}, {"n_starts": 3})
    >>> len(found)  # varpro knows nothing of smoothness
    6
    """
    more = {} if grid is None else _checked_grid(grid)
    _check_options({**more, **options}, axes["method"])
    values = {**{name: _several(name, value) for name, value in axes.items()}, **more}
    for count in values["n_branches"]:
        if count != "auto":
            positive_integer("n_branches", count)
    for seed in values.get("random_state", ()):
        if seed is not None:
            positive_integer("random_state", seed, least=0)
    for basis in values.get("basis", ()):
        if not isinstance(basis, str) or basis != "auto":
            check_basis(basis)
    cells: dict[str, Cell] = {}
    for chosen in product(*values.values()):
        cell = _cell({**options, **dict(zip(values, chosen, strict=True))})
        cells.setdefault(cell.key, cell)
    return tuple(cells.values())


def check_refine(refine: Any, dynamic: bool) -> None:
    """On or off; of a NARX model also options of its ``refine``."""
    for value in _several("refine", refine):
        if value is None or isinstance(value, bool):
            continue
        if not (dynamic and isinstance(value, Mapping)):
            kinds = "True, False or a dict of options" if dynamic else "True or False"
            raise InvalidOption(f"refine is {value!r}: pass {kinds}")
        unknown = [name for name in value if name not in REFINING]
        if unknown:
            raise InvalidOption(f"refine has no option {unknown[0]!r}: {', '.join(REFINING)}")


def bases_of(basis: Any, degree: Any) -> Any:
    """The bases of a scan: those given, or polynomials of the degrees given."""
    if degree is None:
        return basis
    if not (isinstance(basis, str) and basis == "auto"):
        raise InvalidOption("pass basis or degree, not both: degree=3 is basis=Polynomial(3)")
    return [Polynomial(positive_integer("degree", d)) for d in _several("degree", degree)]


def _several(name: str, value: Any) -> Sequence[Any]:
    """The values of an axis; a single one is an axis of one."""
    single = isinstance(value, (str, int, float, Mapping, Basis)) or value is None
    if single or not isinstance(value, Iterable):
        return [value]
    listed = list(value)
    if not listed:
        raise InvalidOption(f"{name} is empty: name at least one value to try")
    return listed


def _checked_grid(grid: Any) -> dict[str, Sequence[Any]]:
    if not isinstance(grid, Mapping):
        raise InvalidOption(
            f"grid is {grid!r}: pass a dict of names and lists, {{'smoothness': [1, 10]}}"
        )
    for name, values in grid.items():
        if name in EVERYWHERE:
            raise InvalidOption(f"{name!r} is an argument of its own: scan(..., {name}=[...])")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidOption(f"grid[{name!r}] is {values!r}: pass a list of values")
    return {str(name): _several(f"grid[{name!r}]", values) for name, values in grid.items()}


def _check_options(options: Mapping[str, Any], methods: Any) -> None:
    """Refuse what no method of the scan knows."""
    kinds = [_kind(method) for method in _several("method", methods)]
    known = {name for kind in kinds for name in _names(kind)} | set(OTHERS)
    for name in options:
        if name == "callback":
            raise InvalidOption("a scan tells its progress by itself: pass progress=, no callback")
        if name not in known or name in OURS:
            raise InvalidOption(
                f"no method of this scan has an option {name!r}; there are "
                f"{', '.join(sorted(known - set(OURS) - set(EVERYWHERE)))}"
            )


def _kind(method: Any) -> type[Any]:
    if isinstance(method, str):
        if method not in METHODS:
            names = ", ".join(map(repr, METHODS))
            raise InvalidOption(f"method is {method!r}: choose among {names}")
        return METHODS[method]
    if isinstance(method, type) or not hasattr(method, "solve"):
        raise InvalidOption(f"method is {method!r}: a name or an object with solve() is needed")
    return type(method)


def _names(kind: type[Any]) -> list[str]:
    return [field.name for field in fields(kind)] if is_dataclass(kind) else []


def _cell(wanted: Mapping[str, Any]) -> Cell:
    """Only what applies: options of other methods, and what is left open, are dropped."""
    method = wanted["method"]
    own = _names(_kind(method))
    chosen = {
        name: value
        for name, value in wanted.items()
        if (name in own or name in OTHERS or name in EVERYWHERE)
        and not (name == "refine" and value is None)
    }
    settings = {name: plain(name, value) for name, value in chosen.items()}
    if isinstance(method, str):
        return Cell({**chosen, "n_jobs": 1}, settings)
    inside = {name: chosen.pop(name) for name in list(chosen) if name in own and name != "basis"}
    inside |= {"n_jobs": 1} if "n_jobs" in own else {}
    chosen.pop("random_state", None)
    return Cell({**chosen, "method": replace(method, **inside) if inside else method}, settings)
