"""Free-run simulation of a dynamic model: measured and simulated outputs."""

from .._util.markup import Markup, tag
from ._number_format import format_number, format_percent
from ._page_view import PageView, Simulation
from ._summary import show_notice
from .charts._signals import MOST_SAMPLES, Signals, close_up, overview

MOST_SIMULATED_OUTPUTS = 6  # outputs that are drawn


def _place(run: Simulation) -> str:
    """Return the sample at which a simulation diverges, with its time if known."""
    assert run.diverged_at is not None
    if run.seconds is None:
        return f"{run.diverged_at:,}"
    return f"{run.diverged_at:,} ({format_number(run.diverged_at * run.seconds)} s)"


def show_simulation(view: PageView) -> Markup | None:
    """Return charts of the outputs over time, and close-ups of the largest errors."""
    run = view.simulation
    if run is None:
        return None
    names = view.outputs.short[:MOST_SIMULATED_OUTPUTS]
    most = min(view.kept_samples // max(len(names), 1), MOST_SAMPLES)
    figures = []
    for o, name in enumerate(names):
        y, simulated = run.measured[:, o], run.simulated[:, o]
        signals = Signals(name, y, simulated, run.ends, run.seconds, most)
        charts = [*overview(signals), close_up(signals)]
        error = tag("span", f"error {format_percent(run.error[o])}", class_="note")
        caption = tag("figcaption", tag("h4", tag("bdi", name)), error)
        figures.append(tag("figure", caption, tag("div", charts, class_="signals")))
    count = f"{len(run.measured):,} samples"
    records = f" in {len(run.ends)} records" if len(run.ends) > 1 else ""
    more = len(view.outputs.short) - len(names)
    divergence = None
    if run.diverged_at is not None:
        divergence = show_notice(f"The simulation diverges at sample {_place(run)}.")
    return tag(
        "section",
        tag("h3", "Simulation"),
        tag(
            "p",
            f"Free-run simulation {run.where}, {count}{records}. ",
            tag("span", "measured", class_="key measured"),
            " ",
            tag("span", "simulated", class_="key simulated"),
            class_="note",
        ),
        divergence,
        figures,
        tag("p", f"and {more} more outputs", class_="note") if more > 0 else None,
    )
