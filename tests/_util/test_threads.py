"""Tests of the number of threads."""

import builtins

import pytest

from unbraid._util import threads
from unbraid._util.threads import limit_threads


def count_threads():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    return max((pool["num_threads"] for pool in threadpoolctl.threadpool_info()), default=1)


def test_one_thread_inside_only():
    before = count_threads()
    with limit_threads():
        assert count_threads() == 1
    assert count_threads() == before


@pytest.fixture
def libraries_not_found_yet():
    threads._find_libraries.cache_clear()
    yield
    threads._find_libraries.cache_clear()


@pytest.mark.usefixtures("libraries_not_found_yet")
def test_works_without_threadpoolctl(monkeypatch):
    find = builtins.__import__

    def refuse(name, *rest, **options):
        if name == "threadpoolctl":
            raise ImportError(name)
        return find(name, *rest, **options)

    before = count_threads()
    monkeypatch.setattr(builtins, "__import__", refuse)
    with limit_threads():
        monkeypatch.undo()
        assert count_threads() == before
