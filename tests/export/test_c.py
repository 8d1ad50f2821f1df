"""The C export, compiled with gcc."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from export_helpers import (
    FUNCTIONS,
    assert_agrees,
    every_case,
    sample_points,
    single_precision_points,
    single_tolerance,
)
from unbraid import InvalidOptionError
from unbraid.export import to_c


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """All cases in one shared object, in double and single precision."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("c")
    for name, d in FUNCTIONS.items():
        to_c(d, folder / f"{name}.c", name)
        to_c(d, folder / f"{name}_single.c", f"{name}_single", "float32")
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    files = sorted(str(file) for file in folder.glob("*.c"))
    output = str(folder / "all.so")
    command = ["gcc", *strict, "-shared", "-fPIC", "-o", output, *files, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(output)


def call_c(function, points, *shape):
    values = np.empty((len(points), *shape), points.dtype)
    for p, row in zip(points, values, strict=True):
        function(p.ctypes.data_as(ctypes.c_void_p), row.ctypes.data_as(ctypes.c_void_p))
    return values


@every_case
def test_values_and_jacobians_agree(library, case):
    d = FUNCTIONS[case]
    p = sample_points(d)
    assert_agrees(call_c(library[case], p, d.n_outputs), d(p))
    p = p[:150]
    jacobian = call_c(library[f"{case}_jacobian"], p, d.n_outputs, d.n_inputs)
    assert_agrees(jacobian, d.jacobian(p))


@every_case
def test_single_precision_agrees(library, case):
    d = FUNCTIONS[case]
    p = single_precision_points(d)
    assert_agrees(call_c(library[f"{case}_single"], p, d.n_outputs), d(p), single_tolerance(case))


@pytest.mark.parametrize("name", ["", "2fast", "two words", "a-b", "int", "exp", "größe", "x\n"])
def test_rejects_names_that_c_cannot_use(name):
    with pytest.raises(InvalidOptionError, match="function in C"):
        to_c(FUNCTIONS["cubic_linear"], name=name)


def test_includes_math_only_if_needed():
    assert "#include" not in to_c(FUNCTIONS["cubic_linear"])
    assert "#include <math.h>" in to_c(FUNCTIONS["cubic_nan"])


def test_names_are_in_a_comment_that_they_cannot_end(tmp_path):
    names = ["speed [m/s]", "*/ int x; /*", "two\nlines\ud800"]
    d = FUNCTIONS["cubic_linear"].named(names, ["force [N]", "µ"])
    text = to_c(d, tmp_path / "named.c")
    for line in ("p[0]  speed [m/s]", "p[2]  two lines", "f[0]  force [N]", "f[1]  µ"):
        assert f"   {line}\n" in text
    head = text[: text.index("static")]
    assert (head.count("/*"), head.count("*/")) == (1, 1)
    assert "speed" not in to_c(FUNCTIONS["cubic_linear"])
    if shutil.which("gcc") is not None:
        command = ["gcc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", tmp_path / "named.c"]
        subprocess.run(command, check=True)
