"""``scan`` and ``load_scan``: many decouplings in one call."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Literal

from .._decouple import samples_of
from .._util.documents import pack_document, unpack_document
from .._util.parallel import check_n_jobs, import_joblib
from .._util.validation import check_integer
from ..data._samples import Samples
from ..data._splitting import split_samples
from ..errors import InvalidFileError, InvalidOptionError
from ..model._names import resolve_names
from ..narx import NARX
from ..solvers._base import Solver
from ..sources import parameter_count
from ..statespace import StateSpace
from ._grid import POINT_OPTIONS, ScanCell, check_refine, make_bases, make_cells
from ._problems import FunctionProblem, NarxProblem, ScanProblem
from ._progress import show_progress
from ._row import find_varying, make_row
from ._run import run_cells
from ._state_problem import StateScanProblem, make_state_cells
from ._store import open_store, read_store
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
    n_states: int | Iterable[int] | None = None,
    store: str | Path | None = None,
    n_jobs: int | None = None,
    progress: bool | Callable[[int, int, Any], None] | None = None,
    **options: Any,
) -> Scan:
    """Decouple with every combination of settings in a grid, and compare the results.

    Parameters
    ----------
    model, points, jacobian, inputs, fixed, outputs
        As for ``decouple``; or a NARX model, then with ``data``; or a state-space model: a linear
        one, to which branches are added as by ``statespace.identify``, or a coupled one.
    n_branches, method, basis, degree, random_state, refine
        One value or a list of them each; all combinations are run. ``degree=3`` is short for
        ``basis=Polynomial(3)``. ``refine`` is on for NARX models; a dict has options of
        ``NARX.refine``.
    grid : dict of lists, optional
        More axes, options of the methods: ``{"smoothness": [1, 10], "window": [3, 5]}``.
        Methods that do not have an option are run once without it.
    held_out : float or Samples
        Points that no cell is fitted to before its error is known, the same for all cells.
    data, test : (u, y)
        For a dynamic model: records to fit (by default those it was fitted to), and records that
        it is only tested on.
    initial : int, optional
        For a dynamic model: samples that each simulation starts from.
    names, output_names : list of str, optional
        Names of inputs and outputs, kept with every function; by default the columns of a table.
    coupled_parameters : int, optional
        Parameters of the model, for the compression ratio, where they cannot be counted.
    n_states : int or list of int, optional
        For a linear state-space model: numbers of states to try; by default its own.
    store : path, optional
        SQLite file that every finished cell is written to at once: call again after an
        interruption, or with a larger grid, and only missing cells are run.
    n_jobs : int, optional
        Number of processes in the convention of joblib: -1 is one per core. Its context
        (``joblib.parallel_config``) selects other backends: Dask, Ray. Results are the same to the
        bit. If a worker process dies, ``WorkerError`` names the cells that are not finished; with
        a ``store``, calling again runs only these.
    progress : bool or callable, optional
        A bar, by default on a terminal; or a function of (done, total, row).
    **options
        Options of the methods, the same in all cells.

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
        "basis": make_bases(basis, degree),
        "refine": refine,
        "random_state": random_state,
    }
    n_jobs = check_n_jobs(n_jobs)
    if coupled_parameters is not None:
        check_integer("coupled_parameters", coupled_parameters)
    elif isinstance(model, StateSpace):
        coupled_parameters = None if model.function is None else model.degrees_of_freedom
    else:
        coupled_parameters = parameter_count(model)
    sampling = {"jacobian": jacobian, "inputs": inputs, "fixed": fixed, "outputs": outputs}
    if isinstance(model, StateSpace):
        others = {"points": points, **sampling, "names": names, "output_names": output_names}
        _reject_arguments("a state-space model", {**others, "refine": refine})
        _reject_arguments(
            "a state-space model", {"method": None if method in ("varpro", ["varpro"]) else method}
        )
        found = _find_data(model, data)
        states = StateScanProblem(model, found, test, initial, coupled_parameters)
        state_cells = make_state_cells(model, {**axes, "n_states": n_states}, grid, options)
        return _run_scan(states, state_cells, store, n_jobs, progress)
    _reject_arguments("not a state-space model", {"n_states": n_states})
    check_refine(refine, isinstance(model, NARX))
    cells = make_cells(axes, grid, options)
    if isinstance(model, NARX):
        naming = {"names": names, "output_names": output_names}
        _reject_arguments("a NARX model", {"points": points, **sampling, **naming})
        data = _find_data(model, data)
        problem: ScanProblem = NarxProblem(model, data, test, initial, coupled_parameters)
    else:
        point_options = {k: v for k, v in {**(grid or {}), **options}.items() if k in POINT_OPTIONS}
        dynamic = {"data": data, "test": test, "initial": initial}
        _reject_arguments("not a NARX model", {**dynamic, **point_options})
        samples = samples_of(model, points, **sampling)
        if not isinstance(held_out, Samples):
            split_samples(samples, held_out)  # rejects an invalid share before any work is done
        names = samples.input_names if names is None else names
        names = names and resolve_names("names", names, samples.n_inputs, "p")
        output_names = output_names and resolve_names(
            "output_names", output_names, samples.n_outputs, "f"
        )
        problem = FunctionProblem(samples, held_out, coupled_parameters, names, output_names)
    return _run_scan(problem, cells, store, n_jobs, progress)


