"""Tables with named columns, such as those of pandas and polars."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import InvalidSamplesError

MAX_NAMES_LISTED = 12  # in a message


def column_names(table: Any) -> list[str] | None:
    """Distinct names of the columns of a table, or None."""
    names = _column_labels(table)
    return names if names and len(set(names)) == len(names) else None


def match_columns(table: Any, names: Sequence[str] | None, what: str = "points") -> Any:
    """The columns of these names, in this order; other columns are left out.

    A table without names is returned as it is, and so is every table where ``names`` is None.

    >>> import pandas
    >>> match_columns(pandas.DataFrame({"b": [2], "c": [3], "a": [1]}), ["a", "b"]).to_numpy()
    array([[1, 2]])
    """
    labels = _column_labels(table)
    if names is None or labels is None or labels == list(names):
        return table
    missing = [name for name in names if name not in labels]
    if missing:
        raise InvalidSamplesError(
            f"{what} has no column {list_names(missing)}: its columns are {list_names(labels)}; "
            f"rename them, or pass a plain array with the columns in the order {list_names(names)}"
        )
    repeated = [name for name in names if labels.count(name) > 1]
    if repeated:
        raise InvalidSamplesError(
            f"{what} has the column {list_names(repeated)} more than once: keep one of each"
        )
    return table[list(names)]


def check_same_names(
    what: str, names: Sequence[str] | None, expected: Sequence[str] | None
) -> None:
    """Refuse inputs with other names, or in another order, where both have names."""
    if names is not None and expected is not None and list(names) != list(expected):
        raise InvalidSamplesError(
            f"{what} has the inputs {list_names(names)}, and {list_names(expected)} are needed, in "
            f"this order"
        )


def list_names(names: Sequence[str]) -> str:
    """Names in quotes for a message, at most twelve of them."""
    text = ", ".join(repr(str(name)) for name in names[:MAX_NAMES_LISTED])
    return text if len(names) <= MAX_NAMES_LISTED else f"{text}, ... ({len(names)} in all)"


def _column_labels(table: Any) -> list[str] | None:
    """Names of the columns of a table, or None where they are no text."""
    columns = getattr(table, "columns", None)
    labels = list(columns) if isinstance(columns, Iterable) else []
    return labels if labels and all(isinstance(label, str) for label in labels) else None
