"""ARCHITECTURE.md is complete, and names only what exists."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import unbraid

ROOT = Path(__file__).parents[1]
PACKAGE = Path(unbraid.__file__).parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ENTRIES = {
    entry.name + ("/" if entry.is_dir() else "")
    for entry in PACKAGE.iterdir()
    if entry.name not in ("__init__.py", "__pycache__", "py.typed")
}


def test_table_names_every_package():
    rows = [line.split("|")[1] for line in TEXT.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w/.]+)`", row)}
    assert named == ENTRIES


def test_walk_names_files_that_exist_once_each():
    steps = re.findall(r"^\d+\. `([\w/.]+)`", TEXT, re.MULTILINE)
    assert len(steps) == len(set(steps)) > 10
    for step in steps:
        assert (PACKAGE / step).is_file(), step


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+\w+\.py)`", TEXT))))
def test_named_files_exist(path):
    roots = (PACKAGE, *PACKAGE.parents[:2])
    assert any((root / path).is_file() for root in roots)


def test_no_module_is_shadowed_by_a_function():
    names = {entry.removesuffix("/").removesuffix(".py") for entry in ENTRIES}
    functions = {name for name in unbraid.__all__ if callable(getattr(unbraid, name))}
    assert not names & functions


def test_dir_shows_the_public_names_only():
    assert dir(unbraid) == sorted(unbraid.__all__)


def test_modules_are_short():
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, path


def test_first_lines_of_docstrings_are_short():
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                first = (ast.get_docstring(node) or "").split("\n")[0]
                assert len(first) < 80, f"{path}: {first}"


def test_constants_and_classes_have_one_meaning():
    """A name of a constant has one value in the project, and a class one definition."""
    values, classes = defaultdict(set), defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].add(path)
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and target.id.isupper():
                        values[target.id].add(ast.unparse(node.value))
    assert not [name for name, found in values.items() if len(found) > 1]
    assert not [name for name, found in classes.items() if len(found) > 1]
