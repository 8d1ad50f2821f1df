"""Dynamic models in MATLAB, run by Octave."""

import shutil
import subprocess

import numpy as np
import pytest

from step_models import CASES, LONG, every_model
from unbraid import InvalidOptionError
from unbraid.export import to_matlab, to_simulink

RUN = """\
u = load('{name}.u'); y = load('{name}.y'); state = {state};
for t = 1:{n_pushed}
    [~, state] = {name}(u(t, :), state, y(t, :));
end
Y = zeros(rows(u), {n_outputs});
for t = {n_pushed} + 1:rows(u)
    [Y(t, :), state] = {name}(u(t, :).', state);
end
print_rows('{name}.out', Y({n_pushed} + 1:end, :));
"""
RUN_BLOCK = """\
u = load('{name}.u');
clear -f fcn
copyfile('{name}_block.m', 'fcn.m');
rehash();
Y = zeros(rows(u), {n_outputs});
for t = 1:rows(u)
    Y(t, :) = fcn(u(t, :).');
end
print_rows('{name}.block', Y);
"""
PRINT_ROWS = """\
function print_rows(path, Y)
h = fopen(path, 'w');
fprintf(h, [repmat('%.17g ', 1, columns(Y)), '\\n'], Y.');
fclose(h);
end
"""
BLOCKS = ("no_curves", "curves", "sensors")


def run_octave(folder, script):
    (folder / "print_rows.m").write_text(PRINT_ROWS)
    (folder / "run_all.m").write_text(script)
    command = ["octave-cli", "--norc", "--no-history", "--quiet", "run_all.m"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


def run_models(folder, cases):
    """Run functions and blocks of these models in one process."""
    if shutil.which("octave-cli") is None:
        pytest.skip("octave-cli is not installed")
    script = []
    for name, case in cases.items():
        np.savetxt(folder / f"{name}.u", case.u, "%.17g")
        np.savetxt(folder / f"{name}.y", case.y, "%.17g")
        to_matlab(case.model, folder / f"{name}.m")
        state = f"{name}()" if case.is_narx else str(case.start.tolist())
        words = {"name": name, "state": state, "n_pushed": case.n_pushed}
        script.append(RUN.format(**words, n_outputs=case.step.n_outputs))
        if name in BLOCKS:
            to_simulink(case.model, folder / f"{name}_block.m", x0=case.start)
            script.append(RUN_BLOCK.format(name=name, n_outputs=case.step.n_outputs))
    run_octave(folder, "".join(script))
    return folder


@pytest.fixture(scope="module")
def octave(tmp_path_factory):
    return run_models(tmp_path_factory.mktemp("matlab"), CASES)


@every_model
def test_steps_equal_the_simulation(octave, case):
    CASES[case].assert_agrees(np.loadtxt(octave / f"{case}.out"))


@pytest.mark.parametrize("case", BLOCKS)
def test_blocks_equal_the_simulation(octave, case):
    CASES[case].assert_agrees(np.loadtxt(octave / f"{case}.block"))


@pytest.mark.slow
def test_long_records_agree(tmp_path):
    run_models(tmp_path, LONG)
    for name, case in LONG.items():
        case.assert_agrees(np.loadtxt(tmp_path / f"{name}.out"))


def test_help_describes_the_signals():
    text = to_matlab(CASES["channels"].model, name="pump")
    assert text.startswith("function [y, state] = pump(u, state, measured)\n%PUMP ")
    assert "\n%   u(1)  flow */ [l/min]\n" in text
    assert "\n%   state(1)  flow */ [l/min](t-1)\n" in text
    assert "measured" not in to_matlab(CASES["curves"].model)
    assert "%   Sampling time: 0.05 s\n" in to_matlab(CASES["curves"].model)


def test_block_suits_code_generation(tmp_path):
    text = to_simulink(CASES["sensors"].model, tmp_path / "block.txt")
    assert text == (tmp_path / "block.txt").read_text()
    assert text.startswith("function y = fcn(u)\n%#codegen\n")
    assert "persistent state\n" in text
    assert not set(text) & set("{}@")  # neither cells nor function handles
    assert "nargin" not in text


@pytest.mark.parametrize("name", ["u", "state", "end", "2a", "measured"])
def test_rejects_names_that_the_file_uses(name):
    with pytest.raises(InvalidOptionError, match="in MATLAB"):
        to_matlab(CASES["plain"].model, name=name)
