"""The table and the Markdown page, from made-up rows."""

from __future__ import annotations

from unbraid.public_benchmarks import BENCHMARKS, BenchmarkRow, make_page
from unbraid.public_benchmarks._page import format_cell, make_table

TANKS = BenchmarkRow("cascaded-tanks", "default", {"test": (0.3, 0.2, 0.9)}, 31, 61.234)
LINEAR = BenchmarkRow("cascaded-tanks", "linear", {"test": (0.612,)}, 6, 1.0)
FAILED = BenchmarkRow("cascaded-tanks", "large", failure="seed 1: a | b")
BOUC_WEN = BenchmarkRow("bouc-wen", "3 splines", {"multisine": (0.9,), "sine sweep": (0.5,)}, 44, 1)
MISSING = BenchmarkRow("emps", "", failure="no record in /a/folder")


def section(page, name):
    return page.split(f"## {BENCHMARKS[name].title}\n")[1].split("\n## ")[0]


def test_a_cell_has_median_worst_and_ratio():
    assert format_cell(TANKS, "test") == "0.3, worst 0.9 (0.98x)"
    assert format_cell(LINEAR, "test") == "0.612 (2x)"
    assert format_cell(BOUC_WEN, "sine sweep") == "0.5"
    assert format_cell(FAILED, "test") == ""


def test_the_table_marks_the_best_published_black_box():
    table = make_table("cascaded-tanks", [LINEAR, TANKS])
    assert table.n_ours == 2
    ((row, column),) = table.best
    assert table.cells[row][column] == "0.306"
    assert table.heads[column] == "test"
    assert table.cells[1][:2] == ("unbraid, default", "31")


def test_the_page_has_a_section_per_benchmark():
    page = make_page([LINEAR, TANKS, FAILED, BOUC_WEN, MISSING])
    assert page.count("\n## ") == len(BENCHMARKS)
    assert "over 3 seeds" in page
    tanks = section(page, "cascaded-tanks")
    assert "| unbraid, default | 31 | 0.3, worst 0.9 (0.98×) | 61.2 |  |" in tanks
    assert "| CT-SUBNET |  | **0.306** |" in tanks
    assert "| grey box |  | 0.191 |" in tanks
    assert r"failed: seed 1: a \| b" in tanks
    assert "not at hand" in section(page, "emps")
    assert "/a/folder" not in page
    assert "not run" in section(page, "silverbox")
    assert "GP-NARX" in section(page, "silverbox")


def test_rows_of_a_table_have_one_length():
    for line in make_page([TANKS, FAILED]).split("## ")[3].splitlines():
        if line.startswith("|"):
            assert line.replace(r"\|", "").count("|") == 6
