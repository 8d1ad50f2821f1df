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

    def judge(self) -> None:
        """Fail where the row does not end as it says; warnings are errors while tests run."""
        assert (self.error is None) != (self.holds is None), "a row has one of error and holds"
        assert self.error is None or self.mentions, "which word must the message contain?"
        try:
            found = self.call()
        except UnbraidError as refusal:
            self._judge_refusal(refusal)
            return
        assert self.holds is not None, f"accepted: {found!r}"
        assert self.holds(found), f"{found!r}"

    def _judge_refusal(self, refusal: UnbraidError) -> None:
        assert self.error is not None, f"refused: {refusal}"
        assert type(refusal) is self.error, f"{type(refusal).__name__}: {refusal}"
        missing = [word for word in self.mentions.split() if word not in str(refusal)]
        assert not missing, f"{missing} not in: {refusal}"
