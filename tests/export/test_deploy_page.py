"""The programs in C and MATLAB on the page about deployment."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from step_models import make_narx
from unbraid import Polynomial
from unbraid.export import to_c, to_matlab

PAGE = Path(__file__).parents[2] / "docs" / "deploy.md"
CASE = make_narx([Polynomial(3)] * 2, (0, 1), (1, 2))


def find_program(language):
    """The only block of this language."""
    (program,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    return program


def test_program_in_c(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    to_c(CASE.model, tmp_path / "spring.c", "spring")
    (tmp_path / "main.c").write_text(find_program("c"))
    command = ["gcc", "-std=c99", "-Wall", "-Werror", "main.c", "spring.c", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    known = np.hstack([CASE.u, CASE.y])[:3].tolist()
    rows = [f"{u!r} {y!r}" for u, y in known] + [repr(u) for u in CASE.u[3:, 0].tolist()]
    done = subprocess.run(
        [tmp_path / "a.out"], input="\n".join(rows), capture_output=True, check=True, text=True
    )
    CASE.assert_agrees([float(line) for line in done.stdout.split()])


def test_program_in_matlab(tmp_path):
    if shutil.which("octave-cli") is None:
        pytest.skip("octave-cli is not installed")
    to_matlab(CASE.model, tmp_path / "spring.m")
    np.savetxt(tmp_path / "u", CASE.u, "%.17g")
    np.savetxt(tmp_path / "y", CASE.y[:3], "%.17g")
    script = ["u = load('u');", "y = load('y');", find_program("matlab"), "printf('%.17g ', y);"]
    (tmp_path / "run_page.m").write_text("\n".join(script))
    command = ["octave-cli", "--norc", "--no-history", "--quiet", "run_page.m"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True)
    CASE.assert_agrees([float(value) for value in done.stdout.split()[3:]])
