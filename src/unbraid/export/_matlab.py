"""Decoupled functions and dynamic models as MATLAB or Octave functions."""

from pathlib import Path
from typing import Any

from .._util.validation import check_path, count_noun
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ._formula import translate_function
from ._matlab_code import write_functions, write_map
from ._matlab_step import write_block, write_step_function
from ._step_model import StepModel
from ._support import (
    check_ending,
    check_identifier,
    list_signals,
    resolve_model,
    resolve_step_model,
    write_file,
)

MATLAB_RESERVED = (
    "break case catch classdef continue do else elseif end endfunction endif endwhile for "
    "function global if otherwise parfor persistent return spmd switch try until while "
    "f g p z pieces legendre_series harmonics bumps size zeros ones sin cos exp min max"
)
MATLAB_STEP_RESERVED = f"{MATLAB_RESERVED} u y q state measured linear offset V W nargin isempty"


def to_matlab(
    model: Any, path: str | Path | None = None, name: str | None = None, *, x0: Any = None
) -> str:
    """A decoupled function or a dynamic model as a function file of MATLAB or Octave.

    Of a dynamic model, ``state = name()`` is the initial state and ``[y, state] = name(u, state)``
    computes one sample. NARX models also take measured outputs: ``[y, state] = name(u, state, y)``.
    The help has the names of the signals.

    Parameters
    ----------
    model : DecoupledFunction, NARX or StateSpace
        Dynamic models must be decoupled or linear.
    path : str or Path, optional
        Also write the text there: a file ``name.m``.
    name : str, optional
        Name of the function; by default that of the file, or "decoupled" or "model".
    x0 : (n_x,), optional
        Initial state of a dynamic model; zero by default.

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> print(unbraid.export.to_matlab(d, name="toy").splitlines()[0])
    function f = toy(p)
    """
    model = resolve_model(model, x0)
    is_dynamic = isinstance(model, StepModel)
    name = _choose_function_name(path, name, "model" if is_dynamic else "decoupled")
    reserved = MATLAB_STEP_RESERVED if is_dynamic else MATLAB_RESERVED
    check_identifier(name, "MATLAB", r"(?!branch_\d)[A-Za-z]\w{0,62}", reserved)
    text = write_step_function(model, name) if is_dynamic else _write_function(model, name)
    write_file(path, text.encode())
    return text


def to_simulink(model: Any, path: str | Path | None = None, *, x0: Any = None) -> str:
    """A dynamic model as the text of a MATLAB Function block of Simulink.

    The block is ``y = fcn(u)`` with the state in a persistent variable: one sample per call. It is
    made for code generation. Its sample time must be that of the model.

    Parameters
    ----------
    model : NARX or StateSpace
        Decoupled or linear.
    path : str or Path, optional
        Also write the text there: a file that ends in .m or .txt.
    x0 : (n_x,), optional
        Initial state; zero by default.

    Examples
    --------
    >>> from unbraid.statespace import StateSpace
    >>> model = StateSpace(None, 1, linear=[[0.5, 1.0], [2.0, 0.0]])
    >>> print("\\n".join(to_simulink(model).splitlines()[:2]))
    function y = fcn(u)
    %#codegen
    """
    step = resolve_step_model(model, x0)
    check_ending(path, ".m", ".txt")
    text = write_block(step)
    write_file(path, text.encode())
    return text


def _choose_function_name(path: str | Path | None, name: str | None, default: str) -> str:
    """MATLAB finds a function by the name of its file, so the two must agree."""
    if path is None:
        return default if name is None else name
    path = check_path(path)
    if path.suffix != ".m" or (name is not None and path.stem != name):
        raise InvalidOptionError(f"{path} must be called {name or path.stem}.m to be found")
    return path.stem


def _write_function(d: DecoupledFunction, name: str) -> str:
    """Return the file of a decoupled function."""
    formula = translate_function(d)
    inputs, outputs = (count_noun(n, "column") for n in (d.n_inputs, d.n_outputs))
    lines = [
        f"function f = {name}(p)",
        f"%{name.upper()}  f(p) = W g(V' p) + offset, every g_i a function of one variable.",
        f"%   f = {name}(p) takes N points as rows ({inputs}) and returns",
        f"%   N rows ({outputs}). {count_noun(d.n_branches, 'branch', 'es')}.",
        "%",
        "%   Written by unbraid from a decoupled function. Needs no toolbox.",
        *(f"%   {line}" for line in list_signals(d, "{}(:, {})", 1)),
        *write_map(formula, "p", "f"),
        "end",
    ]
    return "\n".join(lines) + "\n" + write_functions(formula)