def _reject_arguments(kind: str, arguments: Mapping[str, Any]) -> None:
    """Reject arguments that belong to the other kind of model."""
    for name, value in arguments.items():
        if value is not None:
            raise InvalidOptionError(f"the model is {kind}: {name!r} does not apply to it")


def _find_data(model: NARX | StateSpace, data: Any) -> tuple[Any, Any]:
    """Return the given records (u, y), or those the model was fitted to."""
    if data is not None:
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise InvalidOptionError("data must be (u, y)")
        return data[0], data[1]
    if model.data is None:
        kind = "NARX" if isinstance(model, NARX) else "state-space"
        raise InvalidOptionError(f"this {kind} model holds no data: pass data=(u, y)")
    items = model.data.items
    if model.data.several:
        return [item.u for item in items], [item.y for item in items]
    return items[0].u, items[0].y


def _run_scan(
    problem: ScanProblem, cells: Sequence[ScanCell], path: Any, n_jobs: int | None, progress: Any
) -> Scan:
    """Run the cells that the store lacks; write every outcome to it at once."""
    document = unpack_document(pack_document(problem.document()))
    opened = nullcontext() if path is None else open_store(path, problem.fingerprint, document)
    with opened as store:
        numbers = {cell.key: position for position, cell in enumerate(cells)}
        outcomes: dict[str, dict[str, Any]] = {}
        if store is not None:
            requested = numbers
            numbers = store.assign_numbers(requested)
            finished = store.read_finished().items()  # cells that failed unexpectedly are repeated
            outcomes = {k: o for k, o in finished if k in requested and not o["unexpected"]}
        missing = [cell for cell in cells if cell.key not in outcomes]
        varying = find_varying([cell.settings for cell in cells])
        with (
            show_progress(progress, len(outcomes), len(cells)) as report_progress,
            closing(run_cells(problem, missing, n_jobs)) as results,
        ):
            for cell, content in results:
                if store is not None:
                    store.save(cell.key, content)
                outcome = outcomes[cell.key] = unpack_document(content)
                row = make_row(numbers[cell.key], outcome, varying)
                report_progress(len(outcomes), len(cells), row)
    found = {numbers[cell.key]: outcomes[cell.key] for cell in cells}
    return make_scan(document, found, None if path is None else Path(path))


def load_scan(path: str | Path) -> Scan:
    """Return the table of all finished cells in a store, ordered by number."""
    document, outcomes = read_store(path)
    try:
        return make_scan(document, outcomes, Path(path))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFileError(f"{path} is damaged: {error}") from None
