"""Ctrl-C, a kill, a poor environment: nothing half done, nobody left behind, the same answer."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import unbraid
from effort import seeds
from hardening.machine import begin, command, end, members, nobody_left, said, wait_for
from unbraid.cases import duffing, toy_samples
from unbraid.narx import fit_polynomial_narx

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc"
)
MODEL = """
import numpy as np

def force(p):
    speed, load, angle = p.T
    return np.tanh(speed + 0.5 * load) + 0.3 * angle**2
"""
SCAN = ["scan", "model:force", "--box", "-2:2,-2:2,-2:2", "-r", "1:2", "--degree", "2:4"]
LIBRARY = """
import unbraid
from unbraid.cases import toy_samples
if {workers}:
    toy = toy_samples(2000, random_state=0)
    unbraid.decouple(toy, n_branches=4, method="implicit", workers=2, n_starts=40)
grid = dict(n_branches=[1, 2, 3], degree=[2, 3], random_state=range(20))
unbraid.scan(toy_samples(60, random_state=0), **grid, n_jobs=2, store="scan.db")
"""

HALF_A_WORD = """
import time
from unbraid.workers import processes
for moment in range(10):
    try:
        with processes(2) as pool:
            for _ in range(8):
                pool.submit(bytes, 30_000_000)
            time.sleep(0.02 * moment)
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


# Asked to end ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_at_the_command_line_is_one_line_and_130(folder, jobs):
    pytest.importorskip("click", reason="the command line is an extra")
    for seed in seeds(3):
        process = command(folder, *SCAN, "-j", jobs)
        time.sleep(random.Random(seed).uniform(0.02, 2.5))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
        code, _, err = end(process, folder)
        assert code in (0, 130), err  # 0: it was quicker
        assert "Traceback" not in err, err
        assert code == 0 or err.count("unbraid: stopped") == 1, err
        assert nobody_left(process.pid)
    again = command(folder, *SCAN, "-j", jobs)
    assert end(again, folder).code == 0
    assert len(unbraid.load_scan(folder / "force.scan.db")) == 6


@pytest.mark.slow
def test_a_polite_kill_is_heard_as_ctrl_c_is(folder):
    pytest.importorskip("click", reason="the command line is an extra")
    process = command(folder, *SCAN, "-j", "2")
    wait_for((folder / "force.scan.db").exists, process)
    process.send_signal(signal.SIGTERM)
    code, _, err = end(process, folder)
    assert (code, err.count("unbraid: stopped")) == (143, 1), err
    assert "this goes on" in err
    assert not list(folder.glob("*.lock*"))
    assert nobody_left(process.pid)


def test_ctrl_c_while_the_library_is_read(tmp_path):
    process = command(tmp_path, "--help")
    process.send_signal(signal.SIGINT)
    code, _, err = end(process, tmp_path)
    assert (code, err.strip()) in ((130, "unbraid: stopped"), (0, ""))  # 0: it was quicker


@pytest.mark.slow
@pytest.mark.parametrize("workers", [True, False])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_caller(tmp_path, workers, how):
    process = begin(tmp_path, "-c", LIBRARY.format(workers=workers))
    wait_for(lambda: len(members(process.pid)) > 2, process)
    time.sleep(random.Random(how + workers).uniform(0.0, 2.0))
    process.send_signal(how)
    began = time.monotonic()
    code, _, err = end(process, tmp_path)
    assert code == -how, err
    assert time.monotonic() - began < 10
    assert err.count("Traceback") == (how == signal.SIGINT), err  # that of KeyboardInterrupt
    assert nobody_left(process.pid)


def test_workers_that_leave_in_the_middle_of_a_word(tmp_path):
    process = begin(tmp_path, "-c", HALF_A_WORD)
    assert end(process, tmp_path) == (0, "", "")
    assert nobody_left(process.pid)


