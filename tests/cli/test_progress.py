"""Progress on a terminal."""

import io

import pytest
from rich.console import Console

from unbraid.cli import _progress as progress


@pytest.fixture
def screen(monkeypatch):
    """What a terminal would show."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    monkeypatch.setattr(progress, "_console", lambda: console)
    return shown


def test_bar_moves(screen, monkeypatch):
    moved = []

    class Bar:
        def __init__(self, *given):
            moved.append(given)

        def __enter__(self):
            return lambda *given: moved.append(given)

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(progress, "progress_bar", Bar)
    with progress.show_bar("Reproducing", 7) as move:
        move(3)
    assert moved == [("Reproducing", 7), (3, "Reproducing")]
