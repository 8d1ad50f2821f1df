"""A row of the table of bad inputs, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unbraid.errors import UnbraidError


@dataclass(frozen=True)
class Row:
    """What is passed, and the typed error it gets or the stated behaviour it has.

    ``mentions`` holds one or two words, separated by spaces, that the message must contain: the
    name of the argument, the value. Without an ``error`` the call must return something of which
    ``holds`` is true.
    """

    name: str
    call: Callable[[], Any]
    error: type[UnbraidError] | None = None
    mentions: str = ""
    holds: Callable[[Any], bool] | None = None

    def find_violation(self) -> str:
        """What differs from the row; empty if nothing does. Warnings are errors in tests."""
        assert (self.error is None) != (self.holds is None), "a row has one of error and holds"
        assert self.error is None or self.mentions, "which word must the message contain?"
        try:
            found = self.call()
        except UnbraidError as error:
            return self._find_violation_of_error(error)
        if self.holds is None:
            return f"accepted: {found!r}"
        return "" if self.holds(found) else f"{found!r}"

    def _find_violation_of_error(self, error: UnbraidError) -> str:
        if self.error is None:
            return f"rejected: {error}"
        if type(error) is not self.error:
            return f"{type(error).__name__}: {error}"
        missing = [word for word in self.mentions.split() if word not in str(error)]
        return f"{missing} not in: {error}" if missing else ""
