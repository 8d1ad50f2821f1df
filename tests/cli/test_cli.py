"""The package as a whole: help, all examples, and the sessions of the documentation."""

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import unbraid
from cli_helpers import load_commands
from unbraid.cli import _app, main

COMMANDS_PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
FITS = ["decouple", "identify", "narx", "statespace"]
ORDER = [*FITS, "predict", "simulate", "scan", "show", "report", "export", "benchmark"]
LONG = ["unbraid", "demo", "reproduce"]


def examples_of(command):
    return [line.strip() for line in command.epilog.splitlines() if line.startswith("  unbraid ")]


def run_examples(names, capsys):
    """All examples of some commands, one after the other; what the last one printed."""
    listed = {"unbraid": examples_of(_app.group)}
    listed |= {name: examples_of(command) for name, command in load_commands().items()}
    assert sorted(ORDER + LONG) == sorted(listed)
    assert all(listed.values())
    for line in dict.fromkeys(line for name in names for line in listed[name]):
        code = main(shlex.split(line)[1:])
        result = capsys.readouterr()
        assert code == 0, f"{line}\n{result.err}"
        assert "Traceback" not in result.err
        if "--json" in line:
            json.loads(result.out, parse_constant=pytest.fail)


@pytest.mark.slow
def test_every_example_runs(input_workspace, capsys):
    run_examples(ORDER, capsys)
    for page in ("data.html", "samples.html", "net.html", "scan.html", "record.html", "tank.html"):
        assert "<html" in (input_workspace / page).read_text(encoding="utf-8"), page
    assert unbraid.load("two.json").n_branches == 3
    assert (input_workspace / "samples-scan.csv").read_text().count("\n") == 7


@pytest.mark.slow
def test_long_examples_run_and_demo_resumes_its_scan(input_workspace, monkeypatch, capsys):
    from unbraid.cli import _demo as demo

    run_examples(LONG, capsys)
    assert (input_workspace / "demo" / "branches.png").exists()
    assert unbraid.load("demo/toy.json").n_branches == 3
    (store,) = (input_workspace / "demo").glob("*.scan.db")
    seconds = [row.seconds for row in unbraid.load_scan(store).rows]
    (input_workspace / "demo" / "report.html").unlink()
    real = demo.run_table1
    monkeypatch.setattr(  # the table again, the quick method three times
        demo, "run_table1", lambda samples, _, **__: real(samples, "varpro", random_state=0)
    )
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    assert main(["demo", "--out", "demo", "--open"]) == 0
    assert [address.rpartition("/")[2] for address in opened] == ["report.html"]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"The report:         {Path('demo/report.html')}  (open it in a browser)"
    assert "<html" in (input_workspace / "demo" / "report.html").read_text(encoding="utf-8")
    assert [row.seconds for row in unbraid.load_scan(store).rows] == seconds


@pytest.mark.parametrize("package", ["click", "rich"])
def test_names_missing_packages_of_the_command_line(package, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["--version"]) == 2
    assert "unbraid[cli]" in capsys.readouterr().err


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"unbraid {unbraid.__version__}\n"
    assert main([]) == 0
    whole = capsys.readouterr().out
    for name in _app.COMMANDS:
        assert f"  {name} " in whole
        assert main([name, "-h"]) == 0
        assert "Examples:\n" in capsys.readouterr().out


def test_help_imports_no_heavy_modules():
    code = (
        "import sys; from unbraid.cli import main; assert main(['--help']) == 0; "
        "heavy = {'rich.console', 'unbraid.cli._decouple', 'matplotlib', 'torch', 'sklearn'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def sessions(page):
    """Commands and what they print, in the order of the page."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *rest = part.splitlines()
            more = [line for line in rest if line.startswith(">")]
            command = "\n".join([first, *(line[2:] for line in more)])
            yield command, "\n".join(rest[len(more) :])


def printed_by(command, capfd):
    """What a person would see; plain commands run in this process, which is quicker."""
    if not command.startswith("unbraid ") or re.search(r"[|;]", command):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        settings = {"shell": True, "env": {**os.environ, "PATH": path}, "text": True}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.run(command, check=True, **settings, **streams).stdout
    assert main(shlex.split(command, comments=True)[1:]) == 0, command
    result = capfd.readouterr()
    return result.err + result.out


def run_sessions(page, monkeypatch, capfd):
    """Run all sessions of a page and compare; the names of the commands."""
    monkeypatch.setenv("COLUMNS", "72")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    commands_seen = set()
    for command, expected in sessions(page.read_text(encoding="utf-8")):
        found = printed_by(command, capfd)
        if command.startswith("unbraid "):
            commands_seen.add(command.split()[1])
        matches = doctest.OutputChecker().check_output(expected + "\n", found, flags)
        assert matches, f"$ {command}\n{found}"
    return commands_seen


@pytest.mark.slow
def test_sessions_of_the_commands_page(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    seen = run_sessions(COMMANDS_PAGE, monkeypatch, capfd)
    dynamic = {"narx", "statespace", "simulate"}
    assert seen == {"decouple", "show", "export", "scan", "report", "predict", *dynamic}
    assert (tmp_path / "force.html").exists()
    assert unbraid.load("cubic.json").n_branches == 2


@pytest.mark.slow
def test_sessions_of_the_tour_page(input_workspace, monkeypatch, capfd):
    assert run_sessions(COMMANDS_PAGE.with_name("tour.md"), monkeypatch, capfd) == set(
        load_commands()
    )
    assert (input_workspace / "force.html").exists()
