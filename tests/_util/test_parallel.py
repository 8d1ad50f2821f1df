"""Several processes through joblib."""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import partial

import numpy as np
import pytest

import unbraid
from unbraid import InvalidOptionError, MissingExtraError, WorkerError
from unbraid._util.parallel import check_n_jobs, count_processes, run_unordered
from unbraid.cases import toy_samples
from unbraid.solvers._starts import run_all

joblib = pytest.importorskip("joblib", reason="several processes are an extra")
pytest.importorskip("threadpoolctl")

TOY = toy_samples(40, random_state=0)
SEARCH = {"n_branches": 1, "method": "implicit", "n_starts": 2, "max_iterations": 2}


def square(number):
    return number**2


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def ignore(_, value):
    return value


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1, np.int64(2)])
def test_accepts_whole_numbers(n_jobs):
    assert check_n_jobs(n_jobs) == n_jobs


@pytest.mark.parametrize("n_jobs", [0, 0.5, 2.0, "2", True, map])
def test_rejects_what_is_not_a_number_of_processes(n_jobs):
    with pytest.raises(InvalidOptionError, match="n_jobs"):
        unbraid.decouple(TOY, **SEARCH, n_jobs=n_jobs)
    with pytest.raises(InvalidOptionError, match="n_jobs"):
        unbraid.scan(TOY, n_branches=1, n_jobs=n_jobs)


def test_starts_at_most_one_process_per_task():
    assert count_processes(50, 3) == 3
    assert count_processes(1, 3) == 1


def test_a_single_task_does_not_run_in_the_process_of_the_caller():
    assert count_processes(50, 1) == 2


def test_counts_as_joblib_context_says():
    assert count_processes(None, 9) == 1
    with joblib.parallel_config(n_jobs=4):
        assert count_processes(None, 9) == 4


def test_rejects_a_callback_beside_several_processes():
    with pytest.raises(InvalidOptionError, match="n_jobs=1"):
        unbraid.decouple(TOY, **SEARCH, n_jobs=2, callback=print)
    with joblib.parallel_config(n_jobs=2), pytest.raises(InvalidOptionError, match="n_jobs=1"):
        unbraid.decouple(TOY, **SEARCH, callback=print)


def test_workers_is_the_former_name_of_n_jobs():
    with pytest.warns(FutureWarning, match="n_jobs"):
        assert unbraid.solvers.Implicit(workers=3).n_jobs == 3
    with pytest.raises(InvalidOptionError, match="workers"):
        unbraid.solvers.Implicit(workers=3, n_jobs=2)
    with (
        pytest.warns(FutureWarning, match="n_jobs"),
        pytest.raises(InvalidOptionError, match="n_jobs"),
    ):
        unbraid.decouple(TOY, **SEARCH, workers=map)


def test_names_the_extra_where_joblib_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(MissingExtraError, match=r"unbraid\[scan\]"):
        unbraid.scan(TOY, n_branches=1)
    with pytest.raises(MissingExtraError, match=r"unbraid\[scan\]"):
        unbraid.decouple(TOY, **SEARCH, n_jobs=2)


def test_runs_in_rounds_where_a_backend_returns_no_generator():
    class Rounds(joblib.parallel.ThreadingBackend):
        supports_return_generator = False  # as Ray's

    joblib.register_parallel_backend("rounds", Rounds)
    with joblib.parallel_config(backend="rounds", n_jobs=2):
        assert dict(run_unordered(square, range(5), None)) == {k: k**2 for k in range(5)}


def test_a_caller_that_stops_early_gets_no_warning(recwarn):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        results = run_unordered(square, range(50), None)
        next(results)
        results.close()
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.slow
def test_processes_give_the_same_results_in_order():
    assert run_all(square, range(6), 2, size=0) == run_all(square, range(6), 1, size=0)


@pytest.mark.slow
def test_rejects_what_cannot_be_sent_to_another_process():
    with pytest.raises(InvalidOptionError, match="n_jobs"):
        run_all(partial(ignore, value=threading.Lock()), range(2), 2, size=0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="SIGKILL is POSIX")
def test_a_worker_that_dies_is_one_typed_error():
    for n_tasks in (1, 2):
        with pytest.raises(WorkerError, match="n_jobs"):
            run_all(die, range(n_tasks), 2, size=0)
    assert run_all(square, range(3), 2, size=0) == [0, 1, 4]  # and the next call works


def count_threads(_):
    from unbraid.solvers._starts import _count_threads

    return _count_threads()


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [1, 2])
def test_tasks_have_as_many_threads_as_the_caller(n_threads):
    from threadpoolctl import threadpool_limits

    with threadpool_limits(n_threads):
        alone = run_all(count_threads, range(2), 1, size=0)
        assert run_all(count_threads, range(2), 2, size=0) == alone


@pytest.mark.slow
@pytest.mark.parametrize("method", ["varpro", "implicit", "explicit"])
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning")
def test_the_number_of_processes_does_not_change_the_answer(method):
    options = {"n_branches": 2, "method": method, "n_starts": 3, "max_iterations": 5}
    alone = unbraid.decouple(TOY, **options, random_state=0)
    together = unbraid.decouple(TOY, **options, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(alone(TOY.points), together(TOY.points))
    with joblib.parallel_config(n_jobs=2):
        configured = unbraid.decouple(TOY, **options, random_state=0)
    np.testing.assert_array_equal(alone(TOY.points), configured(TOY.points))
