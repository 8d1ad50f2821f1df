"""Scans that are killed, interrupted, out of disk, or spread over processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import unbraid
from scan_helpers import CUBIC_GRID, TOY, untimed_results
from unbraid import WorkerError
from unbraid._util.documents import unpack_document
from unbraid.scans._grid import ScanCell
from unbraid.scans._run import run_cell
from unbraid.solvers import VarPro

joblib = pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")
needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="SIGKILL is POSIX")
GRID = {"n_branches": [1, 2, 3, 4], "degree": [2, 3], "random_state": range(2)}
HEAD = """
import os, signal, sys, unbraid
from unbraid.cases import toy_samples
TOY = toy_samples(60, random_state=0)
GRID = {"n_branches": [1, 2, 3, 4], "degree": [2, 3], "random_state": range(2)}
"""


def run_script(folder, body):
    """Run a script in a session that ends with it: nothing that it started is left."""
    with (folder / "out.txt").open("w") as out, (folder / "err.txt").open("w") as err:
        process = subprocess.Popen(  # no pipes: orphans would hold them open
            [sys.executable, "-c", HEAD + textwrap.dedent(body)],
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    code = process.wait()
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return code, (folder / "out.txt").read_text(), (folder / "err.txt").read_text()


@dataclass(frozen=True)
class Failing:
    """A problem whose cells raise an error."""

    error: Exception

    def fit(self, keywords):
        raise self.error


def test_unexpected_error_is_kept_with_its_line():
    outcome = unpack_document(
        run_cell(Failing(ZeroDivisionError("one over none")), ScanCell({}, {"r": 1}))
    )
    assert outcome["unexpected"]
    assert outcome["failure"].startswith("ZeroDivisionError: one over none (fit, line ")
    assert outcome["model"] is None


def test_own_error_is_not_unexpected():
    problem = Failing(unbraid.InvalidOptionError("no such basis"))
    outcome = unpack_document(run_cell(problem, ScanCell({}, {"r": 1})))
    assert (outcome["failure"], outcome["unexpected"]) == ("no such basis", False)


@pytest.mark.slow
@needs_kill
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_scan_is_resumed(tmp_path, n_jobs):
    """It is killed after the first, the third, the fifth cell of a run, then left alone."""
    log = tmp_path / "log.txt"
    for last in (1, 3, 5, None):
        body = f"""
            began = []
            def tell(done, total, row):
                began.append(row.index)
                with open("log.txt", "a") as log:
                    log.write(f"{{row.index}}\\n")
                if len(began) == {last}:
                    os.kill(os.getpid(), signal.SIGKILL)
            unbraid.scan(TOY, **GRID, store="scan.db", progress=tell, n_jobs={n_jobs})
        """
        code, _, err = run_script(tmp_path, body)
        assert code == (0 if last is None else -signal.SIGKILL), err
    runs = log.read_text().split()
    assert len(runs) == len(set(runs)), "a finished cell was run twice"
    untouched = unbraid.scan(TOY, **GRID, progress=False)
    assert untimed_results(unbraid.load_scan(tmp_path / "scan.db")) == untimed_results(untouched)


@pytest.mark.slow
def test_second_process_can_read_but_not_write(tmp_path):
    said = []

    def tell(done, total, row):
        if not said:
            body = """
                print(len(unbraid.load_scan("scan.db")))
                try:
                    unbraid.scan(TOY, n_branches=1, degree=3, store="scan.db")
                except unbraid.InvalidFileError as error:
                    print(error)
            """
            said.append(run_script(tmp_path, body))

    unbraid.scan(TOY, **CUBIC_GRID, store=tmp_path / "scan.db", progress=tell)
    code, out, err = said[0]
    assert code == 0, err
    assert out.startswith("1\nanother process")


@pytest.mark.slow
def test_full_disk_keeps_finished_cells(tmp_path):
    pytest.importorskip("resource", reason="limits on files are a thing of Unix")
    body = """
        import resource
        def tell(done, total, row):
            size = os.path.getsize("scan.db")
            if done == 3:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            unbraid.scan(TOY, **GRID, store="scan.db", progress=tell)
        except unbraid.InvalidFileError as error:
            print(error)
    """
    code, out, err = run_script(tmp_path, body)
    assert code == 0, err
    assert "scan.db" in out
    assert len(unbraid.load_scan(tmp_path / "scan.db")) >= 3


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_interrupt_keeps_finished_cells(tmp_path, n_jobs):
    def interrupt(done, total, row):
        if done == 2:
            signal.raise_signal(signal.SIGINT)

    path = tmp_path / "scan.db"
    with pytest.raises(KeyboardInterrupt):
        unbraid.scan(TOY, **CUBIC_GRID, store=path, progress=interrupt, n_jobs=n_jobs)
    assert os.listdir(tmp_path) == ["scan.db"]  # no lock, no journal
    assert len(unbraid.load_scan(path)) == 2
    assert len(unbraid.scan(TOY, **CUBIC_GRID, store=path, progress=False)) == 3


@pytest.mark.slow
def test_two_processes_give_the_same_bits():
    alone, together = (unbraid.scan(TOY, **GRID, n_jobs=n, progress=False) for n in (1, 2))
    assert untimed_results(alone) == untimed_results(together)


@dataclass(frozen=True, kw_only=True)
class Fatal(VarPro):
    """A solver whose process dies the first time that it solves for two branches."""

    mark: str = ""

    def solve(self, samples, n_branches):
        if n_branches == 2 and not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().solve(samples, n_branches)


@pytest.mark.slow
@needs_kill
def test_worker_death_names_unfinished_cells(tmp_path):
    told = []
    call = {"method": Fatal(mark=str(tmp_path / "mark")), "n_jobs": 2, **CUBIC_GRID}
    call |= {"store": tmp_path / "scan.db", "progress": lambda *now: told.append(now)}
    with pytest.raises(WorkerError, match="n_branches=2"):
        unbraid.scan(TOY, **call)
    before = len(told)
    resumed = unbraid.scan(TOY, **call)  # only what is missing is run
    assert len(told) - before == 3 - before
    plain = unbraid.scan(TOY, **CUBIC_GRID, progress=False)
    assert [row.held_out_errors for row in resumed] == [row.held_out_errors for row in plain]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as local,
        distributed.Client(local),
    ):
        yield local


@pytest.mark.slow
@needs_kill
@pytest.mark.filterwarnings("ignore")
def test_dask_gives_same_table_after_worker_death(cluster, tmp_path):
    call = {**GRID, "method": Fatal(mark=str(tmp_path / "mark"))}
    told = []
    with joblib.parallel_config(backend="dask"):
        spread = unbraid.scan(
            TOY, **call, store=tmp_path / "scan.db", progress=lambda *now: told.append(now[2].index)
        )
    assert Path(call["method"].mark).exists()  # a worker was killed
    assert sorted(told) == list(range(len(spread)))
    assert untimed_results(spread) == untimed_results(unbraid.scan(TOY, **call, progress=False))
