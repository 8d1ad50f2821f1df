"""What is built and installed: nothing missing, nothing stray, no extra needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from hardening.machine import run_python

ROOT = Path(__file__).parents[1]
STRAY = re.compile(r"__pycache__|\.pyc$|\.orig$|~$|\.swp$|\.tmp$|\.venv|\.so$")
NEEDED = ["numpy", "numpy.libs", "scipy", "scipy.libs"]
EXTRAS = """
import numpy as np
import unbraid
from unbraid import *
from unbraid import export
from unbraid.cli import main

assert hasattr(unbraid, "scan")
toy = unbraid.cases.toy_samples(60, random_state=0)
d = unbraid.decouple(toy, n_branches=3, basis=unbraid.Polynomial(3), random_state=0)
assert d.held_out_error.max() < 1e-6
unbraid.report(d, "report.html")
export.to_c(d), export.to_matlab(d), export.to_latex(d)
entrances = {
    "sklearn": lambda: unbraid.DecoupledRegressor(),
    "scan": lambda: unbraid.scan(toy, n_branches=1),
    "plot": lambda: d.plot(),
    "onnx": lambda: unbraid.sample("net.onnx", np.zeros((9, 2))),
    "onnx ": lambda: export.to_onnx(d),
    "torch": lambda: export.to_torch(d),
    "jax": lambda: export.to_jax(d),
    "sympy": lambda: export.to_sympy(d),
}
open("net.onnx", "wb").close()
for extra, call in entrances.items():
    try:
        call()
    except unbraid.MissingExtraError as error:
        assert f"unbraid[{extra.strip()}]" in str(error), error
    else:
        raise AssertionError(f"{extra} is not missed")
assert main(["--help"]) == 2
"""


def built(source: Path, target: Path, kind: str) -> Path:
    """A distribution of this kind, made without a network."""
    make = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    done = subprocess.run(make, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if find_spec("hatchling") is None or not (ROOT / "src").is_dir():
        pytest.skip("wheels are built from the sources, by hatchling")
    return built(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """An environment that has the wheel, numpy and scipy, and nothing else."""
    home = tmp_path_factory.mktemp("bare")
    make = [sys.executable, "-m", "venv", "--without-pip", str(home)]
    subprocess.run(make, check=True)
    site = next(home.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    installed = Path(find_spec("numpy").origin).parents[1]
    for name in NEEDED:
        if (installed / name).exists():
            (site / name).symlink_to(installed / name)
    return home / "bin" / "python"


def names_in(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


@pytest.mark.slow
def test_the_wheel_holds_the_sources_and_nothing_else(wheel):
    packed = {name for name in names_in(wheel) if ".dist-info/" not in name}
    source = ROOT / "src"
    files = (path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file())
    assert packed == {name for name in files if not STRAY.search(name)}
    assert {Path(name).suffix for name in packed} == {".py", ".js", ".css", ".typed"}
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        module = re.search(r"unbraid = ([\w.]+):main", archive.read(entry).decode()).group(1)
    assert f"{module.replace('.', '/')}.py" in packed


@pytest.mark.slow
def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    sdist = built(ROOT, tmp_path, "sdist")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
        archive.extractall(tmp_path, filter="data")
    assert not [name for name in names if STRAY.search(name)]
    top = tmp_path / names[0].split("/")[0]
    assert (top / "LICENSE").is_file()
    assert (top / "tests" / "test_package.py").is_file()
    again = built(top, tmp_path / "again", "wheel")
    assert names_in(again) == names_in(wheel)


@pytest.mark.slow
def test_what_is_missing_is_named(bare, tmp_path):
    done = subprocess.run(
        [str(bare), "-I", "-W", "error", "-c", EXTRAS],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "unbraid[cli]" in done.stderr


@pytest.mark.slow
def test_every_module_is_imported_without_a_warning(tmp_path):
    code = """
import importlib, pkgutil, unbraid
for found in pkgutil.walk_packages(unbraid.__path__, "unbraid."):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ImportError as error:
            assert (error.name or "").partition(".")[0] in EXTRAS, found.name
""".replace("EXTRAS", "('torch', 'jax', 'onnx', 'sympy', 'sklearn', 'click', 'rich', 'joblib')")
    strict = ["-X", "dev", "-W", "error", "-X", "warn_default_encoding"]
    done = run_python(tmp_path, *strict, "-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_import_is_light():
    code = (
        "import sys, unbraid; "
        "heavy = {'matplotlib', 'torch', 'jax', 'sklearn', 'pandas'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
