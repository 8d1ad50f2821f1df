"""The validation of a dynamic model: errors, residual tests, range of the data."""

from typing import Any

from .._util.markup import Markup, tag
from ..dynamics._records import Records
from ..dynamics._validation import ResidualTest, Validation
from ..dynamics._validation_text import (
    HEADER,
    RESIDUAL_NAMES,
    describe_residuals,
    list_divergence,
    list_notes,
    list_range_lines,
    list_rows,
)
from ..errors import InvalidSamplesError
from ._number_format import set_minus
from ._provenance_section import fold_section
from .charts._correlation import correlation_chart, spectrum_chart

MOST_VALIDATED_OUTPUTS = 6  # outputs whose residuals are drawn
MOST_VALIDATED_INPUTS = 4  # inputs whose correlations are drawn


def validate_for_page(model: Any, records: Records, initial: int) -> Validation | None:
    """Return the validation of a dynamic model; None if the records are too short."""
    u, y = ([getattr(record, name) for record in records.items] for name in ("u", "y"))
    try:
        found: Validation = model.validate(u, y, max(initial, 1))
    except InvalidSamplesError:
        return None
    return found


def show_validation(found: Validation | None) -> Markup | None:
    """Return the table of errors, the tests on residuals, and what the record leaves."""
    if found is None:
        return None
    head = tag("tr", [tag("th", name, scope="col") for name in ("", *HEADER)])
    rows = [
        tag("tr", tag("th", name, scope="row"), [tag("td", set_minus(cell)) for cell in cells])
        for name, cells in list_rows(found)
    ]
    table = tag("table", tag("thead", head), tag("tbody", rows))
    lines = [*list_divergence(found), *list_range_lines(found), *list_notes(found)]
    shown = found.residuals[:MOST_VALIDATED_OUTPUTS]
    more = len(found.residuals) - MOST_VALIDATED_OUTPUTS
    return fold_section(
        "Validation",
        tag("div", table, class_="scroll", tabindex="0"),
        [tag("p", line, class_="note") for line in lines],
        [_show_output(found, o, test) for o, test in enumerate(shown)],
        tag("p", f"and {more} more outputs", class_="note") if more > 0 else None,
    )


def _show_output(found: Validation, output: int, test: ResidualTest) -> Markup:
    """Return the charts of one output, and what they say."""
    charts = [
        correlation_chart(
            test.autocorrelation,
            f"autocorrelation of {RESIDUAL_NAMES[found.residual_kind]}",
            "lag (samples)",
        ),
        *(
            correlation_chart(part, f"correlation with {part.signal}", "lag of the input (samples)")
            for part in test.inputs[:MOST_VALIDATED_INPUTS]
        ),
    ]
    if found.spectrum is not None:
        s = found.spectrum
        charts.append(spectrum_chart(s.frequency, s.output[:, output], s.error[:, output], s.unit))
    percent = f"{100 * found.confidence:g}"
    key: list[Any] = [
        f"Shaded: {percent} % limits of one lag; red: lags outside. A test takes all lags together "
        f"and fails if p is below {1 - found.confidence:.2g}, so single lags may be outside. "
        f"Spectra: ",
        tag("span", "measured output", class_="key measured"),
        " ",
        tag("span", "simulation error", class_="key error-key"),
    ]
    return tag(
        "figure",
        tag("figcaption", tag("h4", tag("bdi", test.output))),
        [tag("p", line, class_="note") for line in describe_residuals(found, test)],
        tag("div", charts, class_="three validation"),
        tag("p", key, class_="note"),
    )
