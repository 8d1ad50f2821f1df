"""The quick tests from the wheel: every Python there is, the newest dependencies and the lowest.

``python tests/versions.py`` makes an environment for each below .bench/versions (a package index
is needed), and prints a table. ``python tests/versions.py 3.11-lowest`` runs that row alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / ".bench" / "versions"
MINORS = (11, 12, 13, 14)
EXTRAS = ("plot", "sklearn", "jax", "onnx", "sympy", "scan", "cli")  # torch is too large
TESTED_WITH = ("pytest", "hypothesis")
OF_THAT_TIME = ("pyparsing<3.3",)  # newer ones warn of the names by which old Matplotlib calls them
COPIED = ("tests", "docs", "benchmarks", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "Makefile")
BOUND = re.compile(r"([\w-]+)>=([\d.]+)$")


def pythons() -> Iterator[tuple[str, str]]:
    """Interpreters on the path, or kept by pyenv, by their version."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in MINORS:
        own = f"{sys.base_prefix}/bin/python3.{minor}"
        found = [own, shutil.which(f"python3.{minor}")]
        found += sorted(str(path) for path in kept.glob(f"3.{minor}.*/bin/python"))
        for path in filter(None, found):
            code = f"import sys, venv; assert sys.version_info[:2] == (3, {minor})"
            if Path(path).exists() and not _run([path, "-c", code]).returncode:
                yield f"3.{minor}", path
                break


def lowest() -> list[str]:
    """What the project allows at the least, as pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(entry for extra in EXTRAS for entry in groups[extra])]
    wanted += [entry for entry in groups["dev"] if entry.partition(">=")[0] in TESTED_WITH]
    bounds = filter(None, map(BOUND.match, wanted))
    return [*(f"{bound[1]}=={bound[2]}" for bound in bounds), *OF_THAT_TIME]


def environment(name: str, python: str, wheel: Path) -> tuple[Path, str]:
    """An environment with the wheel and all it may use; what the installer complained of."""
    home = WORK / name
    shutil.rmtree(home, ignore_errors=True)
    _run([python, "-m", "venv", str(home)])
    pins = home / "pins.txt"
    pins.write_text("\n".join(lowest() if name.endswith("lowest") else []), encoding="utf-8")
    wanted = [f"{wheel}[{','.join(EXTRAS)}]", *TESTED_WITH, "-c", str(pins)]
    binary = home / "bin" / "python"
    done = _run([str(binary), "-m", "pip", "install", "--quiet", *wanted])
    return binary, done.stderr if done.returncode else ""


def tried(name: str, python: str, wheel: Path) -> str:
    """A row of the table."""
    began = time.perf_counter()
    binary, complaint = environment(name, python, wheel)
    if complaint:
        return f"not installed: {complaint.strip().splitlines()[-1]}"
    desk = WORK / f"{name}-desk"  # the sources are not there: the tests see the wheel
    shutil.rmtree(desk, ignore_errors=True)
    desk.mkdir()
    for entry in (*COPIED, "pyproject.toml"):
        copy = shutil.copytree if (ROOT / entry).is_dir() else shutil.copy
        copy(ROOT / entry, desk / entry)
    quick = ["-m", "pytest", "tests", "-m", "not slow", "-p", "no:cacheprovider"]
    done = _run([str(binary), *quick], desk)
    (WORK / f"{name}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    said = done.stdout.strip().splitlines()
    return f"{said[-1] if said else done.stderr[-200:]}; {time.perf_counter() - began:.0f} s in all"


def _run(line: list[str], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    settings.pop("PYTHONPATH", None)
    return subprocess.run(
        line, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )


def main(only: list[str]) -> int:
    """Run all rows, or those named; 1 where one of them fails."""
    found = dict(pythons())
    rows = [(f"{version}-newest", path) for version, path in found.items()]
    if "3.11" in found:
        rows.append(("3.11-lowest", found["3.11"]))
    dist = WORK / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    made = _run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(dist), "."])
    wheels = list(dist.glob("*.whl"))
    if not wheels:
        sys.stderr.write(f"no wheel: {made.stderr}\n")
        return 1
    failed = False
    for name, path in rows:
        if not only or name in only:
            verdict = tried(name, path, wheels[0])
            failed |= "failed" in verdict or "error" in verdict or "not installed" in verdict
            sys.stdout.write(f"{name:12}  {verdict}\n")
            sys.stdout.flush()
    missing = {f"3.{minor}" for minor in MINORS} - set(found)
    sys.stdout.write(f"not on this machine: {', '.join(sorted(missing))}\n" if missing else "")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
