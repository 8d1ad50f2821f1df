"""Read the MODEL of a command: samples, or a table without Jacobians."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from .._typing import Array
from ..data._samples import Samples
from ..errors import InvalidFileError, InvalidOptionError, SamplingError, UnbraidError
from ..sampling import uniform
from ..sources import as_function, read_samples, sample
from ..sources._files import is_data_file
from ..sources._text import MAX_LISTED_NAMES
from ._sections import reject_options
from ._tables import DataTable, has_jacobians, read_data_table, read_points, read_sample_names

UNSUPPORTED_TABLES = (".xlsx", ".xls", ".ods", ".txt", ".dat", ".tsv", ".parquet", ".feather")


@dataclass(frozen=True, eq=False)
class ModelInput:
    """The data of a model: samples, or a table where there are no Jacobians."""

    stem: str  # of the names of output files
    data: Samples | DataTable
    names: Sequence[str] | None = None
    outputs: Sequence[str] | None = None
    model: Any = None
    has_other_jacobians: bool = False  # the file has Jacobians, of other columns than the table


def read_model_input(options: SimpleNamespace) -> ModelInput:
    """Read MODEL and evaluate it at the points that the options define."""
    text = options.model
    if is_data_file(text):
        unused = ("points", "box", "n_points", "inputs_count")
        reject_options(options, unused, f"is for models: {text} holds its own points")
        return _read_data_file(Path(text), options)
    if Path(text).suffix.lower() in UNSUPPORTED_TABLES:
        raise InvalidFileError(f"{text} is not read: save the table as .csv")
    reject_options(options, ("target", "features"), f"names columns of a table; {text} is none")
    if not options.box:
        reject_options(options, ("n_points",), "is for --box, which draws the points")
    with redirect_stdout(sys.stderr):  # standard output is for results, not for a model's prints
        return _sample_model(text, options)


def _read_data_file(path: Path, options: SimpleNamespace) -> ModelInput:
    with_jacobians = has_jacobians(path)
    if with_jacobians:
        found = _read_samples(path, options)
        if found is not None:
            return found
    table = read_data_table(path, options.target, options.features)
    names, outputs = options.names or table.names, options.output_names or table.outputs
    return ModelInput(path.stem, table, names, outputs, has_other_jacobians=with_jacobians)


def _read_samples(path: Path, options: SimpleNamespace) -> ModelInput | None:
    """Samples in a file; None if the named columns have no Jacobians in it."""
    points, values = options.features, options.target
    arrays = path.suffix.lower() != ".csv"
    if arrays and any(names and len(names) > 1 for names in (points, values)):
        raise InvalidOptionError(
            f"{path} has Jacobians: name one array with --target and one with --features"
        )
    columns = {
        "points": points[0] if points and arrays else points,
        "values": values[0] if values and arrays else values,
    }
    try:
        samples = read_samples(path, **columns)
    except InvalidFileError as error:
        if points and values:
            return None
        hint = "; --features NAME,NAME names the inputs, and fits the data without Jacobians"
        raise InvalidFileError(f"{error}{hint if values else ''}") from error
    names, outputs = read_sample_names(path, **columns)
    return ModelInput(path.stem, samples, options.names or names, options.output_names or outputs)


def _sample_model(text: str, options: SimpleNamespace) -> ModelInput:
    model, stem = _load_model(text)
    if isinstance(model, Samples):
        return ModelInput(stem, model, options.names, options.output_names)
    points, names = _read_or_draw_points(model, options)
    features = getattr(model, "feature_names_in_", None)
    if not names and features is not None:
        names = [str(name) for name in features]
    try:
        samples = sample(model, points)
    except (UnbraidError, OSError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a user's model may raise anything
        raise SamplingError(f"{text} raised {type(error).__name__}: {error}") from error
    return ModelInput(stem, samples, options.names or names, options.output_names, model)


def _load_model(text: str) -> tuple[Any, str]:
    """The model that MODEL names, and a stem for names of output files."""
    path = Path(text)
    if path.suffix.lower() == ".onnx":
        if not path.is_file():
            raise InvalidFileError(f"cannot read {text}: there is no such file")
        return path, path.stem
    module, _, attribute = text.rpartition(":")
    if not module or not attribute:
        stem = text.removesuffix(".py")
        hint = f"; for a function in {stem}.py write {stem}:NAME"
        raise InvalidOptionError(
            f"MODEL is {text!r}: pass an .onnx file, module:function, or a .mat, .npz or .csv file "
            f"of samples{hint if Path(f'{stem}.py').is_file() else ''}"
        )
    found: Any = _import_module(module)
    for name in attribute.split("."):
        if not hasattr(found, name):
            public = [key for key in getattr(found, "__dict__", ()) if not key.startswith("_")]
            listed = ", ".join(public[:MAX_LISTED_NAMES]) or "nothing"
            raise InvalidOptionError(f"{module} has no {attribute!r}; it has {listed}")
        found = getattr(found, name)
    return found, attribute.rpartition(".")[2]


def _import_module(name: str) -> ModuleType:
    """Import a module by name or by the path of its file.

    The current folder is searched, too.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    invalidate_caches()
    try:
        if name.endswith(".py"):
            return _import_file(Path(name))
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise InvalidOptionError(
                f"there is no module {missing!r} in the current folder or among the installed ones"
            ) from None
        raise InvalidOptionError(
            f"{name} needs the module {missing!r}, which is not installed"
        ) from error
    except (UnbraidError, OSError):
        raise
    except (Exception, SystemExit) as error:
        raise InvalidOptionError(
            f"importing {name} raised {type(error).__name__}: {error}"
        ) from error


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InvalidFileError(f"cannot read {path}: there is no such file")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # its functions can then be sent to other processes
    spec.loader.exec_module(module)
    return module


def _read_or_draw_points(
    model: Any, options: SimpleNamespace
) -> tuple[Array, Sequence[str] | None]:
    """Operating points from a file or a box, and the names of their columns."""
    if options.points and options.box:
        raise InvalidOptionError("--points and --box both define the points: keep one")
    if not options.points and not options.box:
        raise InvalidOptionError(
            f"where is {options.model} to be evaluated? --box LOW:HIGH draws points, --points FILE "
            f"reads them"
        )
    count = options.inputs_count or _count_inputs(model)
    if options.points:
        return read_points(options.points, count)
    ranges = options.box
    if len(ranges) == 1 and count is None:
        raise InvalidOptionError(
            f"{options.model} does not define its number of inputs: give --box a range for each, "
            f"or say --inputs-count N (1 where this is the one range of its one input)"
        )
    if count is not None and len(ranges) not in (1, count):
        raise InvalidOptionError(f"--box has {len(ranges)} ranges for {count} inputs")
    low, high = zip(*(ranges * count if len(ranges) == 1 else ranges), strict=True)
    return uniform(options.n_points, low, high, options.seed), None


def _count_inputs(model: Any) -> int | None:
    """The number of inputs, where the model defines it."""
    if isinstance(model, Path):
        width = as_function(model).tensor.width  # type: ignore[attr-defined]
        return None if width is None else int(width)
    for name in ("n_features_in_", "n_inputs"):
        if isinstance(getattr(model, name, None), int):
            return int(getattr(model, name))
    layers = model.modules() if callable(getattr(model, "modules", None)) else ()
    widths = (getattr(layer, "in_features", None) for layer in layers)
    return next((int(width) for width in widths if width is not None), None)
