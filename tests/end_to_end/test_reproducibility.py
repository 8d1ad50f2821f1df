"""Same seed, same bits: called again, in other processes, after save and load."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import unbraid
from hardening import tour
from hardening.machine import run_python
from unbraid.cases import duffing, toy_samples
from unbraid.narx import fit_polynomial_narx, load

MAKERS = {
    "toy": lambda: tour.seen(tour.toy()),
    "network": lambda: tour.seen(tour.network()),
    "narx": tour.dynamic,
    "regressor": tour.regressor,
    "scan": tour.scan,
}
EXTRAS = {"regressor": "sklearn", "scan": "joblib"}


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory):
    """The whole tour in a fresh process, with another order of sets and dicts."""
    for extra in ("click", "sklearn", "joblib", "matplotlib"):
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    folder = tmp_path_factory.mktemp("elsewhere")
    done = run_python(folder, tour.__file__, str(folder), "whole", PYTHONHASHSEED="12345")
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "tour.txt").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_here_and_elsewhere_once_and_again(name, elsewhere):
    here = MAKERS[name]()
    assert here == elsewhere[name]
    if name not in EXTRAS:  # these take long; once here and once elsewhere is twice
        assert MAKERS[name]() == here


@pytest.mark.slow
def test_a_store_and_two_processes(elsewhere, tmp_path):
    assert elsewhere["stored scan"] == elsewhere["scan"]
    assert tour.scan(n_jobs=2, store=tmp_path / "scan.db") == elsewhere["scan"]


# Saved and loaded ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("make", [tour.toy, tour.network], ids=["toy", "network"])
def test_saved_and_loaded(make, tmp_path):
    d = make()
    read = unbraid.load(d.save(tmp_path / "d.json"))
    assert tour.seen(read) == tour.seen(d)
    again = unbraid.load(read.save(tmp_path / "again.json"))
    assert tour.seen(again) == tour.seen(d)
    np.testing.assert_array_equal(read.held_out_error, d.held_out_error)


def test_a_dynamic_model_saved_and_loaded(tmp_path):
    data = duffing(512, 256, random_state=0)
    lags = {"input_lags": (0, 1), "output_lags": (1, 2), "degree": 3}
    model = fit_polynomial_narx(*data.train, **lags)
    for k, one in enumerate((model, model.decouple(n_branches=1, random_state=0))):
        read = load(one.save(tmp_path / f"{k}.json"))
        ran = (m.simulate(data.test[0], data.test[1][:50]) for m in (one, read))
        assert tour.digest(next(ran)) == tour.digest(next(ran))


# Other processes -------------------------------------------------------------------------------


def in_a_pool(_: int) -> str:
    samples = toy_samples(60, random_state=0)
    cubic = unbraid.Polynomial(3)
    return tour.seen(unbraid.decouple(samples, n_branches=3, basis=cubic, random_state=0))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_inside_a_pool_of_the_callers(how, tmp_path):
    """A script of a user's, as multiprocessing wants it: the pool's answers are our own."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import multiprocessing, sys\nsys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from end_to_end.test_reproducibility import in_a_pool\n"
        "if __name__ == '__main__':\n"
        "    own = in_a_pool(0)\n"
        f"    with multiprocessing.get_context({how!r}).Pool(2) as pool:\n"
        "        assert pool.map(in_a_pool, range(2)) == [own, own]\n",
        encoding="utf-8",
    )
    done = run_python(tmp_path, str(script))
    assert done.returncode == 0, done.stderr


BLAS = """
import sys
import numpy as np
sys.path.insert(0, {tests!r})
from hardening import tour
d, other = tour.toy(), tour.network()
np.savez("found.npz", toy=d(tour.POINTS), slopes=d.jacobian(tour.POINTS), net=other(tour.POINTS))
"""


@pytest.mark.slow
def test_one_thread_or_two(tmp_path):
    script = BLAS.format(tests=str(Path(__file__).parents[1]))
    found = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        done = run_python(tmp_path, "-c", script, **dict.fromkeys(names, threads))
        assert done.returncode == 0, done.stderr
        with np.load(tmp_path / "found.npz") as arrays:
            found.append({name: arrays[name] for name in arrays.files})
    for name, one in found[0].items():
        assert np.abs(found[1][name] - one).max() <= 1e-8 * np.abs(one).max(), name
