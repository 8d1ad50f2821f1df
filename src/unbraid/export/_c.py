"""Decoupled functions and dynamic models as C files without dependencies."""

from pathlib import Path
from typing import Any

from .._util.atomic import write_files
from .._util.validation import check_path, count_noun
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ._c_step import write_step_header, write_step_source
from ._c_templates import C_HEAD, C_JACOBIAN
from ._c_writer import CWriter, write_comment
from ._formula import translate_function
from ._step_model import StepModel
from ._support import (
    check_dtype,
    check_ending,
    check_identifier,
    list_signals,
    resolve_model,
    resolve_step_model,
    write_file,
)

C_RESERVED = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm bool true false main acos asin atan atan2 cbrt ceil "
    "cos cosf cosh erf exp exp2 expf expm1 fabs floor fma fmax fmin fmod frexp hypot ldexp lgamma "
    "log log10 log1p log2 lrint lround modf nan pow remainder rint round sin sinf sinh sqrt tan "
    "tanh tgamma trunc y0 y1 yn j0 j1 jn gamma isnan isinf isfinite signbit NAN INFINITY HUGE_VAL"
)


def to_c(
    model: Any,
    path: str | Path | None = None,
    name: str | None = None,
    dtype: str = "float64",
    *,
    x0: Any = None,
) -> str:
    """Return a C99 file as text, of a decoupled function or of a dynamic model.

    Of a function it has the values and the Jacobian. Of a dynamic model it has ``name_init`` and
    ``name_step``, and ``name_push`` if the model is a NARX model; it includes the header that
    ``to_c_header`` returns. Comments have the names of the signals.

    Parameters
    ----------
    model : DecoupledFunction, NARX or StateSpace
        Dynamic models must be decoupled or linear.
    path : str or Path, optional
        Also write the text there, and the header of a dynamic model beside it.
    name : str, optional
        Name of the C function, whose Jacobian is ``name_jacobian``, or prefix of the names of a
        dynamic model. By default "decoupled" or "model".
    dtype : {"float64", "float32"}
        ``double`` or ``float``.
    x0 : (n_x,), optional
        Initial state of a dynamic model; zero by default.

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> "void toy(const double p[2], double f[2])" in unbraid.export.to_c(d, name="toy")
    True
    """
    model = resolve_model(model, x0)
    if isinstance(model, StepModel):
        return _write_step_files(model, path, _check_name("model" if name is None else name), dtype)
    text = _write_function(model, _check_name("decoupled" if name is None else name), dtype)
    write_file(path, text.encode())
    return text


def to_c_header(
    model: Any, path: str | Path | None = None, name: str = "model", dtype: str = "float64"
) -> str:
    """Return the header of the C file of a dynamic model.

    Arguments are those of ``to_c``, which writes the header as well where it has a path.

    Examples
    --------
    >>> from unbraid.statespace import StateSpace
    >>> model = StateSpace(None, 1, linear=[[0.5, 1.0], [2.0, 0.0]])
    >>> "void pump_step(" in to_c_header(model, name="pump")
    True
    """
    step = resolve_step_model(model)
    check_ending(path, ".h")
    check_dtype(dtype)
    text = write_step_header(step, _check_name(name), dtype)
    write_file(path, text.encode())
    return text


def _check_name(name: Any) -> str:
    return check_identifier(name, "C", r"[A-Za-z]\w*", C_RESERVED)


def _write_step_files(step: StepModel, path: str | Path | None, name: str, dtype: str) -> str:
    """Return the source of a dynamic model; write it and its header to a path."""
    check_dtype(dtype)
    if path is None:
        return write_step_source(step, name, dtype, f"{name}.h")
    check_ending(path, ".c")
    path = check_path(path)
    header = path.with_suffix(".h")
    if set(header.name) & set('"\\\n\r'):
        raise InvalidOptionError(f"a C file cannot include {header.name!r}: use plain letters")
    text = write_step_source(step, name, dtype, header.name)
    write_files((path, text.encode()), (header, write_step_header(step, name, dtype).encode()))
    return text


def _write_function(d: DecoupledFunction, name: str, dtype: str) -> str:
    """Return the file of a decoupled function."""
    check_dtype(dtype)
    writer = CWriter(translate_function(d), name, dtype)
    signals = write_comment(list_signals(d, "{}[{}]", 0))
    head = C_HEAD.substitute(
        writer.words,
        inputs=count_noun(d.n_inputs, "input"),
        outputs=count_noun(d.n_outputs, "output"),
        branches=count_noun(d.n_branches, "branch", "es"),
        signals=f"{signals}\n" if signals else "",
        include=f"\n{writer.include}" if writer.include else "",
    )
    signature = "void {name}(const {real} p[{m}], {real} f[{n}])".format(**writer.words)
    jacobian = C_JACOBIAN.substitute(writer.words)
    return "".join([head, writer.definitions(), writer.function(signature), jacobian])
