"""Dynamic models in C, compiled with gcc."""

import ctypes
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest

from step_models import CASES, FEW, LONG, every_model
from unbraid import InvalidOptionError
from unbraid.export import to_c, to_c_header

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Finds the shared object of a model; the first call of a group makes it."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")

    @cache
    def build(quick):
        return build_library(tmp_path_factory.mktemp("c"), quick)

    return lambda name: build(name in FEW)


def build_library(folder, quick):
    """One shared object of the few or of the many models, in double and single precision."""
    cases = {name: case for name, case in CASES.items() if (name in FEW) == quick}
    for name, case in cases.items():
        to_c(case.model, folder / f"{name}.c", name)
        to_c(case.model, folder / f"{name}_single.c", f"{name}_single", "float32")
    files = sorted(str(file) for file in folder.glob("*.c"))
    output = str(folder / "all.so")
    subprocess.run(["gcc", *STRICT, "-shared", "-fPIC", "-o", output, *files, "-lm"], check=True)
    return ctypes.CDLL(output)


def run_c(library, name, case, dtype=float):
    """Outputs of the model of this name, sample by sample."""
    init, step = (getattr(library, f"{name}_{what}") for what in ("init", "step"))
    state = np.full(case.step.n_states, np.nan, dtype)
    x0 = None if case.is_narx else pointer(case.start.astype(dtype))
    init(pointer(state), x0)
    u, y = case.u.astype(dtype), case.y.astype(dtype)
    for t in range(case.n_pushed):
        getattr(library, f"{name}_push")(pointer(state), pointer(u[t]), pointer(y[t]))
    outputs = np.empty_like(y[case.n_pushed :])
    for row, output in zip(u[case.n_pushed :], outputs, strict=True):
        step(pointer(state), pointer(row), pointer(output))
    return outputs


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


@every_model
def test_steps_equal_the_simulation(library, case):
    CASES[case].assert_agrees(run_c(library(case), case, CASES[case]))


@pytest.mark.slow
@pytest.mark.parametrize("case", LONG)
def test_long_records_agree(library, case):
    LONG[case].assert_agrees(run_c(library(case), case, LONG[case]))


@every_model
def test_single_precision_agrees(library, case):
    found = run_c(library(case), f"{case}_single", CASES[case], np.float32)
    CASES[case].assert_agrees(found, 3e-5)


def test_default_initial_state(tmp_path):
    case = CASES["no_curves"]
    assert "0.0, 0.0, 0.0" in to_c(case.model)
    assert "0.5, -1.0, 2.0" in to_c(case.model, x0=[0.5, -1.0, 2.0])


def test_header_is_written_beside_the_source(tmp_path):
    model = CASES["channels"].model
    text = to_c(model, tmp_path / "my pump.c", "pump")
    assert '#include "my pump.h"' in text
    assert (tmp_path / "my pump.c").read_text() == text
    header = (tmp_path / "my pump.h").read_text()
    assert header == to_c_header(model, name="pump")
    assert '#include "pump.h"' in to_c(model, name="pump")
    assert to_c_header(model, tmp_path / "alone.h") == (tmp_path / "alone.h").read_text()


def test_header_describes_signals_in_a_comment_that_names_cannot_end():
    header = to_c_header(CASES["channels"].model)
    comment = header[: header.index("#ifndef")]
    assert (comment.count("/*"), comment.count("*/")) == (1, 1)
    assert "u[0]  flow * / [l/min]\n" in comment
    assert "x[0]  flow * / [l/min](t-1)\n" in comment
    assert "Sampling time: 0.05 s" in to_c_header(CASES["curves"].model)
    assert "float" in to_c_header(CASES["curves"].model, dtype="float32")


def test_header_is_valid_in_cpp(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    to_c_header(CASES["channels"].model, tmp_path / "model.h")
    subprocess.run(["g++", "-fsyntax-only", "-Wall", "-Werror", tmp_path / "model.h"], check=True)


@pytest.mark.parametrize("name", ["", "2fast", "two words", "int", "größe", 3])
def test_rejects_names_that_c_cannot_use(name):
    for export in (to_c, to_c_header):
        with pytest.raises(InvalidOptionError, match="in C"):
            export(CASES["plain"].model, name=name)


def test_rejects_file_names_that_c_cannot_include(tmp_path):
    with pytest.raises(InvalidOptionError, match="include"):
        to_c(CASES["plain"].model, tmp_path / 'a"b.c')
