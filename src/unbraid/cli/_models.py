"""From the MODEL on the command line to samples, or to a table of data without Jacobians."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from .._typing import Array
from ..data._samples import Samples
from ..errors import InvalidFile, InvalidOption, SamplingError, UnbraidError
from ..sampling import uniform
from ..sources import as_function, read_samples, sample
from ..sources._files import is_data_file
from ._sections import refuse
from ._tables import Table, lacks_jacobians, points_of, sample_names, table_of

OTHER_TABLES = (".xlsx", ".xls", ".ods", ".txt", ".dat", ".tsv", ".parquet", ".feather")
KINDS = "an .onnx file, module:function, or a .mat, .npz or .csv file of samples"


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be decoupled: samples, or a table where there are no Jacobians."""

    stem: str
    samples: Samples | None
    table: Table | None = None
    names: Sequence[str] | None = None
    outputs: Sequence[str] | None = None
    model: Any = None
    partial: bool = False  # there are Jacobians, and they belong to others than the table


def problem_of(options: SimpleNamespace) -> Problem:
    """Read MODEL and evaluate it at the points that the options name."""
    text = options.model
    if is_data_file(text):
        refuse(
            options,
            ("points", "box", "n_points", "inputs_count"),
            f"is for models: {text} holds its own points",
        )
        return _from_data(Path(text), options)
    if Path(text).suffix.lower() in OTHER_TABLES:
        raise InvalidFile(f"{text} is not read: save the table as .csv")
    refuse(options, ("target", "features"), f"names columns of a table; {text} is none")
    if not options.box:
        refuse(options, ("n_points",), "is for --box, which draws the points")
    with redirect_stdout(sys.stderr):  # what a user's model prints is no result of ours
        return _from_model(text, options)


def _from_model(text: str, options: SimpleNamespace) -> Problem:
    model, stem = opened(text)
    if isinstance(model, Samples):
        return Problem(stem, model, None, options.names, options.output_names)
    points, names = _points(model, options)
    names = options.names or names or _own_names(model)
    return Problem(stem, sampled(text, model, points), None, names, options.output_names, model)


def _from_data(path: Path, options: SimpleNamespace) -> Problem:
    partial = not lacks_jacobians(path)
    if partial:
        found = _with_jacobians(path, options)
        if found is not None:
            return found
    table = table_of(path, options.target, options.features)
    names, outputs = options.names or table.names, options.output_names or table.outputs
    return Problem(path.stem, None, table, names, outputs, partial=partial)


def _with_jacobians(path: Path, options: SimpleNamespace) -> Problem | None:
    """Samples in a file; None where inputs are named that its Jacobians do not belong to."""
    points, values = options.features, options.target
    arrays = path.suffix.lower() != ".csv"
    if arrays and any(listed and len(listed) > 1 for listed in (points, values)):
        raise InvalidOption(
            f"{path} has Jacobians: name one array with --target and one with --features"
        )
    asked = {
        "points": points[0] if points and arrays else points,
        "values": values[0] if values and arrays else values,
    }
    try:
        samples = read_samples(path, **asked)
    except InvalidFile as error:
        if points and values:
            return None
        hint = "; --features NAME,NAME says which are inputs, and fits the data alone"
        raise InvalidFile(f"{error}{hint if values else ''}") from error
    names, outputs = sample_names(path, **asked)
    return Problem(
        path.stem, samples, None, options.names or names, options.output_names or outputs
    )


def opened(text: str) -> tuple[Any, str]:
    """The model that MODEL stands for, and a name for files about it."""
    if Path(text).suffix.lower() == ".onnx":
        if not Path(text).is_file():
            raise InvalidFile(f"cannot read {text}: there is no such file")
        return Path(text), Path(text).stem
    module, colon, attribute = text.rpartition(":")
    if not colon or not module or not attribute:
        raise InvalidOption(f"MODEL is {text!r}: pass {KINDS}{_hint(text)}")
    found: Any = _module(module)
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise InvalidOption(f"{module} has no {attribute!r}; it has {_public(found)}")
        found = getattr(found, name)
    return found, attribute.rpartition(".")[2]


def _hint(text: str) -> str:
    """For a module without a function."""
    name = text.removesuffix(".py")
    return (
        f"; for a function in {name}.py write {name}:NAME" if Path(f"{name}.py").is_file() else ""
    )


def _public(found: Any) -> str:
    names = (
        [name for name in vars(found) if not name.startswith("_")]
        if hasattr(found, "__dict__")
        else []
    )
    return ", ".join(names[:12]) or "nothing"


def _module(name: str) -> ModuleType:
    """A module by its name, from the current folder too, or by the path of its file."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    invalidate_caches()
    try:
        if name.endswith(".py"):
            return _from_file(Path(name))
        if find_spec(name) is None:
            raise ModuleNotFoundError(name=name)
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise InvalidOption(
                f"there is no module {missing!r} in the current folder or among the installed ones"
            ) from None
        raise InvalidOption(
            f"{name} needs the module {missing!r}, which is not installed"
        ) from error
    except (UnbraidError, OSError):
        raise
    except (Exception, SystemExit) as error:
        raise InvalidOption(f"importing {name} raised {type(error).__name__}: {error}") from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InvalidFile(f"cannot read {path}: there is no such file")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # so that what it defines can go to other processes
    spec.loader.exec_module(module)
    return module


def sampled(text: str, model: Any, points: Array) -> Samples:
    """Values and Jacobians at the points; whatever a user's model raises is told in a line."""
    try:
        return sample(model, points)
    except (UnbraidError, OSError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise SamplingError(f"{text} raised {type(error).__name__}: {error}") from error


def _points(model: Any, options: SimpleNamespace) -> tuple[Array, Sequence[str] | None]:
    if options.points and options.box:
        raise InvalidOption("--points and --box are two ways to say the same: keep one")
    if options.points:
        return points_of(options.points, options.inputs_count or _n_inputs(model))
    if not options.box:
        raise InvalidOption(
            f"where is {options.model} to be evaluated? --box LOW:HIGH draws points, --points FILE "
            f"reads them"
        )
    ranges = options.box
    count = options.inputs_count or _n_inputs(model)
    if len(ranges) == 1 and count is None:
        raise InvalidOption(
            f"{options.model} does not say how many inputs it has: give --box a range for each, "
            f"or say --inputs-count N (1 where this is the one range of its one input)"
        )
    if count is not None and len(ranges) not in (1, count):
        raise InvalidOption(f"--box has {len(ranges)} ranges for {count} inputs")
    low, high = zip(*(ranges * count if len(ranges) == 1 and count else ranges), strict=True)
    return uniform(options.n_points, low, high, options.seed), None


def _n_inputs(model: Any) -> int | None:
    """Number of inputs, where a model says so."""
    if isinstance(model, Path):
        width = as_function(model).tensor.width  # type: ignore[attr-defined]
        return None if width is None else int(width)
    for name in ("n_features_in_", "n_inputs"):
        if isinstance(getattr(model, name, None), int):
            return int(getattr(model, name))
    layers = model.modules() if callable(getattr(model, "modules", None)) else ()
    widths = (getattr(layer, "in_features", None) for layer in layers)
    return next((int(width) for width in widths if width is not None), None)


def _own_names(model: Any) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
