"""A row of the table of bad inputs, and how it is judged."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from unbraid.errors import UnbraidError

PATIENCE = 60  # seconds after which a row hangs


@dataclass(frozen=True)
class Row:
    """What is passed, and the typed error it gets or the stated behaviour it has.

    ``says`` is a regular expression that the message must hold: what is wrong and what to do.
    Without an ``error`` the call must return something of which ``holds`` is true.
    """

    name: str
    call: Callable[[], Any]
    error: type[UnbraidError] | None = None
    says: str = ""
    holds: Callable[[Any], bool] | None = None

    def judge(self) -> None:
        """Fail where the row does not end as it says; warnings are errors while tests run."""
        assert (self.error is None) != (self.holds is None), "a row has one of error and holds"
        assert self.error is None or self.says, "what must the message say?"
        refusal: UnbraidError | None = None
        with limited(PATIENCE):
            try:
                found = self.call()
            except UnbraidError as error:
                refusal = error
        if refusal is not None:
            self._judge_refusal(refusal)
            return
        assert self.holds is not None, f"accepted: {found!r}"
        assert self.holds(found), f"{found!r}"

    def _judge_refusal(self, refusal: UnbraidError) -> None:
        assert self.error is not None, f"refused: {refusal}"
        assert type(refusal) is self.error, f"{type(refusal).__name__}: {refusal}"
        assert re.search(self.says, str(refusal)), str(refusal)


@contextmanager
def limited(seconds: int):
    """A hang becomes a failure."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
