"""Checks and file output that all exports share."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._util.atomic import write_files
from .._util.validation import check_integer, check_path, count_noun
from ..errors import InvalidOptionError, MissingExtraError
from ..model._function import DecoupledFunction
from ..model._names import resolve_names
from ._step_model import StepModel

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
MOST_EXPORT_DIGITS = 100
SOURCE_WIDTH = 88  # characters per line of a list of parameters in generated code


def load_extra(package: str) -> Any:
    """Import an optional package, or raise MissingExtraError.

    The extra has the name of the package.
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtraError(
            f"this export needs {package}: pip install 'unbraid[{package}]'"
        ) from None


def write_file(path: str | Path | None, content: bytes) -> None:
    """Write the content if a path is given."""
    if path is not None:
        write_files((check_path(path), content))


def check_function(d: Any) -> None:
    """Refuse anything but a DecoupledFunction; the message says where to find one."""
    if isinstance(d, DecoupledFunction):
        return
    hint = "unbraid.decouple makes one, unbraid.load reads one"
    if hasattr(d, "function"):
        hint = "of a NARX model pass its .function"
    elif hasattr(d, "decoupled_"):
        hint = "of a regressor pass its .decoupled_"
    raise InvalidOptionError(f"{type(d).__name__} is no DecoupledFunction: {hint}")


def resolve_model(model: Any, x0: Any = None) -> DecoupledFunction | StepModel:
    """Return a decoupled function, or a dynamic model as the equations of one sample.

    ``x0`` replaces the initial state of a dynamic model.
    """
    if hasattr(model, "step_model"):
        model = model.step_model()
    if isinstance(model, StepModel):
        return model if x0 is None else model.with_initial_state(x0)
    check_function(model)
    if x0 is not None:
        raise InvalidOptionError("x0 is the initial state of a dynamic model: leave it out here")
    function: DecoupledFunction = model
    return function


def resolve_step_model(model: Any, x0: Any = None) -> StepModel:
    """Return a dynamic model as the equations of one sample; refuse functions."""
    resolved = resolve_model(model, x0)
    if not isinstance(resolved, StepModel):
        raise InvalidOptionError(
            "a decoupled function has no state: pass a NARX or state-space model, or use to_c or "
            "to_matlab"
        )
    return resolved


def check_ending(path: str | Path | None, *endings: str) -> None:
    """Refuse a path that does not end as files of this language do."""
    if path is not None and check_path(path).suffix not in endings:
        raise InvalidOptionError(f"{path} must end in {' or '.join(endings)}")


def check_dtype(dtype: Any) -> None:
    """Refuse anything but the names of the two real types."""
    if not isinstance(dtype, str) or dtype not in ("float64", "float32"):
        raise InvalidOptionError(f"dtype is {dtype!r}: choose 'float64' or 'float32'")


def check_float32_range(values: Any) -> None:
    """Refuse finite parameters that overflow in single precision."""
    size = np.abs(np.asarray(values, dtype=float))
    if np.any(size[np.isfinite(size)] > LARGEST_FLOAT32):
        raise InvalidOptionError(
            "this function has parameters beyond the range of single precision, 3.4e38: export it "
            "in double precision"
        )


def check_digits(digits: Any) -> int:
    """Return the number of digits to write, or raise InvalidOptionError."""
    if check_integer("digits", digits) > MOST_EXPORT_DIGITS:
        raise InvalidOptionError(
            f"digits is {digits}: a number has 17, at most {MOST_EXPORT_DIGITS} are shown"
        )
    return int(digits)


def check_identifier(name: Any, language: str, pattern: str, reserved: str) -> str:
    """Return a valid name of a function, or raise InvalidOptionError."""
    matches = isinstance(name, str) and re.fullmatch(pattern, name, re.ASCII)
    if not matches or name in reserved.split():
        raise InvalidOptionError(
            f"{name!r} cannot name a function in {language}: use letters, digits and "
            f"underscores, a letter first, and no word that {language} or the file itself uses"
        )
    return str(name)


def choose_input_names(names: Sequence[str] | None, d: DecoupledFunction) -> list[str]:
    """Return the given names of the inputs, those of the function, or p1, p2, ..."""
    names = d.input_names if names is None else names
    if names is None:
        return [f"p{l + 1}" for l in range(d.n_inputs)]
    if isinstance(names, str):
        raise InvalidOptionError(
            f"names is {names!r}: pass {d.n_inputs} different names, one per input"
        )
    checked = resolve_names("names", names, d.n_inputs, "p")
    if not all(name.strip() for name in checked):
        raise InvalidOptionError(f"names is {list(checked)}: a name is empty")
    return list(checked)


def to_one_line(name: str) -> str:
    """A name without line breaks and other characters that are not printable."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in name).split())


def list_signals(
    model: DecoupledFunction | StepModel, form: str, first: int, state: str = "x"
) -> list[str]:
    """Lines such as ``p[0]  speed [m/s]``, one per signal with a name.

    ``form`` is how the language writes an entry, ``first`` the index that it begins with, and
    ``state`` what a generated file calls the state.
    """
    if isinstance(model, StepModel):
        names = {"u": model.input_names, "y": model.output_names, state: model.state_names}
    else:
        names = {"p": model.input_names or (), "f": model.output_names or ()}
    return [
        f"{form.format(letter, index)}  {to_one_line(name)}"
        for letter, listed in names.items()
        for index, name in enumerate(listed, first)
    ]


def describe_size(step: StepModel) -> str:
    """Return what a dynamic model consists of, in words."""
    counts = {"input": step.n_inputs, "output": step.n_outputs, "state": step.n_states}
    listed = [count_noun(count, word) for word, count in counts.items()]
    return ", ".join([*listed, count_noun(step.n_branches, "branch", "es")])


def collect_sizes(step: StepModel) -> dict[str, Any]:
    """Return the kind and the sizes of a dynamic model, as words of a template."""
    return {
        "kind": step.kind,
        "size": describe_size(step),
        "n_inputs": step.n_inputs,
        "n_outputs": step.n_outputs,
        "n_states": step.n_states,
        "first_output": step.offset.size - step.n_outputs,
    }


def describe_run(step: StepModel) -> list[str]:
    """Return lines with the initial state and, if it is known, the sampling time."""
    lines = [f"Initial state: {step.start}"]
    if step.sampling_time is not None:
        lines.append(f"Sampling time: {step.sampling_time:.12g} s")
    return lines


def wrap_list(items: Iterable[str], separator: str) -> str:
    """Join items with commas and break long lines with the separator."""
    return separator.join(textwrap.wrap(", ".join(items), SOURCE_WIDTH, break_on_hyphens=False))
