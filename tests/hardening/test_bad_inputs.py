"""Bad inputs of every public function: each row raises its typed error, or behaves as stated."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

TABLES = sorted(path.stem for path in Path(__file__).parent.glob("rows_*.py"))
ROWS = [row for table in TABLES for row in importlib.import_module(f"hardening.{table}").ROWS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_raises_the_stated_error_or_behaves_as_stated(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert row.find_violation() == ""


def test_the_table_is_long_and_its_rows_are_distinct():
    assert len(ROWS) >= 60
    assert len({row.name for row in ROWS}) == len(ROWS)
