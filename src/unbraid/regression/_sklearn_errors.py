"""Errors of scikit-learn as errors of this package."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InvalidSamplesError, UnbraidError

MAX_REASON_LETTERS = 400  # some messages contain a whole table


class UnreadableTableError(InvalidSamplesError, TypeError):
    """A table of a type that holds no numbers; scikit-learn requires a TypeError."""


@contextmanager
def translate_sklearn_errors() -> Iterator[None]:
    """Raise errors of scikit-learn about a table as InvalidSamplesError."""
    try:
        yield
    except UnbraidError:
        raise
    except Exception as error:  # a table of any library may raise anything
        lines = str(error).split("\n") if str(error).strip() else [type(error).__name__]
        reason = lines[0] if "contains" in lines[0] else " ".join(lines)  # of NaN, without advice
        if len(reason) > MAX_REASON_LETTERS:
            reason = f"{reason[:MAX_REASON_LETTERS]} ..."
        kind = UnreadableTableError if isinstance(error, TypeError) else InvalidSamplesError
        advice = "; pass tables of numbers" if isinstance(error, TypeError) else ""
        raise kind(f"{reason.rstrip('.')}{advice}") from error
