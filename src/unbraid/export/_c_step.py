"""Dynamic models in C: a source and a header."""

import textwrap

from ._c_step_templates import (
    C_HEADER,
    C_INIT,
    C_PUSH,
    C_PUSH_PROTOTYPE,
    C_SOURCE_HEAD,
    C_STEP,
)
from ._c_writer import CWriter, write_comment
from ._step_model import StepModel
from ._support import collect_sizes, describe_run, list_signals, wrap_list

C_ENTRIES = "s->x[{}]", "u[{}]"  # of [state; u]


def write_step_header(step: StepModel, name: str, dtype: str) -> str:
    """Return the header: the struct of the state and the functions."""
    words = {**CWriter(step.formula, name, dtype).words, **collect_sizes(step)}
    signals = list_signals(step, "{}[{}]", 0)
    return C_HEADER.substitute(
        words,
        guard=name.upper(),
        comments=write_comment([*describe_run(step), *signals]),
        push=C_PUSH_PROTOTYPE.substitute(words) if step.takes_measured else "",
    )


def write_step_source(step: StepModel, name: str, dtype: str, header: str) -> str:
    """Return the source, which includes a header of this name."""
    writer = CWriter(step.formula, name, dtype)
    words = {**writer.words, **collect_sizes(step)}
    limits = [
        f"    if (y[{o}] {sign} {writer.number(bound)})\n        y[{o}] = {writer.number(bound)};\n"
        for o, sign, bound in step.limits
    ]
    arguments = _list_entries(step, step.arguments, *C_ENTRIES)
    updates = _list_entries(step, step.updates, *C_ENTRIES, "q[{}]")
    step_words = {"arguments": arguments, "updates": updates, "limits": "".join(limits)}
    initial = textwrap.indent(writer.array("initial", step.initial_state), "    ").lstrip()
    parts = [
        C_SOURCE_HEAD.substitute(words, include=writer.include, header=header),
        writer.definitions(),
        writer.function(
            "static void {name}_map(const {real} p[{m}], {real} f[{n}])".format(**words)
        ),
        C_INIT.substitute(words, initial=initial),
        C_STEP.substitute(words, **step_words, unused=_mark_unused(arguments + updates, "u")),
    ]
    if step.takes_measured:
        measured = _list_entries(step, step.updates, *C_ENTRIES, "y[{}]")
        unused = _mark_unused(measured, "u", "y")
        parts.append(C_PUSH.substitute(words, measured=measured, unused=unused))
    return "".join(parts)


def _mark_unused(entries: str, *names: str) -> str:
    """Return statements against compiler warnings of unused arguments."""
    return "".join(f"    (void){name};\n" for name in names if f"{name}[" not in entries)


def _list_entries(step: StepModel, indices: tuple[int, ...], *forms: str) -> str:
    return wrap_list(step.name_entries(indices, *forms), "\n        ")
