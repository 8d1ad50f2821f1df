"""How the curves of a function continue beyond the data, as text."""

from collections.abc import Sequence

from ..model._function import DecoupledFunction


def describe_extrapolation(d: DecoupledFunction) -> str:
    """Return how the curves continue beyond the data, from fields of the branches."""
    kinds = {branch.extrapolate for branch in d.branches}
    margins = [branch.margin for branch in d.branches if branch.extrapolate == "linear"]
    beyond = {
        "linear": _describe_margins(margins),
        "constant": "beyond the data the curves are constant",
        "nan": "beyond the data there are no values",
        "basis": "beyond the data the curves are not bounded by anything",
    }
    return "; ".join(text for kind, text in beyond.items() if kind in kinds)


def _describe_margins(margins: Sequence[float]) -> str:
    """Return where curves with linear extrapolation become straight.

    >>> _describe_margins([0.0])
    'beyond the data the curves are straight lines'
    >>> _describe_margins([0.25, 100.0])[:58]
    'the curves continue beyond the data by 0.25 to 100 times t'
    """
    low, high = min(margins, default=0.0), max(margins, default=0.0)
    if high == 0:
        return "beyond the data the curves are straight lines"
    far = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
    return (
        f"the curves continue beyond the data by {far} times the width of the data on either side, "
        f"from where they are straight lines"
    )
