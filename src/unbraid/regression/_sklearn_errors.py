"""What others refuse, in our words: their reason, and whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InvalidSamples, UnbraidError

LONGEST = 400  # letters of a reason: some print the whole table


class UnreadableTable(InvalidSamples, TypeError):
    """A table is of a type that holds no numbers; scikit-learn's contract wants a TypeError."""


@contextmanager
def told() -> Iterator[None]:
    """What scikit-learn finds wrong with a table is an InvalidSamples, so a ValueError.

    >>> with told():
    ...     float("a")
    Traceback (most recent call last):
    ...
    unbraid.errors.InvalidSamples: could not convert string to float: 'a'; pass tables of numbers
    """
    try:
        yield
    except UnbraidError:
        raise
    except Exception as error:  # a table may be of any make, and raise what its maker likes
        reason = str(error).strip() or type(error).__name__
        if len(reason) > LONGEST:
            reason = f"{reason[:LONGEST]} ..."
        kind = UnreadableTable if isinstance(error, TypeError) else InvalidSamples
        raise kind(f"{reason.rstrip('.')}; pass tables of numbers") from error
