"""Progress on a terminal."""

import io

import pytest
from rich.console import Console

from unbraid.cli import _progress as progress
from unbraid.solvers import Progress


@pytest.fixture
def screen(monkeypatch):
    """What a terminal would show."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    monkeypatch.setattr(progress, "_console", lambda: console)
    return shown


def test_status_shows_progress(screen):
    with progress.show_status("Decoupling") as update:
        update(Progress("polish", 1, 4, 17, 0.5))
    assert "Decoupling: polish, 2 of 4, step 17" in screen.getvalue()
    with progress.show_status("Decoupling", quiet=True) as update:
        assert update is None


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
