"""Dynamic models in MATLAB: a function of the state, and a Simulink block."""

from ._matlab_code import assign, number, write_functions, write_map
from ._step_model import StepModel
from ._support import describe_run, describe_size, list_signals, wrap_list

MATLAB_ENTRIES = "state({})", "u({})"  # of [state; u]


def write_step_function(step: StepModel, name: str) -> str:
    """Return the file of a function ``[y, state] = name(u, state)``."""
    arguments = "u, state, measured" if step.takes_measured else "u, state"
    lines = [
        f"function [y, state] = {name}({arguments})",
        *_write_help(step, name),
        "if nargin == 0",
        f"    {assign('y', step.initial_state)}",
        "    return",
        "end",
        *(_write_push(step) if step.takes_measured else ()),
        *_write_step(step, "y"),
        "end",
    ]
    return "\n".join(lines) + "\n" + write_functions(step.formula)


def _write_help(step: StepModel, name: str) -> list[str]:
    lines = [
        f"{name.upper()}  One sample of a {step.kind}: {describe_size(step)}.",
        f"  state = {name}() returns the initial state, a row.",
        f"  [y, state] = {name}(u, state) returns the outputs y(t) for the inputs u(t), and the",
        "  state at t + 1.",
    ]
    if step.takes_measured:
        lines.append(f"  [y, state] = {name}(u, state, y) enters measured outputs instead.")
    lines += ["", "  Written by unbraid. Needs no toolbox."]
    lines += [f"  {line}" for line in _describe_signals(step)]
    return [f"%{' ' if line.startswith('  ') else ''}{line}" for line in lines]


def _write_push(step: StepModel) -> list[str]:
    """Return the lines that enter measured outputs."""
    return [
        "if nargin == 3",
        "    y = measured(:).';",
        *_assign_entries(step, "state", step.updates, *MATLAB_ENTRIES, "y({})", indent="    "),
        "    return",
        "end",
    ]


def write_block(step: StepModel) -> str:
    """Return a MATLAB Function block with the state in a persistent variable."""
    lines = [
        "function y = fcn(u)",
        "%#codegen",
        f"% One sample of a {step.kind}: {describe_size(step)}.",
        "% Written by unbraid. The sample time of the block must be that of the model.",
        *(f"% {line}" for line in _describe_signals(step)),
        "persistent state",
        "if isempty(state)",
        f"    {assign('state', step.initial_state)}",
        "end",
        *_write_step(step, "row"),
        "y = row.';",
        "end",
    ]
    return "\n".join(lines) + "\n" + write_functions(step.formula)


def _describe_signals(step: StepModel) -> list[str]:
    return [*describe_run(step), *list_signals(step, "{}({})", 1, state="state")]


def _write_step(step: StepModel, outputs: str) -> list[str]:
    """Return the lines from u and the state to the row of outputs and the next state."""
    first = step.offset.size - step.n_outputs + 1
    limits = [
        f"if {outputs}({o + 1}) {sign} {number(bound)}, {outputs}({o + 1}) = {number(bound)}; end"
        for o, sign, bound in step.limits
    ]
    return [
        *_assign_entries(step, "p", step.arguments, *MATLAB_ENTRIES),
        *write_map(step.formula, "p", "q"),
        *_assign_entries(step, "state", step.updates, *MATLAB_ENTRIES, "q({})"),
        f"{outputs} = q({first}:{step.offset.size});",
        *limits,
    ]


def _assign_entries(
    step: StepModel, name: str, indices: tuple[int, ...], *forms: str, indent: str = ""
) -> list[str]:
    """Return an assignment of a row of entries of [state; u; q]."""
    entries = step.name_entries(indices, *forms, first=1)
    return [f"{indent}{name} = [" + wrap_list(entries, f" ...\n{indent}    ") + "];"]
