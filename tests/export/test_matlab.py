"""The MATLAB export, run by Octave."""

import shutil
import subprocess

import numpy as np
import pytest

from export_helpers import FUNCTIONS, assert_agrees, every_case, sample_points
from unbraid import InvalidOptionError
from unbraid.export import to_matlab


@pytest.fixture(scope="module")
def octave(tmp_path_factory):
    """Values of all cases from one run of Octave."""
    if shutil.which("octave-cli") is None:
        pytest.skip("octave-cli is not installed")
    folder = tmp_path_factory.mktemp("matlab")
    script = []
    for name, d in FUNCTIONS.items():
        to_matlab(d, folder / f"{name}.m")
        np.savetxt(folder / f"{name}.txt", sample_points(d), "%.17g")
        script.append(f"f = {name}(load('{name}.txt'));")
        script.append(f"h = fopen('{name}.out', 'w');")
        script.append(f"fprintf(h, [repmat('%.17g ', 1, {d.n_outputs}), '\\n'], f'); fclose(h);")
    (folder / "run_all.m").write_text("\n".join(script))
    command = ["octave-cli", "--norc", "--no-history", "--quiet", "run_all.m"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    assert "warning" not in done.stderr
    return lambda name: np.loadtxt(folder / f"{name}.out", ndmin=2)


@every_case
def test_values_agree_in_octave(octave, case):
    d = FUNCTIONS[case]
    assert_agrees(octave(case), d(sample_points(d)))


def test_function_name_must_match_the_file(tmp_path):
    d = FUNCTIONS["cubic_linear"]
    assert to_matlab(d).startswith("function f = decoupled(p)\n")
    text = to_matlab(d, tmp_path / "mine.m")
    assert text.startswith("function f = mine(p)\n")
    assert (tmp_path / "mine.m").read_text() == text
    for name in ("2fast.m", "end.m", "_x.m", "branch_1.m", "pieces.m", "a b.m"):
        with pytest.raises(InvalidOptionError, match="in MATLAB"):
            to_matlab(d, tmp_path / name)
    with pytest.raises(InvalidOptionError, match="called mine"):
        to_matlab(d, tmp_path / "mine.txt")
    with pytest.raises(InvalidOptionError, match="called yours"):
        to_matlab(d, tmp_path / "mine.m", name="yours")


def test_names_are_in_the_help():
    names = ["speed [m/s]", "two\nlines", "x %{"]
    lines = to_matlab(FUNCTIONS["cubic_linear"].named(names, ["force [N]", "g"])).splitlines()
    first = lines.index("%   p(:, 1)  speed [m/s]")
    assert lines[first + 1 : first + 4] == [
        "%   p(:, 2)  two lines",
        "%   p(:, 3)  x %{",
        "%   f(:, 1)  force [N]",
    ]
