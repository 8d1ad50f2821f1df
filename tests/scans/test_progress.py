"""Progress bars of scans."""

from __future__ import annotations

import sys

import pytest

from unbraid import MissingExtraError
from unbraid.scans._progress import progress_bar


def test_required_bar_needs_rich(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    with progress_bar("Scanning", 3, required=False) as move:
        move(1, "goes on without a bar")
    with pytest.raises(MissingExtraError, match=r"unbraid\[cli\]"), progress_bar("Scanning", 3):
        pass
