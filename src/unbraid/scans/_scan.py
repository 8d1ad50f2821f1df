"""Many decouplings in one call: parallel, resumable, a table at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Literal

from .._decouple import column_names, samples_of
from .._util.documents import packed, unpacked
from .._util.parallel import check_n_jobs, import_joblib
from .._util.validation import positive_integer
from ..data._samples import Samples
from ..data._splitting import split
from ..errors import InvalidFile, InvalidOption
from ..model._description import checked_names
from ..narx import NARX
from ..solvers._base import Solver
from ..sources import parameter_count
from ._grid import DRAWING, Cell, bases_of, check_refine, make_cells
from ._problems import FunctionProblem, NarxProblem, Problem, records_from_dict
from ._progress import shown
from ._row import make_row, telling
from ._run import run_cells
from ._store import Store, read_store
from ._table import Scan, make_scan

Branches = int | Literal["auto"]


def scan(
    model: Any,
    points: Any = None,
    n_branches: Branches | Iterable[Branches] = range(1, 7),
    *,
    method: str | Solver | Sequence[str | Solver] = "varpro",
    basis: Any = "auto",
    degree: int | Iterable[int] | None = None,
    random_state: int | Iterable[int] = 0,
    refine: Any = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    held_out: float | Samples = 0.2,
    jacobian: Callable[..., Any] | None = None,
    inputs: Any = None,
    fixed: Any = None,
    outputs: Any = None,
    data: tuple[Any, Any] | None = None,
    test: tuple[Any, Any] | None = None,
    initial: int | None = None,
    names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    coupled_parameters: int | None = None,
    store: str | Path | None = None,
    n_jobs: int | None = None,
    progress: bool | Callable[[int, int, Any], None] | None = None,
    **options: Any,
) -> Scan:
    """Decouple in every way of a grid, and compare.

    Parameters
    ----------
    model, points, jacobian, inputs, fixed, outputs
        As for ``decouple``; or a NARX model, then with ``data``.
    n_branches, method, basis, degree, random_state, refine
        One value or a list of them each; all combinations are run. ``degree=3`` is short for
        ``basis=Polynomial(3)``. ``refine`` is on for NARX models; a dict has options of
        ``NARX.refine``.
    grid : dict of lists, optional
        More axes, of the methods' own options: ``{"smoothness": [1, 10], "window": [3, 5]}``.
        Methods that do not have an option are run once without it.
    held_out : float or Samples
        What no cell is fitted to before its error is known, the same for all.
    data, test : (u, y)
        Of a NARX model: records to decouple it for (by default those it was fitted to), and
        records that it is only tested on.
    initial : int, optional
        Of a NARX model: samples that each simulation starts from.
    names, output_names : list of str, optional
        Of inputs and outputs, kept with every function; by default the columns of a table.
    coupled_parameters : int, optional
        Numbers of the model, for the compression ratio, where it does not show them itself.
    store : path, optional
        SQLite file that takes every finished cell as soon as it arrives: call again after an
        interruption, or with a larger grid, and only what is missing is run.
    n_jobs : int, optional
        Processes, as joblib counts them: -1 is one per core. Its context
        (``joblib.parallel_config``) also names other backends: Dask, Ray. The numbers are the same
        to the bit. Where a worker process dies, ``WorkerError`` names the cells that are not
        finished; with a ``store``, calling again runs only these.
    progress : bool or callable, optional
        A bar, by default on a terminal; or a function of (done, total, row).
    **options
        Of the methods, the same in all cells.

    Returns
    -------
    Scan

    Examples
    --------
    >>> import unbraid
    >>> samples = unbraid.cases.toy_samples(random_state=0)
    >>> found = unbraid.scan(samples, n_branches=[1, 2, 3, 4], degree=3)
    >>> found.best().n_branches
    3
    """
    import_joblib("scan")
    axes = {
        "method": method,
        "n_branches": n_branches,
        "basis": bases_of(basis, degree),
        "refine": refine,
        "random_state": random_state,
    }
    check_refine(refine, isinstance(model, NARX))
    cells = make_cells(axes, grid, options)
    n_jobs = check_n_jobs(n_jobs)
    if coupled_parameters is not None:
        positive_integer("coupled_parameters", coupled_parameters)
    else:
        coupled_parameters = parameter_count(model)
    problem: Problem
    if isinstance(model, NARX):
        _only("a NARX model", points, jacobian, inputs, fixed, outputs, names, output_names)
        problem = NarxProblem(model, _records(model, data), test, initial, coupled_parameters)
    else:
        _only("no NARX model", data, test, initial)
        _no_drawing({**options, **(grid or {})})
        sampling = {"jacobian": jacobian, "inputs": inputs, "fixed": fixed, "outputs": outputs}
        samples = samples_of(model, points, **sampling)
        if not isinstance(held_out, Samples):
            split(samples, held_out)  # refuses what makes no sense before any work is done
        names = column_names(points) if names is None else names
        names = names and checked_names("names", names, samples.n_inputs, "p")
        outputs = output_names and checked_names(
            "output_names", output_names, samples.n_outputs, "f"
        )
        problem = FunctionProblem(samples, held_out, coupled_parameters, names, outputs)
    return _scanned(problem, cells, store, n_jobs, progress)


def _only(what: str, *others: Any) -> None:
    """Refuse arguments of the other kind of model."""
    if any(other is not None for other in others):
        of_functions = "points, jacobian, inputs, fixed, outputs and names"
        theirs = of_functions if what == "a NARX model" else "data, test and initial"
        raise InvalidOption(f"this is {what}: {theirs} do not belong to it")


def _no_drawing(options: Mapping[str, Any]) -> None:
    """Refuse what says how a NARX model draws its points."""
    for name in DRAWING:
        if name in options:
            raise InvalidOption(f"{name!r} is for NARX models: others are given their points")


def _records(model: NARX, data: Any) -> tuple[Any, Any]:
    """The records to decouple for: those given, or those the model was fitted to."""
    if data is not None:
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise InvalidOption("data must be (u, y)")
        return data[0], data[1]
    if model.data is None:
        raise InvalidOption("this NARX model has not seen data: pass data=(u, y)")
    items = model.data.items
    if model.data.several:
        return [item.u for item in items], [item.y for item in items]
    return items[0].u, items[0].y


def _scanned(
    problem: Problem, cells: Sequence[Cell], store: Any, n_jobs: int | None, progress: Any
) -> Scan:
    """Run what the store does not have; keep every outcome before anything else is done."""
    document = unpacked(packed(problem.document()))
    records = records_from_dict(document["records"]) if "records" in document else None
    opened = nullcontext() if store is None else Store(store, problem.fingerprint, document)
    with opened as kept:
        numbers = {cell.key: place for place, cell in enumerate(cells)}
        known: dict[str, dict[str, Any]] = {}
        if kept is not None:
            numbers = kept.plan(numbers)
            known = _known(kept, [cell.key for cell in cells])
        missing = [cell for cell in cells if cell.key not in known]
        names = telling([cell.settings for cell in cells])
        with (
            shown(progress, len(known), len(cells)) as told,
            closing(run_cells(problem, missing, n_jobs)) as found,
        ):
            for cell, content in found:
                if kept is not None:
                    kept.keep(cell.key, content)
                outcome = known[cell.key] = unpacked(content)
                told(len(known), len(cells), make_row(numbers[cell.key], outcome, names))
    path = None if store is None else Path(store)
    return make_scan(document, {numbers[c.key]: known[c.key] for c in cells}, records, path)


def _known(store: Store, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Cells that need not be run; those that failed for no reason of ours are tried again."""
    found = store.finished()
    return {key: found[key] for key in keys if key in found and not found[key]["unexpected"]}


def load_scan(path: str | Path) -> Scan:
    """The table of all finished cells in a store, in the order in which they were asked for."""
    document, cells = read_store(path)
    try:
        records = records_from_dict(document["records"]) if "records" in document else None
        return make_scan(document, cells, records, Path(path))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFile(f"{path} is damaged: {error}") from None
