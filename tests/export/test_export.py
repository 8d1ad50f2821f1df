"""What all exports have in common."""

import subprocess
import sys

import numpy as np
import pytest

from export_helpers import FUNCTIONS, make_function
from unbraid import CustomBasis, InvalidFileError, InvalidOptionError, MissingExtraError
from unbraid.export import (
    to_c,
    to_jax,
    to_latex,
    to_matlab,
    to_onnx,
    to_python,
    to_sympy,
    to_torch,
)


@pytest.mark.parametrize("export", [to_sympy, to_latex])
@pytest.mark.parametrize("names", [["a"], ["a", "a", "b"], "abc"])
def test_rejects_wrong_input_names(export, names):
    with pytest.raises(InvalidOptionError, match="names is"):
        export(FUNCTIONS["cubic_linear"], names=names)


@pytest.mark.parametrize("extra", ["onnx", "torch", "jax", "sympy"])
def test_names_the_missing_extra(monkeypatch, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    export = {"onnx": to_onnx, "torch": to_torch, "jax": to_jax, "sympy": to_sympy}[extra]
    with pytest.raises(MissingExtraError, match=rf"unbraid\[{extra}\]"):
        export(FUNCTIONS["cubic_linear"])


@pytest.mark.parametrize(
    ("export", "package"),
    [
        (to_onnx, "onnx"),
        (to_torch, "torch"),
        (to_jax, "jax"),
        (to_sympy, "sympy"),
        (to_latex, "numpy"),
        (to_c, "numpy"),
        (to_matlab, "numpy"),
        (to_python, "numpy"),
    ],
)
def test_rejects_branches_of_python_functions(export, package):
    pytest.importorskip(package, reason=f"{package} is not installed")
    d = make_function([CustomBasis([np.sin], [np.cos])], "linear")
    with pytest.raises(InvalidOptionError, match="CustomBasis"):
        export(d)


@pytest.mark.parametrize("export", [to_onnx, to_c, to_matlab])
def test_rejects_path_in_missing_folder(tmp_path, export):
    if export is to_onnx:
        pytest.importorskip("onnx")
    with pytest.raises(InvalidFileError, match="nowhere"):
        export(FUNCTIONS["cubic_linear"], tmp_path / "nowhere" / "d.m")


@pytest.mark.parametrize("export", [to_onnx, to_c])
def test_rejects_unknown_dtype(export):
    with pytest.raises(InvalidOptionError, match="'float16'"):
        export(FUNCTIONS["cubic_linear"], dtype="float16")


def test_import_loads_no_optional_package():
    code = (
        "import sys, unbraid.export\n"
        "heavy = {'onnx', 'torch', 'jax', 'sympy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