def interrupted(call, seconds: float) -> bool:
    """Was a call broken off by Ctrl-C after that time?"""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return True
    return False


def calls(folder: Path) -> dict:
    """What can be broken off, each with an answer that shows if anything was left half done."""
    toy = toy_samples(100, random_state=0)
    d = unbraid.decouple(toy, n_branches=3, random_state=0)
    data = duffing(512, 256, random_state=0)
    lags = {"input_lags": (0, 1), "output_lags": (1, 2), "degree": 3}
    rough = fit_polynomial_narx(*data.train, **lags).decouple(n_branches=1, random_state=0)
    return {
        "decouple": lambda: unbraid.decouple(toy, n_branches=3, random_state=0)(toy.points),
        "implicit": lambda: unbraid.decouple(
            toy, n_branches=2, method="implicit", n_starts=2, max_iterations=5, random_state=0
        )(toy.points),
        "refine": lambda: rough.refine(*data.train).function.V,
        "save": lambda: unbraid.load(d.save(folder / "d.json"))(toy.points),
        "report": lambda: np.array(
            len(unbraid.report(d, folder / "d.html").read_text(encoding="utf-8"))
        ),
    }


@pytest.mark.parametrize("name", ["decouple", "implicit", "refine", "save", "report"])
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning")
# Between opening a file and entering its `with` block Python itself leaves it to be collected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_in_the_library_leaves_nothing_half_done(tmp_path, name):
    call = calls(tmp_path)[name]
    before = call()
    began = time.perf_counter()
    call()
    whole = time.perf_counter() - began
    files = sorted(os.listdir(tmp_path))
    broken = [interrupted(call, random.Random(seed).uniform(0.0, 0.8 * whole)) for seed in seeds(5)]
    assert any(broken)
    assert sorted(os.listdir(tmp_path)) == files
    np.testing.assert_array_equal(call(), before)


@pytest.mark.slow
def test_killed_while_it_saves(tmp_path):
    body = """
import unbraid
from unbraid.cases import toy_samples
cubic = unbraid.Polynomial(3)
d = unbraid.decouple(toy_samples(60, 0), n_branches=3, basis=cubic, random_state=0)
while True:
    d.save("d.json")
    unbraid.report(d, "d.html")
    unbraid.export.to_c(d, "d.c")
"""
    for seed in seeds(3):
        process = begin(tmp_path, "-c", body)
        wait_for((tmp_path / "d.c").exists, process)
        time.sleep(random.Random(seed).uniform(0.3, 1.0))
        process.kill()
        end(process, tmp_path)
        assert unbraid.load(tmp_path / "d.json").n_branches == 3
        assert said(tmp_path, "err") == ""
        assert (tmp_path / "d.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
        assert (tmp_path / "d.c").read_text(encoding="utf-8").rstrip().endswith("}")


# A poor environment ----------------------------------------------------------------------------

NOWHERE = dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME"), "/nowhere")
BARE = {name: None for name in os.environ if name != "LD_LIBRARY_PATH"}
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
    code, _, err = end(begin(folder, *options, TOUR, str(folder), *rest, **(changes or {})), folder)
    assert code == 0, err
    assert "Traceback" not in err, err
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
    code, _, err = end(begin(tmp_path, "-c", run, **changes), tmp_path)
    assert code == 0, err
    assert json.loads((tmp_path / "tour.txt").read_text(encoding="utf-8")) == ordinary


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


def test_letters_that_a_locale_does_not_have(tmp_path):
    code = """
import unbraid
d = unbraid.decouple(unbraid.cases.toy_samples(60, 0), n_branches=1, basis=unbraid.Polynomial(3))
try:
    d.save("gr\\u00f6\\u00dfe.json")
except unbraid.InvalidFile as error:
    print(ascii(str(error)))
"""
    found = end(begin(tmp_path, "-c", code, **ASCII), tmp_path)
    assert found.code == 0, found.err
    assert "use plain letters" in found.out
