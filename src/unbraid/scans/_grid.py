"""The cells of a scan: one call each, identified by its settings."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import product
from typing import Any

from .._util.validation import check_integer
from ..bases import Basis, Polynomial
from ..errors import InvalidOptionError
from ..model._branch_fit import check_basis
from ..solvers import METHODS
from ._settings import setting_to_json

RESERVED_OPTIONS = ("callback", "n_jobs", "known")  # of solvers, set by the scan itself
POINT_OPTIONS = ("points", "n_points", "spread")  # of NARX.decouple
DECOUPLE_OPTIONS = ("extrapolate", "tolerance", "max_branches", *POINT_OPTIONS)
REFINE_OPTIONS = ("held_out", "weights", "max_iterations")  # of NARX.refine
COMMON_AXES = ("n_branches", "method", "basis", "refine", "random_state")  # arguments of scan


@dataclass(frozen=True, eq=False)
class ScanCell:
    """One model to fit: the keywords of the call, and its settings in the table."""

    keywords: Mapping[str, Any] = field(repr=False)
    settings: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Text that identifies the settings, also in a store."""
        return json.dumps(dict(self.settings), sort_keys=True)


def make_cells(
    axes: Mapping[str, Any], grid: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> tuple[ScanCell, ...]:
    """Return all combinations, the last axis fastest.

    An option goes only to the methods that have it.

    >>> cells = make_cells({"n_branches": [1, 2], "method": ["varpro", "explicit"]},
    ...                    {"smoothness": [1.0, 10.0]}, {"n_starts": 3})
    >>> len(cells)  # varpro has no smoothness
    6
    """
    more = {} if grid is None else _check_grid(grid)
    _check_options({**more, **options}, axes["method"])
    values = {**{name: list_values(name, value) for name, value in axes.items()}, **more}
    for count in values["n_branches"]:
        if count != "auto":
            check_integer("n_branches", count)
    for seed in values.get("random_state", ()):
        if seed is not None:
            check_integer("random_state", seed, least=0)
    for basis in values.get("basis", ()):
        if not isinstance(basis, str) or basis != "auto":
            check_basis(basis)
    cells: dict[str, ScanCell] = {}
    for combination in product(*values.values()):
        cell = _make_cell({**options, **dict(zip(values, combination, strict=True))})
        cells.setdefault(cell.key, cell)
    return tuple(cells.values())


def check_refine(refine: Any, is_narx: bool) -> None:
    """Accept True and False, and for a NARX model options of its ``refine``."""
    for value in list_values("refine", refine):
        if value is None or isinstance(value, bool):
            continue
        if not (is_narx and isinstance(value, Mapping)):
            kinds = "True, False or a dict of options" if is_narx else "True or False"
            raise InvalidOptionError(f"refine is {value!r}: pass {kinds}")
        for name in value:
            if name not in REFINE_OPTIONS:
                raise InvalidOptionError(
                    f"refine has no option {name!r}: it has {', '.join(REFINE_OPTIONS)}"
                )


def make_bases(basis: Any, degree: Any) -> Any:
    """Return the given bases, or polynomials of the given degrees."""
    if degree is None:
        return basis
    if not (isinstance(basis, str) and basis == "auto"):
        raise InvalidOptionError("pass basis or degree, not both: degree=3 is basis=Polynomial(3)")
    return [Polynomial(check_integer("degree", d)) for d in list_values("degree", degree)]


def list_values(name: str, value: Any) -> Sequence[Any]:
    """Return the values of an axis as a list, which a single value is turned into."""
    single = isinstance(value, (str, int, float, Mapping, Basis)) or value is None
    if single or not isinstance(value, Iterable):
        return [value]
    values = list(value)
    if not values:
        raise InvalidOptionError(f"{name} is empty: name at least one value to try")
    return values


def _check_grid(grid: Any) -> dict[str, Sequence[Any]]:
    if not isinstance(grid, Mapping):
        raise InvalidOptionError(
            f"grid is {grid!r}: pass a dict of names and lists, {{'smoothness': [1, 10]}}"
        )
    for name, values in grid.items():
        if name in COMMON_AXES:
            raise InvalidOptionError(f"{name!r} is a separate argument: scan(..., {name}=[...])")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidOptionError(f"grid[{name!r}] is {values!r}: pass a list of values")
    return {str(name): list_values(f"grid[{name!r}]", values) for name, values in grid.items()}


def _check_options(options: Mapping[str, Any], methods: Any) -> None:
    """Reject options that no method of the scan has."""
    known = set(DECOUPLE_OPTIONS)
    for method in list_values("method", methods):
        known.update(_option_names(method))
    known -= set(RESERVED_OPTIONS)
    for name in options:
        if name == "callback":
            raise InvalidOptionError("callback is not an option of a scan: pass progress= instead")
        if name not in known:
            raise InvalidOptionError(
                f"no method of this scan has an option {name!r}; the options are "
                f"{', '.join(sorted(known - set(COMMON_AXES)))}"
            )


def _option_names(method: Any) -> list[str]:
    """Return the names of the options of a method, which is a name or a solver."""
    if isinstance(method, str):
        if method not in METHODS:
            names = ", ".join(map(repr, METHODS))
            raise InvalidOptionError(f"method is {method!r}: choose among {names}")
        return [field.name for field in fields(METHODS[method])]
    if isinstance(method, type) or not hasattr(method, "solve"):
        raise InvalidOptionError(
            f"method is {method!r}: a name or an object with solve() is needed"
        )
    return [field.name for field in fields(method)] if is_dataclass(method) else []


def _make_cell(values: Mapping[str, Any]) -> ScanCell:
    """Return the cell of one value per axis, without options of other methods."""
    method = values["method"]
    of_method = _option_names(method)
    keywords = {
        name: value
        for name, value in values.items()
        if name in (*of_method, *DECOUPLE_OPTIONS, *COMMON_AXES)
        and not (name == "refine" and value is None)
    }
    settings = {name: setting_to_json(name, value) for name, value in keywords.items()}
    if isinstance(method, str):
        return ScanCell({**keywords, "n_jobs": 1}, settings)
    fixed = {name: keywords.pop(name) for name in of_method if name in keywords and name != "basis"}
    fixed |= {"n_jobs": 1} if "n_jobs" in of_method else {}
    keywords.pop("random_state", None)
    return ScanCell({**keywords, "method": replace(method, **fixed) if fixed else method}, settings)
