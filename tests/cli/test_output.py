"""Printing."""

import errno

import click
import pytest

from cli_helpers import make_raiser
from unbraid import InvalidFileError
from unbraid.cli._output import print_result


def test_reports_failure_to_write_standard_output(monkeypatch):
    monkeypatch.setattr(
        click, "echo", make_raiser(OSError(errno.ENOSPC, "No space left on device"))
    )
    with pytest.raises(InvalidFileError, match="standard output"):
        print_result("a result")
