"""A validation as text and as HTML, rendered from its fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._util.markup import abbreviate, join_children, make_grid_table, tag
from .._util.validation import count_noun
from ._correlation import Correlation, CorrelationStatus
from ._ranges import RangeUse
from ._scoring import Score

if TYPE_CHECKING:
    from ._validation import ResidualTest, Validation

MOST_RANGE_LINES = 6
SMALLEST_P = 1e-3  # smaller ones are written as "p < 0.001"
OFFSET_SHARE = 0.5  # of the rms error: a larger mean is worth a sentence
HEADER = ("error %", "rmse", "fit %")
RESIDUAL_NAMES = {"prediction": "one-step prediction errors", "simulation": "simulation errors"}


def render_text(found: Validation) -> str:
    """The table and the sentences."""
    rows = list_rows(found)
    cells = [["", *HEADER], *([name, *values] for name, values in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    table = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in cells
    ]
    return "\n".join(
        [describe_record(found), "", *(line.rstrip() for line in table), "", *list_lines(found)]
    )


def render_html(found: Validation) -> str:
    """The same for notebooks."""
    rows = [[name, *values] for name, values in list_rows(found)]
    table = make_grid_table("Validation", ["", *HEADER], rows)
    lines = [describe_record(found), *list_lines(found)]
    return join_children([table, *(tag("p", line) for line in lines)])


def describe_record(found: Validation) -> str:
    """What was scored."""
    text = f"Validation on {count_noun(found.n_samples, 'sample')}"
    if len(found.measured) > 1:
        text += f" of {len(found.measured)} records"
    if found.initial:
        each = " of each" if len(found.measured) > 1 else ""
        text += f", after the first {found.initial}{each}"
    return f"{text}."


def list_rows(found: Validation) -> list[tuple[str, list[str]]]:
    """Names of errors, and each in percent, in units of the output, and as fit."""
    scores = [("simulation", found.simulation)]
    if not found.predicts_by_simulation:
        scores += [(f"{count_noun(k, 'step')} ahead", s) for k, s in found.predictions.items()]
    if found.linear.score is not None:
        order = count_noun(found.linear.n_states or 0, "state")
        scores.append((f"linear model, {order}, simulation", found.linear.score))
    several = len(found.output_names) > 1
    return [
        (f"{output}: {name}" if several else name, _format_score(score, o))
        for o, output in enumerate(found.output_names)
        for name, score in scores
    ]


def _format_score(score: Score, output: int) -> list[str]:
    percent, rmse, fit = (
        float(np.atleast_1d(v)[output]) for v in (score.percent, score.rmse, score.fit)
    )
    return [format_value(percent), format_value(rmse), _format_fit(fit)]


def _format_fit(fit: float) -> str:
    """A fit in % with two decimals, because all good ones are close to 100."""
    return f"{fit:.2f}" if np.isfinite(fit) else format_value(fit)


def format_value(value: float) -> str:
    """A number with three digits, or "infinite".

    >>> format_value(0.123456), format_value(-np.inf)
    ('0.123', '-infinite')
    """
    if np.isfinite(value):
        return f"{value:.3g}"
    return "infinite" if value > 0 else "-infinite"


def list_lines(found: Validation) -> list[str]:
    """Verdicts, one sentence or two per line."""
    return [
        *list_divergence(found),
        *(line for test in found.residuals for line in describe_residuals(found, test)),
        *list_notes(found),
        *list_range_lines(found),
    ]


def list_divergence(found: Validation) -> list[str]:
    """Where simulations and predictions diverge."""
    lines = []
    if found.diverges:
        several = len(found.measured) > 1
        where = f" of record {found.diverged_record}" if several else ""
        lines.append(f"The simulation diverges at sample {found.simulation.diverged_at}{where}.")
    if found.predicts_by_simulation:
        return lines
    for steps, score in found.predictions.items():
        if score.diverged_at is not None:
            ahead = f"{count_noun(steps, 'step')} ahead"
            lines.append(f"The prediction {ahead} diverges at sample {score.diverged_at}.")
    return lines


def describe_residuals(found: Validation, test: ResidualTest) -> list[str]:
    """What the tests on one output say."""
    what = f"The {RESIDUAL_NAMES[found.residual_kind]}"
    if len(found.residuals) > 1:
        what += f" of {test.output}"
    white = {
        True: f"{what} can be white noise",
        False: f"{what} are not white",
        None: what,
    }
    lines = [white[test.is_white] + _explain(test.autocorrelation)]
    if test.autocorrelation.status is not CorrelationStatus.TESTED:
        return [f"{what} are not tested: {test.autocorrelation.status.value}."]
    lines += _describe_inputs(what, test.inputs)
    if test.is_independent_of_input is not False:
        lines += [
            f"{what} are correlated with past {part.signal}: a nonlinearity is left{_explain(part)}"
            for part in test.squares
            if part.is_zero is False
        ]
        if test.squares and test.is_independent_of_squares:
            lines.append(f"{what} are not correlated with squares of past inputs.")
    if abs(test.mean) > OFFSET_SHARE * test.rms:
        lines.append(f"{what} have a mean of {test.mean:.3g}: an offset is left.")
    return lines


def _describe_inputs(what: str, parts: Sequence[Correlation]) -> list[str]:
    """One sentence per input that fails, and one for all that pass."""
    passed = [part for part in parts if part.is_zero]
    lines = [
        f"{what} are correlated with past {part.signal}: an effect of it is missing{_explain(part)}"
        for part in parts
        if part.is_zero is False
    ]
    names = abbreviate([part.signal for part in passed])
    if len(passed) == 1:
        lines.append(f"{what} are not correlated with past {names}{_explain(passed[0])}")
    elif passed:
        least = min(part.p_value or 0.0 for part in passed)
        lines.append(f"{what} are not correlated with past {names} (p = {least:.2g} or more).")
    untested = [part for part in parts if part.is_zero is None]
    lines += [f"{part.signal} is not tested: {part.status.value}." for part in untested]
    return lines


def _explain(part: Correlation) -> str:
    """The figures behind a verdict."""
    if part.p_value is None:
        return f": {part.status.value}."
    p = f"p = {part.p_value:.2g}" if part.p_value >= SMALLEST_P else f"p < {SMALLEST_P:g}"
    value, lag = part.largest
    return (
        f" ({p}; {part.n_outside} of {part.n_tested} lags outside ±{part.limit:.2g}, largest "
        f"{value:.2g} at lag {lag})."
    )


def list_notes(found: Validation) -> list[str]:
    """What kind of model it is, and why there is no linear one beside it."""
    lines = []
    if found.predicts_by_simulation:
        lines.append("The model has no noise model: predictions of any step are its simulation.")
    if found.linear.score is None:
        lines.append(f"No linear model beside: {found.linear.reason}.")
    return lines


def list_range_lines(found: Validation) -> list[str]:
    """Where the record leaves the range of the training data."""
    left = sorted((use for use in found.ranges if use.is_left), key=lambda use: -use.share)
    lines = [describe_use(use) for use in left[:MOST_RANGE_LINES]]
    if len(left) > MOST_RANGE_LINES:
        lines.append(f"And {len(left) - MOST_RANGE_LINES} more signals and branches.")
    if found.ranges and not left:
        kinds = {use.kind for use in found.ranges}
        *first, last = (plural for kind, plural in PLURALS.items() if kind in kinds)
        what = f"{', '.join(first)} and {last}" if first else last
        lines.append(f"The record stays in the range of the training data ({what}).")
    if found.range_reason:
        lines.append(f"{found.range_reason}.")
    return lines


PLURALS = {"branch": "branches", "input": "inputs", "output": "outputs"}


def describe_use(use: RangeUse) -> str:
    """How far a branch or a signal leaves its range, with what follows."""
    what = f"The argument {use.name} of a branch" if use.kind == "branch" else use.name
    far = "" if not np.isfinite(use.excess) else f", by up to {100 * use.excess:.2g} % of its width"
    return (
        f"{what} leaves the training range {use.low:.3g} to {use.high:.3g} at "
        f"{100 * use.share:.2g} % of the samples{far}: the model extrapolates there."
    )


def list_scores(found: Validation, output: int) -> list[tuple[str, Any]]:
    """Short names and errors in percent of one output, for charts."""
    scores = [(count_noun(k, "step"), s) for k, s in found.predictions.items()]
    scores = [] if found.predicts_by_simulation else scores
    scores.append(("simulation", found.simulation))
    if found.linear.score is not None:
        scores.append(("linear", found.linear.score))
    return [(name, float(np.atleast_1d(score.percent)[output])) for name, score in scores]
