"""A state-space model on the page: words, simulation, curves, linear part."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._typing import Array
from .._util.markup import Markup, tag
from ..model._direction_text import join_terms
from ..model._function import DecoupledFunction
from ..model._panels import CurvePanel
from ..statespace import Mode, StateCurve
from ..statespace._linear_part import find_response, format_complex, list_conjugates
from ._error_section import explain_data, show_errors
from ._mathml import align_equations, parenthesise, row, subscript, symbol
from ._number_format import format_number, format_percent, format_subscript
from ._provenance_section import fold_section, show_code, show_section
from ._response_section import show_responses
from ._simulation_section import show_simulation
from ._state_view import StateView
from ._static_section import show_static_characteristic
from ._summary import grade, mean_known_error
from ._term_section import draw_weights
from ._validation_section import show_validation
from .charts._linear import is_shown, pole_chart, response_chart
from .charts._terms import curve_chart

MOST_RESPONSES = 4  # pairs of input and output whose response is drawn
MOST_MODES = 20  # rows of the table
MOST_SHOWN_STATES = 20  # of models whose matrices are written out
MOST_GAINS = 12  # entries of a static gain that is written out


def show_state_space(view: StateView) -> list[Any]:
    """Return the sections of a state-space model."""
    described = view.description
    lines = [described.summary, *(c.sentence for c in described.curves if c.sentence)]
    lines += [line for line in described.lines if "clipped" in line or "not stable" in line]
    missing = None if view.simulation is not None else explain_data(view)
    return [
        _show_key_figures(view),
        *(tag("p", line, class_="words") for line in lines),
        show_simulation(view),
        show_responses(view.model, view.records),
        show_section("Curves", *_show_curves(view)) if described.curves else None,
        show_static_characteristic(view),
        show_section("Linear part", *_show_linear_part(view)),
        show_validation(view.validation),
        fold_section("Equations", _write_equations(view), _show_matrices(view)),
        fold_section("Errors", *show_errors(view), missing),
    ]


def _show_key_figures(view: StateView) -> Markup:
    model = view.model
    figures: list[tuple[str, str, str | None]] = [
        ("inputs, outputs", f"{model.n_inputs:,} → {model.n_outputs:,}", None),
        ("states", f"{model.n_states:,}", None),
        ("branches", f"{model.n_branches or 0:,}", None),
        ("degrees of freedom", f"{view.n_parameters:,}", None),
    ]
    if model.sampling_time is not None:
        figures.append(("sampling time", f"{format_number(model.sampling_time, 3)} s", None))
    if view.main_errors is not None:
        error = format_percent(mean_known_error(view.main_errors.values))
        figures.append((view.main_errors.name, error, grade(view)))
    items = [tag("div", tag("dt", k), tag("dd", v, class_=class_)) for k, v, class_ in figures]
    return tag("dl", items, class_="numbers")


def _show_curves(view: StateView) -> list[Any]:
    note = (
        "Each curve is a function g of z, a sum of states and inputs, and acts on next states and "
        "outputs. z and g have zero mean and unit spread; the linear part of a curve belongs to "
        "the linear model. States have unit spread. At the bottom: histogram of the data."
    )
    pairs = [(curve, _find_effects(view, curve)) for curve in view.description.curves]
    pairs.sort(key=lambda pair: -max(abs(effect) for effect in pair[1].values()))
    cards = [_show_curve(curve, effects) for curve, effects in pairs]
    return [
        tag("p", note, class_="note"),
        tag("div", cards, class_=f"cards count-{min(len(cards), 3)}"),
    ]


def _find_effects(view: StateView, curve: StateCurve) -> dict[str, float]:
    """Return how far a curve moves next states and outputs, over their spreads."""
    d = view.model.function
    assert isinstance(d, DecoupledFunction)
    height = float(np.std(d.branches[curve.number - 1](_find_z(d, curve))))
    spread = np.concatenate([np.ones(view.model.n_states), view.model.output_spread])
    effects = (d.W[:, curve.number - 1] * height / spread).tolist()
    return dict(zip(view.model.signal_names[1], effects, strict=True))


def _show_curve(curve: StateCurve, effects: Mapping[str, float]) -> Markup:
    number = format_subscript(curve.number)
    ends = float(curve.g.min()), float(curve.g.max())
    nodes = np.linspace(curve.z[0], curve.z[-1], len(curve.z))
    values = np.interp(nodes, curve.z, curve.g)
    panel = CurvePanel(f"g{number}", 1.0, curve.name, f"z{number}", nodes, values, curve.z)
    return tag(
        "figure",
        tag("figcaption", tag("h4", f"g{number} of z{number} = {curve.text}")),
        tag(
            "div",
            tag("p", tag("b", curve.name), class_="shape"),
            curve_chart(panel, ends, (f"z{number}", f"g{number}")),
            class_="picture",
        ),
        tag(
            "div",
            tag("h5", f"z{number}: weights of states and inputs, each over its spread"),
            *draw_weights(curve.weights, f"weights of states and inputs in z{number}"),
            tag("h5", f"effect of g{number}, over the spread of the signal"),
            *draw_weights(effects, f"where g{number} acts"),
            class_="weights",
        ),
        class_="card term",
    )


def _find_z(d: DecoupledFunction, curve: StateCurve) -> Array:
    """z at the data, in the units of the branch; its range if there are no data."""
    index = curve.number - 1
    if d.points is None:
        return np.linspace(*d.branches[index].interval, len(curve.z))
    return np.asarray(d.points @ d.V[:, index])


def _show_linear_part(view: StateView) -> list[Any]:
    described = view.description
    poles = [p for mode in described.modes for p in {mode.pole, mode.pole.conjugate()}]
    note = "Dashed: resonances. Crosses: poles; circles: zeros."
    if described.curves:
        note = (
            "The model without its curves: their average slopes over the training data are in the "
            "linear part. At one base level the slopes differ, as in the dashed lines of the "
            f"responses above, and so do gains and poles. {note}"
        )
    hidden = [
        f"{kind} at {', '.join(list_conjugates(outside)).replace('-', '−')}"
        for kind, numbers in (("pole", poles), ("zero", described.zeros))
        if (outside := [number for number in numbers if not is_shown(number)])
    ]
    if hidden:
        note += f" Outside of the map: {join_terms(hidden)}."
    zeros = ", ".join(list_conjugates(described.zeros)).replace("-", "−")
    return [
        tag("p", note, class_="note"),
        tag("div", _draw_responses(view), pole_chart(poles, described.zeros), class_="two linear"),
        _show_modes(view),
        tag("p", f"Zeros: {zeros}.", class_="note") if zeros else None,
        _show_gain(view),
    ]


def _draw_responses(view: StateView) -> list[Markup]:
    model, modes = view.model, view.description.modes
    step = model.sampling_time or 1.0
    unit = "Hz" if model.sampling_time else "cycles per sample"
    frequency, response = find_response(model.A, model.B, model.C, model.D, modes)
    resonances = [m.frequency for m in modes if m.is_resonant and m.frequency is not None]
    charts: list[Markup] = []
    for o, output in enumerate(view.outputs.short):
        for i, name in enumerate(view.inputs.short):
            if len(charts) < MOST_RESPONSES:
                title = f"{name} to {output}"
                entry = response[:, o, i]
                charts.append(response_chart(frequency / step, entry, resonances, unit, title))
    return charts


def _show_modes(view: StateView) -> Markup:
    time, frequency = ("s", "Hz") if view.model.sampling_time else ("samples", "cycles per sample")
    heads = ("pole", f"time constant ({time})", f"frequency ({frequency})", "damping ratio")
    rows = [_show_mode(mode) for mode in view.description.modes[:MOST_MODES]]
    head = tag("tr", [tag("th", name, scope="col") for name in heads])
    table = tag("table", tag("thead", head), tag("tbody", rows))
    return tag("div", table, class_="scroll", tabindex="0")


def _show_mode(mode: Mode) -> Markup:
    values = (mode.time_constant, mode.frequency, mode.damping)
    cells = ["" if value is None else format_number(value, 3) for value in values]
    if mode.time_constant is None:
        cells[0] = "does not decay"
    pole = format_complex(mode.pole, mode.frequency is not None).replace("-", "−")
    return tag("tr", tag("th", pole, scope="row"), [tag("td", cell) for cell in cells])


def _show_gain(view: StateView) -> Markup | None:
    gain = view.description.gain
    if gain is None or gain.size > MOST_GAINS:
        return None
    parts = [
        f"{name} to {output} {format_number(float(gain[o, i]), 3)}"
        for o, output in enumerate(view.outputs.short)
        for i, name in enumerate(view.inputs.short)
    ]
    which = " of the linear part" if view.description.curves else ""
    return tag("p", f"Static gain{which}: {', '.join(parts)}.", class_="note")


def _write_equations(view: StateView) -> Markup:
    """Return the state and output equation in matrix form."""
    curved = view.model.n_branches
    lines = []
    for left, x, u, weight, offset in (
        (row(symbol("x"), tag("mtext", "(t+1)")), "A", "B", "x", "x"),
        (row(symbol("y"), tag("mtext", "(t)")), "C", "D", "y", "y"),
    ):
        plus = tag("mo", "+")
        terms = [symbol(x), symbol("x"), plus, symbol(u), symbol("u")]
        if curved:
            inner = row(tag("msup", symbol("V"), tag("mi", "T")), tag("mtext", "[x; u]"))
            terms += [plus, subscript("W", weight), symbol("g"), *parenthesise(inner)]
        lines.append((left, "=", row(*terms, plus, subscript("b", offset))))
    box = align_equations(lines)
    return tag("div", box, class_="scroll math", tabindex="0", role="group", aria_label="equations")


def _show_matrices(view: StateView) -> Markup | None:
    """Return the matrices as text, folded."""
    model = view.model
    if model.n_states > MOST_SHOWN_STATES:
        return None
    d = model.function if isinstance(model.function, DecoupledFunction) else None
    offset = model.offset if d is None else model.offset + d.offset
    matrices = {"A": model.A, "B": model.B, "C": model.C, "D": model.D}
    n = model.n_states
    if d is not None:
        matrices |= {"W_x": d.W[:n], "W_y": d.W[n:], "V": d.V}
    matrices |= {"b_x": offset[:n], "b_y": offset[n:]}
    text = "\n".join(
        f"{name} = {np.array2string(matrix, precision=4, max_line_width=10_000)}".replace(
            "\n", "\n" + " " * (len(name) + 3)
        )
        for name, matrix in matrices.items()
    )
    note = (
        "States have zero mean and unit covariance over the training record and are ordered by "
        "their effect on the next outputs."
    )
    return tag(
        "details",
        tag("summary", "The matrices"),
        tag("p", note, class_="note"),
        show_code(text),
        class_="stored",
    )
