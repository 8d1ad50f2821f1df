"""State-space models as JSON documents and as text plots."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..dynamics._records import check_name_count
from ..model._function import DecoupledFunction
from ..statespace import StateCurve, StateSpace
from ._terminal import Pen, draw_curve


def rename_signals(
    model: StateSpace, names: Sequence[str] | None, outputs: Sequence[str] | None
) -> StateSpace:
    """The model with other names of its inputs and outputs, where these are given."""
    check_name_count("names", names, model.n_inputs)
    check_name_count("output names", outputs, model.n_outputs)
    return replace(
        model,
        input_names=tuple(names) if names else model.input_names,
        output_names=tuple(outputs) if outputs else model.output_names,
    )


def summarise_states(model: StateSpace, file: Path) -> str:
    """A few sentences: size, first pole and first curve; the file has the rest."""
    description = model.describe()
    lines = [description.summary]
    lines += [] if description.is_stable else ["The linear part is not stable."]
    lines += [f"{name} is clipped where its sensor saturates." for name in description.saturated]
    lines += [f"{mode.format(model.sampling_time)}." for mode in description.modes[:1]]
    lines += [curve.sentence for curve in description.curves[:1] if curve.sentence]
    return "\n".join([*lines, f"`unbraid show {file}` prints all poles, zeros and curves."])


def make_state_document(model: StateSpace) -> dict[str, Any]:
    """The entries of a model in a JSON document."""
    description = model.describe()
    d = model.function if isinstance(model.function, DecoupledFunction) else None
    modes = [
        {
            "pole": [mode.pole.real, mode.pole.imag],
            "time_constant": mode.time_constant,
            "frequency": mode.frequency,
            "damping": mode.damping,
        }
        for mode in description.modes
    ]
    return {
        "n_states": model.n_states,
        "n_inputs": model.n_inputs,
        "n_outputs": model.n_outputs,
        "n_branches": model.n_branches,
        "degrees_of_freedom": model.degrees_of_freedom,
        "sampling_time": model.sampling_time,
        "input_names": model.input_names,
        "output_names": model.output_names,
        "words": description.words,
        "stable": description.is_stable,
        "modes": modes,
        "zeros": [[zero.real, zero.imag] for zero in description.zeros],
        "gain": description.gain,
        "curves": [
            {
                "shape": curve.label,
                "r2": curve.label.r2,
                "formula": curve.label.formula,
                "weights": curve.weights,
            }
            for curve in description.curves
        ],
        "A": model.A,
        "B": model.B,
        "C": model.C,
        "D": model.D,
        "offset": model.offset,
        "W": None if d is None else d.W,
        "V": None if d is None else d.V,
    }


def draw_state_curve(curve: StateCurve, pen: Pen, columns: int) -> tuple[str, list[str]]:
    """The title and the lines of a text plot of a curve over the range of its data."""
    return curve.phrase, draw_curve(curve.z, curve.g, None, pen, columns)
