"""``unbraid reproduce``."""

from cli_helpers import make_raiser
from unbraid import UnbraidError
from unbraid.cli import _reproduce as reproduce_command
from unbraid.cli import main


def test_announces_long_runs(monkeypatch, capsys):
    monkeypatch.setattr(reproduce_command, "reproduce", make_raiser(UnbraidError("enough")))
    assert main(["reproduce", "table3"]) == 2
    result = capsys.readouterr().err
    assert "minutes on one core; --quick takes less than one" in result
    assert result.endswith("unbraid: enough\n")
