"""Where the public records are, if anywhere."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("UNBRAID_DATA", Path(__file__).parents[2] / "shared" / "data"))


def require_record(name):
    """Path of a record; skips the test where it is missing."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"no {name} in {FOLDER}; set UNBRAID_DATA")
    return path
