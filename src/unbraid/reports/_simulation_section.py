"""A NARX model in free run: measured and simulated outputs over time."""

from __future__ import annotations

from ._markup import Markup, tag
from ._numbers import counting, percent
from ._summary import notice
from ._views import ModelView
from .charts._signals import close_up, overview

MOST_OUTPUTS = 6


def simulation_part(view: ModelView) -> Markup | None:
    """Every output over time, the error below, a close-up around the largest error."""
    run = view.simulation
    if run is None:
        return None
    names = view.outputs.short[:MOST_OUTPUTS]
    figures = []
    for o, name in enumerate(names):
        y, guess = run.measured[:, o], run.simulated[:, o]
        charts = [*overview(y, guess, run.ends, name), close_up(y, guess, name)]
        error = f"error {percent(run.error[o])}"
        figures.append(
            tag(
                "figure",
                tag("figcaption", tag("h4", tag("bdi", name)), tag("span", error, class_="note")),
                tag("div", charts, class_="scroll signals"),
            )
        )
    count = f"{counting(len(run.measured))} samples"
    records = f" in {len(run.ends)} records" if len(run.ends) > 1 else ""
    more = view.function.n_outputs - len(names)
    return tag(
        "section",
        tag("h3", "Simulation"),
        tag(
            "p",
            f"Free run on its own past outputs, {run.where}, {count}{records}. ",
            tag("span", "measured", class_="key measured"),
            " ",
            tag("span", "simulated", class_="key simulated"),
            class_="note",
        ),
        None
        if run.diverged_at is None
        else notice(f"The simulation runs off at sample {counting(run.diverged_at)}."),
        figures,
        tag("p", f"and {more} more outputs", class_="note") if more > 0 else None,
    )
