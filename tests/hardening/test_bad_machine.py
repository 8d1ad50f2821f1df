"""Interrupts, a kill, a poor environment: nothing is left half done, the answer is the same."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unbraid
from hardening.machine import run_python
from unbraid.cases import duffing, toy_samples
from unbraid.narx import fit_polynomial_narx

TOY = toy_samples(60, random_state=0)
KILLED_WHILE_SAVING = """
import os, signal
import unbraid
from unbraid.cases import toy_samples
d = unbraid.decouple(toy_samples(60, 0), n_branches=3, basis=unbraid.Polynomial(3), random_state=0)
def write():
    d.save("d.json"), unbraid.report(d, "d.html"), unbraid.export.to_c(d, "d.c")
write()
replaced, left = os.replace, [{n_files}]
def replace(*paths):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    replaced(*paths)
os.replace = replace
write()
"""


# Interrupted -----------------------------------------------------------------------------------


def interrupt_at(iteration: int):
    """A callback during which Ctrl-C arrives."""

    def callback(progress):
        if progress.iteration == iteration:
            signal.raise_signal(signal.SIGINT)

    return callback


@pytest.mark.parametrize("iteration", [1, 3])
@pytest.mark.parametrize("method", ["varpro", "implicit"])
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning")
def test_an_interrupted_call_does_not_change_the_next(method, iteration):
    call = {"n_branches": 2, "method": method, "n_starts": 2, "max_iterations": 5}
    call["basis"] = unbraid.Polynomial(3)
    before = unbraid.decouple(TOY, **call, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        unbraid.decouple(TOY, **call, random_state=0, callback=interrupt_at(iteration))
    after = unbraid.decouple(TOY, **call, random_state=0)
    np.testing.assert_array_equal(before(TOY.points), after(TOY.points))


def test_an_interrupted_refinement_leaves_the_model_as_it_was(monkeypatch):
    data = duffing(512, 256, random_state=0)
    lags = {"input_lags": (0, 1), "output_lags": (1, 2), "degree": 3}
    model = fit_polynomial_narx(*data.train, **lags)
    rough = model.decouple(n_branches=1, basis=unbraid.Polynomial(3), random_state=0)
    V, before = rough.function.V.copy(), rough.refine(*data.train).function.V
    with monkeypatch.context() as patched:
        patched.setattr(np.linalg, "norm", lambda *_, **__: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            rough.refine(*data.train)
    np.testing.assert_array_equal(rough.function.V, V)
    np.testing.assert_array_equal(rough.refine(*data.train).function.V, before)


@pytest.mark.parametrize("write", ["save", "report", "export"])
def test_an_interrupted_write_keeps_the_old_file(tmp_path, monkeypatch, write):
    d = unbraid.decouple(TOY, n_branches=3, basis=unbraid.Polynomial(3), random_state=0)
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    writers = {"save": d.save, "report": lambda p: unbraid.report(d, p)}
    writers["export"] = lambda p: unbraid.export.to_c(d, p)
    monkeypatch.setattr(os, "replace", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        writers[write](path)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="SIGKILL is POSIX")
@pytest.mark.parametrize("n_files", [0, 1, 2])
def test_killed_while_it_saves(tmp_path, n_files):
    done = run_python(tmp_path, "-c", KILLED_WHILE_SAVING.format(n_files=n_files))
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert unbraid.load(tmp_path / "d.json").n_branches == 3
    assert (tmp_path / "d.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert (tmp_path / "d.c").read_text(encoding="utf-8").rstrip().endswith("}")


# A poor environment ----------------------------------------------------------------------------

NOWHERE = dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME"), "/nowhere")
# without what selects the kernels of linear algebra, the last digits would differ
KEPT = ("LD_LIBRARY_PATH", "OPENBLAS_")
BARE = {name: None for name in os.environ if not name.startswith(KEPT)}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
STRICT = ["-X", "dev", "-W", "error", "-X", "warn_default_encoding"]
MACHINES = {
    "bare": ([], BARE),
    "no home, no room for temporary files": ([], NOWHERE),
    "ASCII": ([], ASCII),
    "optimised": (["-OO"], {}),
    "strict": (STRICT, {}),
    "a narrow terminal": ([], {"TERM": "dumb", "COLUMNS": "20", "NO_COLOR": "1", "DISPLAY": None}),
}
TOUR = str(Path(__file__).with_name("tour.py"))


def toured(folder: Path, options=(), changes=None, *rest: str) -> dict[str, str]:
    """What the tour prints under these conditions."""
    done = run_python(folder, *options, TOUR, str(folder), *rest, **(changes or {}))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads((folder / "tour.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def ordinary(tmp_path_factory):
    pytest.importorskip("click", reason="the command line is an extra")
    return toured(tmp_path_factory.mktemp("ordinary"))


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_the_same_answer_on_a_poor_machine(tmp_path, ordinary, name):
    assert toured(tmp_path, *MACHINES[name]) == ordinary


@pytest.mark.slow
def test_decimal_commas(tmp_path, ordinary):
    if shutil.which("localedef") is None:
        pytest.skip("no localedef to make a locale with decimal commas")
    locales = tmp_path / "locales"
    locales.mkdir()
    made = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(locales / "de_DE.UTF-8")]
    if subprocess.run(made, capture_output=True, check=False).returncode > 1:
        pytest.skip("the sources of de_DE are not installed")
    head = "import locale, runpy, sys; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8'); "
    head += "assert locale.str(0.5) == '0,5'; "
    run = (
        f"{head}sys.argv = {['tour', str(tmp_path)]!r}; runpy.run_path({TOUR!r}, None, '__main__')"
    )
    changes = {"LOCPATH": str(locales), "LC_ALL": "de_DE.UTF-8"}
    done = run_python(tmp_path, "-c", run, **changes)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "tour.txt").read_text(encoding="utf-8")) == ordinary


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the shell of POSIX closes streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"])
def test_streams_that_are_closed_or_full(tmp_path, closed):
    pytest.importorskip("click", reason="the command line is an extra")
    line = f"{sys.executable} -m unbraid_command"
    shown = subprocess.run(f"{line} --version {closed}", shell=True, capture_output=True)
    assert shown.returncode == (2 if closed == ">/dev/full" else 0), shown.stderr
    assert b"Traceback" not in shown.stderr
    wrong = subprocess.run(f"{line} show no-such-file {closed}", shell=True, capture_output=True)
    assert wrong.returncode == 2
    assert b"Traceback" not in wrong.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="file names are UTF-8 elsewhere")
def test_letters_that_a_locale_does_not_have(tmp_path):
    code = """
import unbraid
d = unbraid.decouple(unbraid.cases.toy_samples(60, 0), n_branches=1, basis=unbraid.Polynomial(3))
try:
    d.save("gr\\u00f6\\u00dfe.json")
except unbraid.InvalidFileError as error:
    print(ascii(str(error)))
"""
    done = run_python(tmp_path, "-c", code, **ASCII)
    assert done.returncode == 0, done.stderr
    assert "plain letters" in done.stdout
